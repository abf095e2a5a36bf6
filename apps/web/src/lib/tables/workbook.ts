import { messages } from '@regie/contract/messages.ts';
import { fr } from '#src/fr.ts';
import type { Cell } from './cell.ts';
import { TableRefusal } from './refusal.ts';

/**
 * Reads the first sheet of an .xlsx workbook row by row. A workbook is a ZIP of XML files; the browser
 * inflates (`DecompressionStream`), so nothing beyond this file is needed, no worker is made from a blob
 * (our security policy forbids it), the digits of a number are those written in the file, and only the
 * shared strings are held in memory.
 */
const maxWorkbookBytes = 50 * 1024 * 1024;

/** Names of more characters than this in all are no royalty report; a crafted archive could hold gigabytes. */
const maxSharedCharacters = 200_000_000;
const maxColumns = 500;

const brokenWorkbook = () => new TableRefusal(`${messages.invalidData}\u00A0: ${fr.tables.workbook}`);

interface Entry {
  offset: number;
  size: number;
  method: number;
}

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;
const maxEndBytes = 65_557;

async function bytesOf(file: Blob, from: number, to: number): Promise<DataView> {
  return new DataView(await file.slice(from, to).arrayBuffer());
}

async function readEntries(file: Blob): Promise<Map<string, Entry>> {
  const tailStart = Math.max(0, file.size - maxEndBytes);
  const tail = await bytesOf(file, tailStart, file.size);
  let end = tail.byteLength - 22;
  while (end >= 0 && tail.getUint32(end, true) !== endSignature) end--;
  if (end < 0) throw brokenWorkbook();
  const size = tail.getUint32(end + 12, true);
  const start = tail.getUint32(end + 16, true);
  const directory = await bytesOf(file, start, start + size);
  const names = new TextDecoder();
  const entries = new Map<string, Entry>();
  for (let at = 0; at + 46 <= directory.byteLength && directory.getUint32(at, true) === entrySignature; ) {
    const nameLength = directory.getUint16(at + 28, true);
    const name = names.decode(new Uint8Array(directory.buffer, at + 46, nameLength));
    entries.set(name.replaceAll('\\', '/').toLowerCase(), {
      method: directory.getUint16(at + 10, true),
      size: directory.getUint32(at + 20, true),
      offset: directory.getUint32(at + 42, true),
    });
    at += 46 + nameLength + directory.getUint16(at + 30, true) + directory.getUint16(at + 32, true);
  }
  return entries;
}

async function* entryText(file: Blob, entry: Entry): AsyncGenerator<string> {
  const local = await bytesOf(file, entry.offset, entry.offset + 30);
  if (local.getUint32(0, true) !== localSignature) throw brokenWorkbook();
  const start = entry.offset + 30 + local.getUint16(26, true) + local.getUint16(28, true);
  const stored = file.slice(start, start + entry.size).stream();
  if (entry.method !== 0 && entry.method !== 8) throw brokenWorkbook();
  const bytes = entry.method === 8 ? stored.pipeThrough(new DecompressionStream('deflate-raw')) : stored;
  const reader = bytes.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      yield done ? decoder.decode() : decoder.decode(value, { stream: true });
      if (done) return;
    }
  } finally {
    await reader.cancel();
  }
}

type XmlToken =
  | { kind: 'open'; name: string; attributes: string; isEmpty: boolean }
  | { kind: 'close'; name: string }
  | { kind: 'text'; text: string };

/** A spreadsheet's XML as tokens; declarations, comments and processing instructions are skipped. */
async function* xmlTokens(texts: AsyncIterable<string>): AsyncGenerator<XmlToken[]> {
  let rest = '';
  for await (const text of texts) {
    rest += text;
    const tokens: XmlToken[] = [];
    let at = 0;
    for (;;) {
      const open = rest.indexOf('<', at);
      if (open < 0) break;
      const isCdata = rest.startsWith('<![CDATA[', open);
      const ending = isCdata ? ']]>' : rest.startsWith('<!--', open) ? '-->' : '>';
      const close = rest.indexOf(ending, open + 1);
      if (close < 0) break;
      if (open > at) tokens.push({ kind: 'text', text: unescapeXml(rest.slice(at, open)) });
      const inner = rest.slice(open + 1, close);
      if (isCdata) tokens.push({ kind: 'text', text: inner.slice('![CDATA['.length) });
      else if (inner.startsWith('/')) tokens.push({ kind: 'close', name: localName(inner.slice(1)) });
      else if (!inner.startsWith('?') && !inner.startsWith('!')) {
        const isEmpty = inner.endsWith('/');
        const space = inner.search(/[\s/]/);
        tokens.push({
          kind: 'open',
          name: localName(space < 0 ? inner : inner.slice(0, space)),
          attributes: space < 0 ? '' : inner.slice(space),
          isEmpty,
        });
      }
      at = close + ending.length;
    }
    rest = rest.slice(at);
    if (rest.length > maxSharedCharacters) throw brokenWorkbook();
    if (tokens.length > 0) yield tokens;
  }
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1).trim();

const attributePatterns = new Map<string, RegExp>();

function attribute(attributes: string, name: string): string | undefined {
  let pattern = attributePatterns.get(name);
  if (!pattern) {
    pattern = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`);
    attributePatterns.set(name, pattern);
  }
  const found = pattern.exec(attributes);
  const value = found?.[1] ?? found?.[2];
  return value === undefined ? undefined : unescapeXml(value);
}

const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  if (!text.includes('&') && !text.includes('_x')) return text;
  return text
    .replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex: string, decimal: string, name: string) => {
      if (name) return entities[name] ?? whole;
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : '';
    })
    .replace(/_x([0-9a-f]{4})_/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** `sheet1.xml`'s place: the workbook lists its sheets, its relations say where each is. */
async function firstSheetPath(file: Blob, entries: Map<string, Entry>): Promise<string> {
  const workbook = entries.get('xl/workbook.xml');
  const relations = entries.get('xl/_rels/workbook.xml.rels');
  if (workbook && relations) {
    let relation: string | undefined;
    for await (const tokens of xmlTokens(entryText(file, workbook))) {
      for (const token of tokens) {
        if (
          relation === undefined &&
          token.kind === 'open' &&
          token.name === 'sheet' &&
          attribute(token.attributes, 'state') !== 'hidden'
        )
          relation = /\s\w+:id\s*=\s*["']([^"']+)["']/.exec(token.attributes)?.[1];
      }
    }
    for await (const tokens of xmlTokens(entryText(file, relations))) {
      for (const token of tokens) {
        if (token.kind !== 'open' || token.name !== 'Relationship' || attribute(token.attributes, 'Id') !== relation)
          continue;
        const target = attribute(token.attributes, 'Target') ?? '';
        return (target.startsWith('/') ? target.slice(1) : `xl/${target}`).toLowerCase();
      }
    }
  }
  return 'xl/worksheets/sheet1.xml';
}

async function readSharedStrings(file: Blob, entries: Map<string, Entry>): Promise<string[]> {
  const entry = entries.get('xl/sharedstrings.xml');
  const strings: string[] = [];
  if (!entry) return strings;
  let current = '';
  let total = 0;
  let isText = false;
  let isPhonetic = false;
  for await (const tokens of xmlTokens(entryText(file, entry))) {
    for (const token of tokens) {
      if (token.kind === 'open') {
        if (token.name === 'si') {
          current = '';
          if (token.isEmpty) strings.push('');
        } else if (token.name === 't') isText = !token.isEmpty;
        else if (token.name === 'rPh') isPhonetic = !token.isEmpty;
      } else if (token.kind === 'close') {
        if (token.name === 'si') strings.push(current);
        else if (token.name === 't') isText = false;
        else if (token.name === 'rPh') isPhonetic = false;
      } else if (isText && !isPhonetic) {
        current += token.text;
        total += token.text.length;
        if (total > maxSharedCharacters) throw brokenWorkbook();
      }
    }
  }
  return strings;
}

/** `BC12` → 54. */
function columnIndex(reference: string): number {
  let index = 0;
  for (const letter of reference) {
    const code = letter.charCodeAt(0);
    if (code < 65 || code > 90) break;
    index = index * 26 + code - 64;
  }
  return index - 1;
}

/**
 * The rows of the first visible sheet, batch by batch; each is as wide as its last filled cell.
 * @throws TableRefusal when the file is no workbook
 */
export async function* workbookRows(file: Blob): AsyncGenerator<Cell[][]> {
  if (file.size > maxWorkbookBytes) throw new TableRefusal(fr.tables.workbookTooLarge('50\u00A0Mo'));
  try {
    yield* sheetRows(file);
  } catch (error) {
    // A broken archive fails in the browser's own inflater or out of a view's bounds.
    if (error instanceof TypeError || error instanceof RangeError) throw brokenWorkbook();
    throw error;
  }
}

async function* sheetRows(file: Blob): AsyncGenerator<Cell[][]> {
  const entries = await readEntries(file);
  const sheet = entries.get(await firstSheetPath(file, entries));
  if (!sheet) throw brokenWorkbook();
  const strings = await readSharedStrings(file, entries);
  let row: Cell[] = [];
  let column = 0;
  let type = 'n';
  let value = '';
  let isValue = false;
  for await (const tokens of xmlTokens(entryText(file, sheet))) {
    const rows: Cell[][] = [];
    for (const token of tokens) {
      if (token.kind === 'text') {
        if (isValue) value += token.text;
        continue;
      }
      const isOpen = token.kind === 'open';
      if (token.name === 'row') {
        if (isOpen) {
          row = [];
          column = 0;
        }
        if (!isOpen || token.isEmpty) rows.push(row);
      } else if (token.name === 'c') {
        if (isOpen) {
          const reference = attribute(token.attributes, 'r');
          if (reference) column = columnIndex(reference);
          type = attribute(token.attributes, 't') ?? 'n';
          value = '';
        }
        if (!isOpen || token.isEmpty) {
          if (column >= 0 && column < maxColumns && value !== '') {
            while (row.length < column) row.push('');
            row[column] = cellOf(type, value, strings);
          }
          column++;
        }
      } else if (token.name === 'v' || token.name === 't') isValue = isOpen && !token.isEmpty;
    }
    if (rows.length > 0) yield rows;
  }
}

function cellOf(type: string, value: string, strings: string[]): Cell {
  if (type === 's') return strings[Number(value)] ?? '';
  if (type === 'n') return { number: value.trim() };
  return value;
}
