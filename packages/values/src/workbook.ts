import { type Cell, numberText } from './cell.ts';
import { once } from './formats.ts';

/** Reads the sheets of an .xlsx workbook row by row, in browser and server; only shared strings are held in memory. */
export interface WorkbookFiles {
  /** In lower case. */
  names: ReadonlySet<string>;
  /** Inflated and checked. @throws BrokenWorkbook */
  read: (name: string) => AsyncIterable<Uint8Array>;
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

async function* textOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const piece of bytes) yield decoder.decode(piece, { stream: true });
  yield decoder.decode();
}

type XmlToken =
  | { kind: 'open'; name: string; attributes: string; isEmpty: boolean }
  | { kind: 'close'; name: string }
  | { kind: 'text'; text: string };

/** A spreadsheet's XML as tokens; declarations, comments and processing instructions are skipped. */
async function* xmlTokens(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<XmlToken[]> {
  let rest = '';
  for await (const text of textOf(bytes)) {
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

const attributePattern = once((name: string) => new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`));

function attribute(attributes: string, name: string): string | undefined {
  // As they are nearly always written, several times faster than the pattern.
  const at = attributes.indexOf(` ${name}="`);
  if (at >= 0) {
    const start = at + name.length + 3;
    return unescapeXml(attributes.slice(start, attributes.indexOf('"', start)));
  }
  if (!attributes.includes(name)) return undefined;
  const match = attributePattern(name).exec(attributes);
  const value = match?.[1] ?? match?.[2];
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

async function* openTags(bytes: AsyncIterable<Uint8Array>) {
  for await (const tokens of xmlTokens(bytes)) for (const token of tokens) if (token.kind === 'open') yield token;
}

/** The sheets and `sheet1.xml`'s place: the workbook lists its sheets, its relations say where each is. */
async function findSheets({ names, read }: WorkbookFiles) {
  const listed: { name: string; relation: string | undefined; isHidden: boolean }[] = [];
  let startsIn1904 = false;
  if (names.has('xl/workbook.xml')) {
    for await (const { name: tag, attributes } of openTags(read('xl/workbook.xml'))) {
      if (tag === 'workbookPr') startsIn1904 = ['1', 'true'].includes(attribute(attributes, 'date1904') ?? '');
      if (tag !== 'sheet') continue;
      const name = attribute(attributes, 'name') ?? '';
      const relation = /\s\w+:id\s*=\s*["']([^"']+)["']/.exec(attributes)?.[1];
      const isHidden = /^(?:hidden|veryHidden)$/.test(attribute(attributes, 'state') ?? '');
      listed.push({ name, relation, isHidden });
    }
  }
  const targets = new Map<string, string>();
  if (names.has('xl/_rels/workbook.xml.rels')) {
    for await (const { name, attributes } of openTags(read('xl/_rels/workbook.xml.rels'))) {
      if (name !== 'Relationship') continue;
      const target = attribute(attributes, 'Target') ?? '';
      const path = (target.startsWith('/') ? target.slice(1) : `xl/${target}`).toLowerCase();
      targets.set(attribute(attributes, 'Id') ?? '', path);
    }
  }
  const found = listed.flatMap(({ name, relation, isHidden }) => {
    const path = targets.get(relation ?? '');
    // A sheet of a chart has no rows.
    return path !== undefined && !path.includes('chartsheets/') && names.has(path) ? [{ name, path, isHidden }] : [];
  });
  // A workbook shows at least one of its sheets; of one that does not, all are read.
  const isAnyVisible = found.some(({ isHidden }) => !isHidden);
  const sheets = found.filter(({ isHidden }) => !(isAnyVisible && isHidden));
  const first = 'xl/worksheets/sheet1.xml';
  if (found.length === 0 && names.has(first))
    sheets.push({ name: listed[0]?.name ?? '', path: first, isHidden: false });
  return { sheets, hidden: found.filter(({ isHidden }) => isAnyVisible && isHidden), startsIn1904 };
}

async function readSharedStrings({ names, read }: WorkbookFiles, maxCharacters: number): Promise<string[]> {
  const strings: string[] = [];
  if (!names.has('xl/sharedstrings.xml')) return strings;
  let current = '';
  let total = 0;
  let isText = false;
  let isPhonetic = false;
  for await (const tokens of xmlTokens(read('xl/sharedstrings.xml'))) {
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

async function findMerged(sheet: AsyncIterable<Uint8Array>): Promise<MergedCells> {
  const areas: Area[] = [];
  let rest = '';
  for await (const text of textOf(sheet)) {
    rest += text;
    for (const [, reference = ''] of rest.includes('mergeCell')
      ? rest.matchAll(/mergeCell\s[^>]*?ref="([^"]+)"/g)
      : []) {
      const area = areaOf(reference);
      if (area && area.lastLine > area.line && area.column < maxColumns) areas.push(area);
    }
    rest = rest.slice(rest.lastIndexOf('>') + 1);
    if (rest.length > maxTokenCharacters || areas.length > maxMerged) throw new BrokenWorkbook('not a workbook');
  }
  return Map.groupBy(areas, ({ line }) => line);
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

/** A broken archive fails in the platform's own inflater or out of a view's bounds. */
async function orBroken<Result>(read: Promise<Result>): Promise<Result> {
  return read.catch((error: unknown) => {
    throw error instanceof TypeError || error instanceof RangeError
      ? new BrokenWorkbook('not a workbook', { cause: error })
      : error;
  });
}

/**
 * @param limits of what is held in memory: names of more characters than `sharedCharacters` in all are no table of this
 * kind; a crafted archive could hold gigabytes
 * @throws BrokenWorkbook
 */
export async function openWorkbook(
  archive: Promise<WorkbookFiles>,
  limits: { sharedCharacters: number },
): Promise<Workbook> {
  return orBroken(open(archive, limits));
}

async function open(archive: Promise<WorkbookFiles>, limits: { sharedCharacters: number }): Promise<Workbook> {
  const files = await archive;
  const { sheets, hidden, startsIn1904 } = await findSheets(files);
  if (sheets.length === 0) throw new BrokenWorkbook('no sheet');
  const strings = await readSharedStrings(files, limits.sharedCharacters);
  const readSheet = (index: number) => {
    const sheet = [...sheets, ...hidden][index];
    if (!sheet) throw new BrokenWorkbook('no such sheet');
    return files.read(sheet.path);
  };
  return {
    sheets: sheets.map(({ name }) => name),
    hiddenSheets: hidden.map(({ name }) => name),
    startsIn1904,
    findMerged: (index = 0) => orBroken(findMerged(readSheet(index))),
    async *rows(index = 0, merged = new Map()) {
      const rows = sheetRows(readSheet(index), strings, merged);
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
  sheet: AsyncIterable<Uint8Array>,
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
  for await (const tokens of xmlTokens(sheet)) {
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
