import { messages } from '@regie/contract/messages.ts';
import { Isrc, isBarcodeValid } from '@regie/contract/routes/releases.ts';
import type { ImportRow } from '@regie/contract/routes/row-import.ts';

const maxTitle = 500;
const maxName = 200;
const maxArtists = 20;
/** Digits of a barcode as the database keeps them; one with a wrong check digit is kept (decisions §4). */
const barcodePattern = /^\d{1,20}$/;

export interface Artist {
  fullname: string;
  role: 'Primary Artist' | 'Featuring';
}

/** A row whose texts are understood, whatever it is imported into. */
export interface ReadRow {
  title: string;
  artists: Artist[];
  isrc: string | null;
  barcode: string | null;
  /** The column at fault and why; a row without is sound in itself. */
  fault: { column: keyof ImportRow; message: string } | undefined;
  /** What is kept as it is, but worth a look. */
  warning: string | undefined;
}

const tidy = (text: string) => text.replaceAll(/[\s\u00a0]+/g, ' ').trim();
const featuring = /[\s([]+(?:feat|ft|featuring)(?:\.\s*|\s+)/i;

/**
 * The artists of a cell: `Awa Diallo, Trio Verlaine feat. Ida Roux`. Names are separated by `;`, or by `,` where there is
 * no `;` ("Tyler, The Creator; Ida Roux"). Those before `feat.`, `ft.` or `featuring` are primary artists, those after
 * it featured ones; nobody is named twice.
 */
export function readArtists(cell: string): Artist[] {
  const [before = '', ...after] = ` ${tidy(cell)}`.split(featuring);
  const separator = cell.includes(';') ? ';' : ',';
  const names = (text: string) => text.split(separator).map(tidy).filter(Boolean);
  const found = [
    ...names(before).map((fullname): Artist => ({ fullname, role: 'Primary Artist' })),
    ...names(after.join(separator).replaceAll(/[)\]]/g, ' ')).map(
      (fullname): Artist => ({ fullname, role: 'Featuring' }),
    ),
  ];
  const seen = new Set<string>();
  return found.filter(({ fullname }) => {
    const key = fullname.toLocaleLowerCase('fr');
    return !seen.has(key) && seen.add(key);
  });
}

/** Reads a row's texts; what cannot be read is its fault, and the first one counts. */
export function readRow(row: ImportRow): ReadRow {
  const title = tidy(row.titre);
  const artists = readArtists(row.artistes);
  const isrc = Isrc.safeParse(row.isrc.trim());
  const barcode = row.barcode.replaceAll(/[\s\u00a0-]/g, '');
  const faults: ReadRow['fault'][] = [];
  const fault = (column: keyof ImportRow, message: string) => faults.push({ column, message });
  if (title === '') fault('titre', messages.importTitleMissing);
  else if (title.length > maxTitle) fault('titre', messages.maxLength(maxTitle));
  if (artists.some(({ fullname }) => fullname.length < 2 || fullname.length > maxName))
    fault('artistes', messages.importArtistLength);
  else if (artists.length > maxArtists) fault('artistes', messages.maxItems(maxArtists));
  if (!isrc.success) fault('isrc', messages.invalidIsrc);
  if (barcode !== '' && !barcodePattern.test(barcode)) fault('barcode', messages.importBarcodeDigits);
  const isKept = barcode !== '' && barcodePattern.test(barcode);
  return {
    title,
    artists,
    isrc: isrc.success ? isrc.data : null,
    barcode: isKept ? barcode : null,
    fault: faults[0],
    warning: isKept && !isBarcodeValid(barcode) ? messages.importBarcodeCheck : undefined,
  };
}

/** Spreadsheets drop leading zeros, and a GTIN is the same number without them. */
export const sameBarcode = (one: string, other: string): boolean => one.replace(/^0+/, '') === other.replace(/^0+/, '');
