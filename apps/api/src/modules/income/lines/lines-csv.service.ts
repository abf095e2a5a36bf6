import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { LineStore } from './lines.service.ts';

/** A spreadsheet would run such a text (product §36.5); as `escapeFormula` of the interface. Empty texts are null. */
export const csvText = (column: string) =>
  `CASE WHEN regexp_matches(${column}, '^(?:[\\s\\p{Cf}]*[=+\\-@＝＋－＠﹢﹣﹦﹫−]|[\\t\\r])') THEN '''' || ${column} ELSE nullif(${column}, '') END`;

/** For COPY … TO: French spreadsheets; the headings are written by `openMadeFile`. */
export const csvOptions = `FORMAT csv, DELIMITER ';', HEADER false`;

/**
 * Streams a file made for one caller, and removes it.
 * @param headings of a CSV file
 */
export async function openMadeFile(
  store: LineStore,
  headings: readonly string[] | undefined,
  make: (path: string, folder: string) => Promise<unknown>,
): Promise<Readable> {
  const folder = await store.makeFolder();
  try {
    const path = join(folder.path, 'made');
    await make(path, folder.path);
    const content = Readable.from(withHeadings(path, headings), { objectMode: false });
    content.once('close', () => void folder[Symbol.asyncDispose]());
    return content;
  } catch (error) {
    await folder[Symbol.asyncDispose]();
    throw error;
  }
}

async function* withHeadings(path: string, headings: readonly string[] | undefined): AsyncGenerator<Buffer> {
  // The byte order mark makes spreadsheets decode accents.
  if (headings) yield Buffer.from(`\ufeff${headings.join(';')}\n`);
  yield* createReadStream(path) as AsyncIterable<Buffer>;
}
