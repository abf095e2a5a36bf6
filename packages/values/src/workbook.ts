import { type Cell, numberText } from './cell.ts';
import { addToSum, endSignature, entrySignature, localSignature } from './zip.ts';

/**
 * Reads the sheets of an .xlsx workbook row by row, in a browser as on the server. A workbook is a ZIP of XML
 * files; the platform inflates (`DecompressionStream`), so nothing beyond this file is needed, no worker is made from a
 * blob (our security policy forbids it), the digits of a number are those written in the file, and only the shared
 * strings are held in memory.
 */
export interface WorkbookSource {
  readonly size: number;
  slice: (
    from: number,
    to: number,
  ) => { arrayBuffer: () => Promise<ArrayBuffer>; stream: () => ReadableStream<Uint8Array<ArrayBuffer>> };
}

export interface WorkbookRow {
  /** As the workbook numbers it, from 1. */
  line: number;
  /** As wide as its last filled cell. */
  cells: Cell[];
  /** Columns whose cell is the result of a formula. */
  formulas: number[];
  /** Columns whose cell is merged with one above: they have its value. */
  repeated: readonly number[];
  isHidden: boolean;
}

/** Cells from one corner of a sheet to the other; lines from 1. */
interface Area {
  column: number;
  line: number;
  lastColumn: number;
  lastLine: number;
}

/** By the first line, the columns merged downwards, and the last line of each. */
export type MergedCells = ReadonlyMap<number, readonly Area[]>;

export interface Workbook {
  /** Names of the visible sheets, in the workbook's order. */
  sheets: readonly string[];
  /** They follow the visible ones where a sheet is named by its number. */
  hiddenSheets: readonly string[];
  /** Whether day 0 of a date is the first of January 1904, as of old on a Mac; else 30 December 1899. */
  startsIn1904: boolean;
  /** They stand behind a sheet's rows, so that it is unpacked once more. @throws BrokenWorkbook */
  findMerged: (sheet?: number) => Promise<MergedCells>;
  /** Of a sheet, by default the first visible one, batch by batch. @throws BrokenWorkbook */
  rows: (sheet?: number, merged?: MergedCells) => AsyncGenerator<WorkbookRow[]>;
}

/** This is no workbook, a damaged one, or one that was made to do harm. */
export class BrokenWorkbook extends Error {
  override name = 'BrokenWorkbook';
}

const maxColumns = 500;
/** No element or text of a sheet is longer: a cell holds 32 767 characters. */
const maxTokenCharacters = 300_000;
/** No sheet shrinks to less than this part of itself. */
const maxInflation = 300;
const harmlessBytes = 256 * 1024 * 1024;

interface Entry {
  offset: number;
  size: number;
  method: number;
  sum: number;
}

const maxEndBytes = 65_557;

async function bytesOf(file: WorkbookSource, from: number, to: number): Promise<DataView> {
  return new DataView(await file.slice(from, to).arrayBuffer());
}

async function readEntries(file: WorkbookSource): Promise<Map<string, Entry>> {
  const tailStart = Math.max(0, file.size - maxEndBytes);
  const tail = await bytesOf(file, tailStart, file.size);
  let end = tail.byteLength - 22;
  while (end >= 0 && tail.getUint32(end, true) !== endSignature) end--;
  if (end < 0) throw new BrokenWorkbook('not a workbook');
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
      sum: directory.getUint32(at + 16, true),
      size: directory.getUint32(at + 20, true),
      offset: directory.getUint32(at + 42, true),
    });
    at += 46 + nameLength + directory.getUint16(at + 30, true) + directory.getUint16(at + 32, true);
  }
  return entries;
}

async function* entryText(file: WorkbookSource, entry: Entry, isChecked = true): AsyncGenerator<string> {
  const local = await bytesOf(file, entry.offset, entry.offset + 30);
  if (local.getUint32(0, true) !== localSignature) throw new BrokenWorkbook('not a workbook');
  const start = entry.offset + 30 + local.getUint16(26, true) + local.getUint16(28, true);
  const stored = file.slice(start, start + entry.size).stream();
  if (entry.method !== 0 && entry.method !== 8) throw new BrokenWorkbook('not a workbook');
  const bytes = entry.method === 8 ? stored.pipeThrough(new DecompressionStream('deflate-raw')) : stored;
  const reader = bytes.getReader();
  const decoder = new TextDecoder();
  let inflated = 0;
  let sum = -1;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      inflated += value?.byteLength ?? 0;
      if (inflated > harmlessBytes && inflated > maxInflation * entry.size) {
        throw new BrokenWorkbook('inflates without end');
      }
      if (value && isChecked) sum = addToSum(sum, value);
      // A bit that fell over still inflates: to another number.
      if (done && isChecked && ~sum >>> 0 !== entry.sum) throw new BrokenWorkbook('damaged');
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
    if (rest.length > maxTokenCharacters) throw new BrokenWorkbook('not a workbook');
    if (tokens.length > 0) yield tokens;
  }
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1).trim();

const attributePatterns = new Map<string, RegExp>();

function attribute(attributes: string, name: string): string | undefined {
  // As they are nearly always written, several times faster than the pattern.
  const at = attributes.indexOf(` ${name}="`);
  if (at >= 0) {
    const start = at + name.length + 3;
    return unescapeXml(attributes.slice(start, attributes.indexOf('"', start)));
  }
  if (!attributes.includes(name)) return undefined;
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

interface SheetPlaces {
  sheets: { name: string; path: string }[];
  hidden: { name: string; path: string }[];
  startsIn1904: boolean;
}

/** The sheets and `sheet1.xml`'s place: the workbook lists its sheets, its relations say where each is. */
async function findSheets(file: WorkbookSource, entries: Map<string, Entry>): Promise<SheetPlaces> {
  const workbook = entries.get('xl/workbook.xml');
  const relations = entries.get('xl/_rels/workbook.xml.rels');
  const listed: { name: string; relation: string | undefined; isHidden: boolean }[] = [];
  let startsIn1904 = false;
  if (workbook) {
    for await (const tokens of xmlTokens(entryText(file, workbook))) {
      for (const token of tokens) {
        if (token.kind !== 'open') continue;
        if (token.name === 'workbookPr') {
          startsIn1904 = ['1', 'true'].includes(attribute(token.attributes, 'date1904') ?? '');
        }
        if (token.name !== 'sheet') continue;
        const name = attribute(token.attributes, 'name') ?? '';
        const relation = /\s\w+:id\s*=\s*["']([^"']+)["']/.exec(token.attributes)?.[1];
        const isHidden = /^(?:hidden|veryHidden)$/.test(attribute(token.attributes, 'state') ?? '');
        listed.push({ name, relation, isHidden });
      }
    }
  }
  const targets = new Map<string, string>();
  if (relations) {
    for await (const tokens of xmlTokens(entryText(file, relations))) {
      for (const token of tokens) {
        if (token.kind !== 'open' || token.name !== 'Relationship') continue;
        const target = attribute(token.attributes, 'Target') ?? '';
        const path = (target.startsWith('/') ? target.slice(1) : `xl/${target}`).toLowerCase();
        targets.set(attribute(token.attributes, 'Id') ?? '', path);
      }
    }
  }
  const found = listed.flatMap(({ name, relation, isHidden }) => {
    const path = targets.get(relation ?? '');
    // A sheet of a chart has no rows.
    return path !== undefined && !path.includes('chartsheets/') && entries.has(path) ? [{ name, path, isHidden }] : [];
  });
  // A workbook shows at least one of its sheets; of one that does not, all are read.
  const isAnyVisible = found.some(({ isHidden }) => !isHidden);
  const sheets = found.filter(({ isHidden }) => !(isAnyVisible && isHidden));
  const first = 'xl/worksheets/sheet1.xml';
  if (found.length === 0 && entries.has(first))
    sheets.push({ name: listed[0]?.name ?? '', path: first, isHidden: false });
  return { sheets, hidden: found.filter(({ isHidden }) => isAnyVisible && isHidden), startsIn1904 };
}

async function readSharedStrings(
  file: WorkbookSource,
  entries: Map<string, Entry>,
  maxCharacters: number,
): Promise<string[]> {
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
        if (total > maxCharacters) throw new BrokenWorkbook('not a workbook');
      }
    }
  }
  return strings;
}

const maxMerged = 100_000;

async function findMerged(file: WorkbookSource, sheet: Entry): Promise<MergedCells> {
  const found: Area[] = [];
  let rest = '';
  // Reading the rows checks the sum.
  for await (const text of entryText(file, sheet, false)) {
    rest += text;
    for (const [, reference = ''] of rest.includes('mergeCell')
      ? rest.matchAll(/mergeCell\s[^>]*?ref="([^"]+)"/g)
      : []) {
      const area = areaOf(reference);
      if (area && area.lastLine > area.line && area.column < maxColumns) found.push(area);
    }
    rest = rest.slice(rest.lastIndexOf('>') + 1);
    if (rest.length > maxTokenCharacters || found.length > maxMerged) throw new BrokenWorkbook('not a workbook');
  }
  return Map.groupBy(found, ({ line }) => line);
}

/** Of `A2:B4`; undefined for a single cell. */
function areaOf(reference: string): Area | undefined {
  const [, from, line, to, lastLine] = /^([A-Z]+)(\d+):([A-Z]+)(\d+)$/.exec(reference) ?? [];
  if (!from || !to) return undefined;
  return { column: columnIndex(from), line: Number(line), lastColumn: columnIndex(to), lastLine: Number(lastLine) };
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

/** Whether a ZIP is a workbook, and not one of files. */
export async function isWorkbook(file: WorkbookSource): Promise<boolean> {
  try {
    return (await readEntries(file)).has('xl/workbook.xml');
  } catch (error) {
    if (isBroken(error)) return false;
    throw error;
  }
}

/** A broken archive fails in the platform's own inflater or out of a view's bounds. */
const isBroken = (error: unknown) =>
  error instanceof BrokenWorkbook || error instanceof TypeError || error instanceof RangeError;

async function orBroken<Result>(read: Promise<Result>): Promise<Result> {
  return read.catch((error: unknown) => {
    throw isBroken(error) ? new BrokenWorkbook('not a workbook', { cause: error }) : error;
  });
}

/**
 * @param limits of what is held in memory: names of more characters than `sharedCharacters` in all are no table of this
 * kind; a crafted archive could hold gigabytes
 * @throws BrokenWorkbook
 */
export async function openWorkbook(file: WorkbookSource, limits: { sharedCharacters: number }): Promise<Workbook> {
  return orBroken(open(file, limits));
}

async function open(file: WorkbookSource, limits: { sharedCharacters: number }): Promise<Workbook> {
  const entries = await readEntries(file);
  const { sheets, hidden, startsIn1904 } = await findSheets(file, entries);
  if (sheets.length === 0) throw new BrokenWorkbook('no sheet');
  const strings = await readSharedStrings(file, entries, limits.sharedCharacters);
  const entryOf = (index: number): Entry => {
    const sheet = entries.get([...sheets, ...hidden][index]?.path ?? '');
    if (!sheet) throw new BrokenWorkbook('no such sheet');
    return sheet;
  };
  return {
    sheets: sheets.map(({ name }) => name),
    hiddenSheets: hidden.map(({ name }) => name),
    startsIn1904,
    findMerged: (index = 0) => orBroken(findMerged(file, entryOf(index))),
    async *rows(index = 0, merged = new Map()) {
      const rows = sheetRows(file, entryOf(index), strings, merged);
      try {
        for (;;) {
          const { done, value } = await orBroken(rows.next());
          if (done) return;
          yield value;
        }
      } finally {
        await rows.return(undefined);
      }
    },
  };
}

async function* sheetRows(
  file: WorkbookSource,
  sheet: Entry,
  strings: string[],
  merged: MergedCells,
): AsyncGenerator<WorkbookRow[], undefined> {
  let row: WorkbookRow = { line: 0, cells: [], formulas: [], repeated: none, isHidden: false };
  // The results of an array formula stand in cells that have none of their own.
  let arrays: Area[] = [];
  const running: Running = new Map();
  let column = 0;
  let type = 'n';
  let value = '';
  let isValue = false;
  let isFormula = false;
  let isWhole = false;
  for await (const tokens of xmlTokens(entryText(file, sheet))) {
    const rows: WorkbookRow[] = [];
    for (const token of tokens) {
      if (token.kind === 'text') {
        if (isValue) value += token.text;
        continue;
      }
      const isOpen = token.kind === 'open';
      if (token.name === 'c') {
        if (isOpen) {
          const reference = attribute(token.attributes, 'r');
          if (reference) column = columnIndex(reference);
          type = attribute(token.attributes, 't') ?? 'n';
          value = '';
          isFormula = false;
        }
        if (!isOpen || token.isEmpty) {
          if (column >= 0 && column < maxColumns) {
            if (isFormula || (arrays.length > 0 && arrays.some((area) => isWithin(area, column, row.line))))
              row.formulas.push(column);
            if (value !== '') {
              while (row.cells.length < column) row.cells.push('');
              row.cells[column] = cellOf(type, value, strings);
            }
          }
          column++;
        }
      } else if (token.name === 'v' || token.name === 't') isValue = isOpen && !token.isEmpty;
      else if (token.name === 'f') {
        isFormula = true;
        const area = isOpen && !/\st\s*=\s*["']shared/.test(token.attributes) && attribute(token.attributes, 'ref');
        if (area) arrays = [...arrays, areaOf(area)].filter((one) => one !== undefined);
        if (arrays.length > maxColumns) throw new BrokenWorkbook('not a workbook');
      } else if (token.name === 'row') {
        if (isOpen) {
          const line = Number(attribute(token.attributes, 'r') ?? row.line + 1);
          row = {
            line: Number.isSafeInteger(line) ? line : row.line + 1,
            cells: [],
            formulas: [],
            repeated: none,
            isHidden: ['1', 'true'].includes(attribute(token.attributes, 'hidden') ?? ''),
          };
          column = 0;
          if (arrays.length > 0) arrays = arrays.filter(({ lastLine }) => lastLine >= row.line);
        }
        if (!isOpen || token.isEmpty) {
          if (merged.size > 0) repeatMerged(row, merged.get(row.line) ?? [], running);
          rows.push(row);
        }
      } else if (token.name === 'sheetData' && (!isOpen || token.isEmpty)) isWhole = true;
    }
    if (rows.length > 0) yield rows;
  }
  if (!isWhole) throw new BrokenWorkbook('the sheet is cut');
}

const isWithin = (area: Area, column: number, line: number) =>
  line >= area.line && line <= area.lastLine && column >= area.column && column <= area.lastColumn;

const none: readonly number[] = [];
/** Merged cells that reach further down, by their column. */
type Running = Map<number, { lastLine: number; cell: Cell | undefined }>;

function repeatMerged(row: WorkbookRow, begun: readonly Area[], running: Running): void {
  const { line, cells } = row;
  // A row without a cell of its own is no row.
  const above = cells.length === 0 ? [] : [...running].filter(([, { lastLine }]) => lastLine >= line);
  for (const { column, lastLine } of begun) running.set(column, { lastLine, cell: cells[column] });
  for (const [column, { cell = '' }] of above) {
    while (cells.length < column) cells.push('');
    cells[column] = cell;
  }
  row.repeated = above.map(([column]) => column);
}

function cellOf(type: string, value: string, strings: string[]): Cell {
  if (type === 's') return strings[Number(value)] ?? '';
  if (type === 'n') return { number: numberText(value.trim()) };
  return value;
}
