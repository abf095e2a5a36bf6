import { messages } from '@regie/contract/messages.ts';
import { Isrc } from '@regie/contract/routes/releases.ts';
import type { BulkRow } from '@regie/contract/routes/tools.ts';
import { toolMessages } from '@regie/contract/tools.ts';
import { isBarcodeValid, readBarcode } from '@regie/values/barcode.ts';

/** The highest number of ISRCs under one prefix and year: `FRX12` `26` `00001`. */
export const lastDesignation = 99_999;

/** The ISRC of a number under a prefix and year. */
export const isrcOf = (prefix: string, year: number, designation: number): string =>
  `${prefix}${String(year % 100).padStart(2, '0')}${String(designation).padStart(5, '0')}`;

/** The year (Paris time) for ISRCs assigned now. */
export const isrcYear = (now: Date): number =>
  Number(new Intl.DateTimeFormat('fr-FR', { year: 'numeric', timeZone: 'Europe/Paris' }).format(now));

export interface ReadRow {
  id: number | null;
  title: string;
  /** In stored form; null when invalid. */
  code: string | null;
  /** A required value is missing: the whole call is refused (product §25.7). */
  missing: string | undefined;
  /** Only the code is missing, to be filled in later. */
  isBlank: boolean;
  /** Why the row cannot be saved. */
  fault: string | undefined;
  /** A warning about a code that is saved unchanged. */
  warning: string | undefined;
}

const tidy = (text: string) => text.replaceAll(/[\s\u00a0]+/g, ' ').trim();

/** Parses a row of the bulk edit; texts are as in the file. */
export function readBulkRow(kind: 'isrc' | 'barcode', row: BulkRow): ReadRow {
  const text = row.code;
  const isId = /^[1-9]\d{0,15}$/.test(row.id);
  const title = tidy(row.title);
  const code = text === '' ? undefined : kind === 'isrc' ? (Isrc.safeParse(text).data ?? undefined) : readBarcode(text);
  const faults = [
    ...(row.id !== '' && !isId ? [toolMessages.idWrong] : []),
    ...(code === undefined ? [kind === 'isrc' ? messages.invalidIsrc : messages.importBarcodeDigits] : []),
  ];
  const read = {
    id: isId ? Number(row.id) : null,
    title,
    code: code ?? null,
    missing:
      title === '' && row.id === ''
        ? toolMessages.titleMissing
        : text === ''
          ? kind === 'isrc'
            ? toolMessages.isrcMissing
            : toolMessages.barcodeMissing
          : undefined,
    isBlank: text === '' && (title !== '' || row.id !== ''),
    fault: faults[0],
    warning: kind === 'barcode' && code && !isBarcodeValid(code) ? toolMessages.wrongCheckDigit : undefined,
  };
  return row.keptBack === undefined ? read : { ...read, missing: undefined, isBlank: false, fault: row.keptBack };
}

/** The form in which codes are compared: GTINs without leading zeros. */
export const comparable = (kind: 'isrc' | 'barcode', code: string): string =>
  kind === 'isrc' ? code : code.replace(/^0+/, '');
