import { messages } from '@regie/contract/messages.ts';
import { dropHidden } from '@regie/contract/plain-text.ts';
import { type AiContribution, aiContributions, readAi } from '@regie/contract/releases.ts';
import { Isrc } from '@regie/contract/routes/releases.ts';
import type { ImportRow } from '@regie/contract/routes/row-import.ts';
import { isBarcodeValid, readBarcode } from '@regie/values/barcode.ts';

const maxTitle = 500;
const maxName = 200;
const maxArtists = 20;

export interface Artist {
  fullname: string;
  role: 'Primary Artist' | 'Featuring';
}

export interface ReadRow {
  title: string;
  artists: Artist[];
  isrc: string | null;
  barcode: string | null;
  recordingAi: AiContribution | null;
  compositionAi: AiContribution | null;
  coverAi: AiContribution | null;
  /** Undefined for a valid row. */
  fault: { column: keyof ImportRow; message: string } | undefined;
  /** About a value that is kept. */
  warning: string | undefined;
}

const tidy = (text: string) => dropHidden(text.replaceAll(/[\s\u00a0]+/g, ' ')).trim();
const featuring = /[\s([]+(?:feat|ft|featuring)(?:\.\s*|\s+)/i;

/**
 * `Awa Diallo, Trio Verlaine feat. Ida Roux`: names separated by `;`, or else by `,`. Those after `feat.`, `ft.` or
 * `featuring` are featured; repeated names are dropped.
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
  const isrcs = new Set<string>();
  return found.filter(({ fullname }) => {
    const key = fullname.toLocaleLowerCase('fr');
    return !isrcs.has(key) && isrcs.add(key);
  });
}

/** Reports the first invalid column. */
export function readRow(row: ImportRow): ReadRow {
  const title = tidy(row.titre);
  const artists = readArtists(row.artistes);
  const isrc = Isrc.safeParse(row.isrc.trim());
  const barcode = readBarcode(row.barcode);
  const [recordingAi, compositionAi, coverAi] = [row.recordingAi, row.compositionAi, row.coverAi].map(readAi);
  const faults: ReadRow['fault'][] = [];
  const fault = (column: keyof ImportRow, message: string) => faults.push({ column, message });
  if (title === '') fault('titre', messages.titleMissing);
  else if (title.length > maxTitle) fault('titre', messages.maxLength(maxTitle));
  if (artists.some(({ fullname }) => fullname.length < 2 || fullname.length > maxName))
    fault('artistes', messages.importArtistLength);
  else if (artists.length > maxArtists) fault('artistes', messages.maxItems(maxArtists));
  if (!isrc.success) fault('isrc', messages.invalidIsrc);
  if (barcode === undefined && row.barcode !== '') fault('barcode', messages.importBarcodeDigits);
  const labels = Object.values(aiContributions).map(({ label }) => label);
  if (recordingAi === undefined) fault('recordingAi', messages.importAi(labels));
  if (compositionAi === undefined) fault('compositionAi', messages.importAi(labels));
  if (coverAi === undefined) fault('coverAi', messages.importAi(labels));
  return {
    title,
    artists,
    isrc: isrc.success ? isrc.data : null,
    barcode: barcode ?? null,
    recordingAi: recordingAi ?? null,
    compositionAi: compositionAi ?? null,
    coverAi: coverAi ?? null,
    fault: faults[0],
    warning: barcode !== undefined && !isBarcodeValid(barcode) ? messages.importBarcodeCheck : undefined,
  };
}

/** What a row fills in on a track that has it empty. */
export function fillingOf(read: ReadRow, track: Pick<ReadRow, (typeof fillable)[number]> & { hasArtist: boolean }) {
  const filling: Partial<Pick<ReadRow, (typeof fillable)[number] | 'artists'>> = Object.fromEntries(
    fillable.filter((field) => track[field] === null && read[field] !== null).map((field) => [field, read[field]]),
  );
  return !track.hasArtist && read.artists.length > 0 ? { ...filling, artists: read.artists } : filling;
}
const fillable = ['isrc', 'recordingAi', 'compositionAi'] as const;

/** What rows fill in on their release where it is empty. */
export function fillingOfRelease(
  release: { barcode: string | null; coverAi: string | null },
  reads: readonly ReadRow[],
) {
  const barcode = reads.find((read) => read.barcode !== null)?.barcode;
  const coverAi = reads.find((read) => read.coverAi !== null)?.coverAi;
  return {
    ...(release.barcode === null && barcode && { barcode }),
    ...(release.coverAi === null && coverAi && { coverAi }),
  };
}

export const differs = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && one !== other;

/** Spreadsheets drop leading zeros. */
export const sameBarcode = (one: string, other: string): boolean => one.replace(/^0+/, '') === other.replace(/^0+/, '');
