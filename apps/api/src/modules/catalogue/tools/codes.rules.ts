import { messages } from '@regie/contract/messages.ts';
import { Isrc } from '@regie/contract/routes/releases.ts';
import type { BulkRow } from '@regie/contract/routes/tools.ts';
import { toolMessages } from '@regie/contract/tools.ts';
import { isBarcodeValid, readBarcode } from '@regie/values/barcode.ts';

/** Per prefix and year: `FRX12` `26` `00001`. */
export const lastDesignation = 99_999;

export const isrcOf = (prefix: string, year: number, designation: number): string =>
  `${prefix}${String(year % 100).padStart(2, '0')}${String(designation).padStart(5, '0')}`;

/** In Paris. */
export const isrcYear = (now: Date): number =>
  Number(new Intl.DateTimeFormat('fr-FR', { year: 'numeric', timeZone: 'Europe/Paris' }).format(now));

export interface ReadRow {
  id: number | null;
  title: string;
  /** As stored; null when invalid. */
  code: string | null;
  /** Refuses the whole call (product §25.7). */
  missing: string | undefined;
  /** Only the code is missing. */
  isBlank: boolean;
  fault: string | undefined;
  /** About a code saved unchanged. */
  warning: string | undefined;
}

const tidy = (text: string) => text.replaceAll(/[\s\u00a0]+/g, ' ').trim();

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
        ? messages.titleMissing
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

/** GTINs without leading zeros. */
export const comparable = (kind: 'isrc' | 'barcode', code: string): string =>
  kind === 'isrc' ? code : code.replace(/^0+/, '');
