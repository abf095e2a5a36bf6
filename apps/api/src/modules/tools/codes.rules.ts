import { messages } from '@regie/contract/messages.ts';
import { Isrc, isBarcodeValid } from '@regie/contract/routes/releases.ts';
import type { BulkRow } from '@regie/contract/routes/tools.ts';
import { toolMessages } from '@regie/contract/tools.ts';

/** ISRCs under one prefix and year: `FRX12` `26` `00001`. */
export const lastDesignation = 99_999;

/** The ISRC of a number given out under a prefix in a year. */
export const isrcOf = (prefix: string, year: number, designation: number): string =>
  `${prefix}${String(year % 100).padStart(2, '0')}${String(designation).padStart(5, '0')}`;

/** The year in Paris that an ISRC given now carries. */
export const isrcYear = (now: Date): number =>
  Number(new Intl.DateTimeFormat('fr-FR', { year: 'numeric', timeZone: 'Europe/Paris' }).format(now));

export interface ReadRow {
  id: number | null;
  title: string;
  /** As it will be stored; null where it is none. */
  code: string | null;
  /** The row lacks what every row has: the whole call is refused (specification 2 §5). */
  missing: string | undefined;
  /** Of what is missing only the code: it is still to be filled in. */
  isBlank: boolean;
  /** Why it cannot be saved as it stands. */
  fault: string | undefined;
  /** What is kept as it is, but worth a look. */
  warning: string | undefined;
}

const tidy = (text: string) => text.replaceAll(/[\s\u00a0]+/g, ' ').trim();

/** A barcode as a spreadsheet may have left it: without the zero that UPCs begin with. */
export function readBarcode(text: string): string | undefined {
  const digits = text.replaceAll(/[\s\u00a0-]/g, '');
  if (!/^\d{1,20}$/.test(digits)) return undefined;
  const padded = digits.padStart(12, '0');
  return digits.length === 11 && isBarcodeValid(padded) ? padded : digits;
}

/** Reads a row of the bulk edit; its texts are the file's. */
export function readBulkRow(kind: 'isrc' | 'barcode', row: BulkRow): ReadRow {
  const text = kind === 'isrc' ? row.isrc : row['code-barre'];
  const isId = /^[1-9]\d{0,15}$/.test(row.id);
  const title = tidy(row.title);
  const code = text === '' ? undefined : kind === 'isrc' ? (Isrc.safeParse(text).data ?? undefined) : readBarcode(text);
  const faults = [
    ...(row.id !== '' && !isId ? [toolMessages.idWrong] : []),
    ...(code === undefined ? [kind === 'isrc' ? messages.invalidIsrc : messages.importBarcodeDigits] : []),
  ];
  return {
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
}

/** GTINs are compared without leading zeros, ISRCs as they are. */
export const comparable = (kind: 'isrc' | 'barcode', code: string): string =>
  kind === 'isrc' ? code : code.replace(/^0+/, '');
