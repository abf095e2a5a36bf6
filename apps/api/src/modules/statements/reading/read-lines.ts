import type { Charset } from '@regie/contract/statements.ts';
import type { StoredFile } from './archives.ts';
import { decodeText, guessCharset, lineFeeds } from './decode.ts';
import { containerOf, headText, openBytes, readHead, readInnerHead } from './open-file.ts';
import { isWorkbook, readWorkbookRows } from './workbook-reader.ts';

const headBytes = 128 * 1024;
const maxShownText = 2000;

/**
 * Lines of a stored file as text, counted from 1 as a report's lines are; of a workbook its rows, tabs between cells.
 * @throws StatementRefusal for what has no lines
 */
export async function readLines(
  file: StoredFile,
  { from, count, charset: told }: { from: number; count: number; charset?: Charset | undefined },
): Promise<{ line: number; text: string }[]> {
  const container = containerOf(await readHead(file, 8));
  if (container === 'zip' && (await isWorkbook(file))) return readRows(file, { from, count });
  const head = await readInnerHead(file, container, headBytes);
  const found: { line: number; text: string }[] = [];
  let line = 1;
  let rest = '';
  const take = (text: string) => {
    if (line >= from) found.push({ line, text: text.replace(/\r$/, '').slice(0, maxShownText) });
    line += 1;
  };
  const charset = told ?? guessCharset(head);
  const lines = lineFeeds(headText(head, charset));
  for await (const written of decodeText(openBytes(file, container), charset)) {
    const text = lines(written);
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0 && found.length < count; end = text.indexOf('\n', start)) {
      take(rest + text.slice(start, end));
      rest = '';
      start = end + 1;
    }
    if (found.length >= count) return found;
    // Of a line that is not asked for, nothing is kept.
    rest = line >= from ? (rest + text.slice(start)).slice(0, maxShownText + 1) : '';
  }
  if (rest !== '' && found.length < count) take(rest);
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
