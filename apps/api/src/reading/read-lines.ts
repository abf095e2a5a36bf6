import type { Charset } from '@regie/contract/statements.ts';
import type { StoredFile } from './archives.ts';
import { assertText, decodeText, detectCharset, lineFeeds } from './decode.ts';
import { headBytes, type LineOffset, lineEndOf, skipLines } from './line-offsets.ts';
import { containerOf, headText, openBytes, readHead, readInnerHead } from './open-file.ts';
import { isWorkbook, readWorkbookRows } from './workbook-reader.ts';

const maxShownText = 2000;
const beginning: LineOffset = { line: 1, byteOffset: 0 };

/**
 * Numbered from 1 like the lines of a report; of a workbook its rows, with tabs between cells.
 * @param near the nearest known offset at or before `from`, in an uncompressed file
 * @throws StatementRefusal when the file has no lines
 */
export async function readLines(
  file: StoredFile,
  { from, count, charset: told }: { from: number; count: number; charset?: Charset | undefined },
  near = beginning,
): Promise<{ line: number; text: string }[]> {
  const container = containerOf(await readHead(file, 8));
  if (container === 'zip' && (await isWorkbook(file))) return readRows(file, { from, count });
  const head = await readInnerHead(file, container, headBytes);
  const charset = told ?? detectCharset(head).charset;
  const text = headText(head, charset);
  assertText(text);
  const lines = lineFeeds(text);
  const start = container === 'plain' ? near : beginning;
  const bytes =
    container === 'plain'
      ? await file.open({ start: start.byteOffset, end: file.sizeBytes - 1 })
      : openBytes(file, container);
  const wanted = skipLines(bytes, lineEndOf(head, charset), from - start.line);
  const found: { line: number; text: string }[] = [];
  const take = (written: string) =>
    found.push({ line: from + found.length, text: written.replace(/\r$/, '').slice(0, maxShownText) });
  let rest = '';
  for await (const written of decodeText(wanted, charset, { isBeginning: from === 1 })) {
    const piece = lines(written);
    let at = 0;
    for (let end = piece.indexOf('\n'); end >= 0 && found.length < count; end = piece.indexOf('\n', at)) {
      take(rest + piece.slice(at, end));
      rest = '';
      at = end + 1;
    }
    if (found.length >= count) return found;
    // Keep no more of a line than is shown.
    rest = (rest + piece.slice(at)).slice(0, maxShownText + 1);
  }
  if (rest !== '') take(rest);
  return found;
}

async function readRows(file: StoredFile, { from, count }: { from: number; count: number }) {
  const found: { line: number; text: string }[] = [];
  for await (const { line, cells } of readWorkbookRows(file)) {
    if (line < from) continue;
    found.push({ line, text: cells.join('\t').slice(0, maxShownText) });
    if (found.length >= count) break;
  }
  return found;
}
