import { messages } from '@regie/contract/messages.ts';
import { isBlankRow } from '@regie/values/cell.ts';
import { containsRows } from '@regie/values/quoted-rows.ts';
import Papa from 'papaparse';
import { fr } from '#src/lib/fr.ts';
import { TableRefusal } from './refusal.ts';
import type { ColumnKind } from './workbook.ts';

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** The encoding of the byte order mark; without one UTF-8 is tried first. */
export function markedEncoding(start: Uint8Array): TextEncoding | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  if (start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf) return 'utf-8';
  return undefined;
}

export class WrongEncoding extends Error {
  override name = 'WrongEncoding';
}

export async function* readBytes(file: Blob): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

/** Line ends become `\n`, so that mixed ones keep their rows. @throws WrongEncoding for bytes invalid in `encoding` */
export async function* readText(file: Blob, encoding: TextEncoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (bytes?: Uint8Array) => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
    } catch {
      throw new WrongEncoding(encoding);
    }
  };
  let heldReturn = '';
  for await (const bytes of readBytes(file)) {
    let text = heldReturn + decode(bytes);
    heldReturn = text.endsWith('\r') ? '\r' : '';
    if (heldReturn) text = text.slice(0, -1);
    yield text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  }
  const rest = heldReturn + decode();
  if (rest) yield rest.replace(/\r\n?/g, '\n');
}

export const delimiters = [',', ';', '\t'] as const;
export type Delimiter = (typeof delimiters)[number];

const quotesSentence = (line: number) => `${messages.invalidData}\u00A0: ${fr.tables.quotes(String(line))}`;

/** A longer row is an unclosed quote. */
const maxRowCharacters = 4_000_000;

interface ParsedText {
  data: string[][];
  errors: { code: string; row: number }[];
  meta: { cursor: number };
}

function parseText(text: string, delimiter: string, isWhole: boolean): ParsedText {
  const parser = new Papa.Parser({ delimiter, newline: '\n', quoteChar: '"' });
  const parsed: ParsedText = parser.parse(text, 0, !isWhole);
  return parsed;
}

/** In constant memory. Empty lines count: row numbers match a text editor. @throws TableRefusal for unmatched quotes */
export async function* parseRows(texts: AsyncIterable<string>, delimiter: Delimiter): AsyncGenerator<string[][]> {
  let rest = '';
  let line = 1;
  let width = 0;
  const parse = (text: string, isWhole: boolean) => {
    const parsed = parseText(text, delimiter, isWhole);
    const [error] = parsed.errors;
    const mayBreak = text.includes('"');
    for (const [index, row] of parsed.data.entries()) {
      if (width === 0 && !isBlankRow(row)) width = row.length;
      const isBroken = mayBreak && row.some((cell) => cell.includes('\n'));
      const breaks = isBroken ? row.join('').split('\n').length - 1 : 0;
      if (index === error?.row || (isBroken && containsRows(row, width, delimiter)))
        throw new TableRefusal(quotesSentence(line));
      line += 1 + breaks;
    }
    return parsed;
  };
  for await (const text of texts) {
    rest += text;
    if (!text.includes('\n')) {
      if (rest.length > maxRowCharacters) throw new TableRefusal(quotesSentence(line));
      continue;
    }
    const { data, meta } = parse(rest, false);
    rest = rest.slice(meta.cursor);
    if (rest.length > maxRowCharacters) throw new TableRefusal(quotesSentence(line));
    if (data.length > 0) yield data;
  }
  if (rest) yield parse(rest, true).data;
}

/** By known columns in the first line; without any Papaparse's guess, so that the refusal lists the columns. */
export function findDelimiter(start: string, kindOf: ColumnKind): Delimiter {
  const lines = start.replace(/^\s*\n/, '');
  let best: Delimiter | undefined;
  let bestCount = 0;
  for (const delimiter of delimiters) {
    const header = Papa.parse<string[]>(lines, { delimiter, newline: '\n', preview: 1 }).data[0] ?? [];
    const count = header.filter((name) => kindOf(name) !== undefined).length;
    if (count > bestCount) [best, bestCount] = [delimiter, count];
  }
  if (best) return best;
  const guess = Papa.parse(lines, { preview: 20, newline: '\n', delimitersToGuess: [...delimiters] }).meta.delimiter;
  return delimiters.find((delimiter) => delimiter === guess) ?? ',';
}
