import { containsRows } from '@regie/values/quoted-rows.ts';
import { StatementRefusal } from './refusal.ts';

export type Delimiter = ',' | ';' | '\t' | '|';

/** A row of a file, valid until the next one. */
export interface FileRow {
  /** Line where it starts, from 1. */
  line: number;
  count: number;
  cell: (index: number) => string;
}

const quote = 34;
const carriageReturn = 13;
const comma = 44;
const maxCells = 1000;
/** `"1,234.50" EUR`, as Apple writes a total. */
const quotedNumber = /^"[-+\d.,]+" ?[A-Z]{3}\r?$/;
/** An unclosed quote swallows the following text; no valid row is this long. */
const maxRowCharacters = 1_000_000;

/**
 * Splits text into rows and cells by RFC 4180; with tabs, a quote only counts when it starts and ends a cell. A quote
 * that would swallow rows is text itself. Cells are created on demand.
 */
export class RecordScanner implements FileRow {
  line = 1;
  count = 0;
  readonly #delimiter: Delimiter;
  readonly #hasQuotes: boolean;
  readonly #width: number;
  readonly #onRow: (row: FileRow) => void;
  readonly #starts = new Int32Array(maxCells);
  readonly #ends = new Int32Array(maxCells);
  /** 1: quoted; 2: quoted with doubled quotes inside; 3: a quoted number and its currency. */
  readonly #quoted = new Uint8Array(maxCells);
  #text = '';
  #rest = '';
  #nextLine: number;

  /** @param width number of columns, once it is known; `firstLine` is the line of the first row */
  constructor(
    delimiter: Delimiter,
    onRow: (row: FileRow) => void,
    { width = 0, firstLine = 1 }: { width?: number; firstLine?: number } = {},
  ) {
    this.#nextLine = firstLine;
    this.#width = width;
    this.#delimiter = delimiter;
    this.#hasQuotes = delimiter !== '\t';
    this.#onRow = onRow;
  }

  get nextLine(): number {
    return this.#nextLine;
  }

  /** The text after the last line end. */
  get rest(): string {
    return this.#rest;
  }

  /** @throws StatementRefusal for invalid quotes, and whatever `onRow` throws */
  push(text: string): void {
    const all = this.#rest + text;
    // No row ends in it; scanning a very long row again with each piece would take minutes.
    if (all.length <= maxRowCharacters && !text.includes('\n')) this.#rest = all;
    else this.#scan(all, false);
  }

  end(): void {
    this.#scan(this.#rest, true);
  }

  cell(index: number): string {
    if (index >= this.count) return '';
    const start = this.#starts[index] ?? 0;
    const end = this.#ends[index] ?? 0;
    const cell = this.#text.slice(start, end);
    if (this.#quoted[index] === 3) return cell.replaceAll('"', '');
    if (this.#quoted[index] === 2) return cell.replaceAll('""', '"');
    if (
      !this.#hasQuotes &&
      end - start > 1 &&
      cell.charCodeAt(0) === quote &&
      cell.charCodeAt(end - start - 1) === quote
    ) {
      return cell.slice(1, -1).replaceAll('""', '"');
    }
    return cell;
  }

  #scan(text: string, isFinal: boolean): void {
    // `indexOf` is several times faster than comparing characters one by one.
    const delimiter = this.#delimiter;
    const delimiterCode = delimiter.charCodeAt(0);
    const starts = this.#starts;
    const ends = this.#ends;
    const quoted = this.#quoted;
    const { length } = text;
    this.#text = text;
    let at = 0;
    let next = text.indexOf(delimiter);
    if (next < 0) next = length;
    /** The quotes that are text. */
    const literal = new Set<number>();
    while (at < length) {
      const rowStart = at;
      let opening = -1;
      let rowEnd = text.indexOf('\n', at);
      let count = 0;
      let extraLines = 0;
      for (;;) {
        if (rowEnd < 0) {
          if (!isFinal) {
            if (length - rowStart > maxRowCharacters) throw this.#endless(rowStart === at, extraLines);
            this.#rest = text.slice(rowStart);
            return;
          }
          rowEnd = length;
        }
        let end: number;
        if (this.#hasQuotes && text.charCodeAt(at) === quote && !literal.has(at)) {
          let close = at;
          let mark = 1;
          for (;;) {
            close = text.indexOf('"', close + 1);
            if (close < 0 || (close === length - 1 && !isFinal)) {
              if (isFinal || length - rowStart > maxRowCharacters) throw this.#endless(false, extraLines);
              this.#rest = text.slice(rowStart);
              return;
            }
            if (text.charCodeAt(close + 1) !== quote) break;
            mark = 2;
            close++;
          }
          if (rowEnd >= 0 && rowEnd < close && opening < 0) opening = at;
          for (; rowEnd >= 0 && rowEnd < close; rowEnd = text.indexOf('\n', rowEnd + 1)) extraLines++;
          if (rowEnd < 0 && !isFinal) continue;
          if (rowEnd < 0) rowEnd = length;
          starts[count] = at + 1;
          ends[count] = close;
          quoted[count] = mark;
          end = close + 1;
          if (next < end) next = find(text, delimiter, end);
          // A row quoted whole by another program may end with that program's delimiters.
          const isLast =
            end === rowEnd ||
            (end === rowEnd - 1 && text.charCodeAt(end) === carriageReturn) ||
            (count === 0 && isOnlyCommas(text, end, rowEnd));
          if (!isLast && text.charCodeAt(end) !== delimiterCode) {
            end = Math.min(next, rowEnd);
            if (!quotedNumber.test(text.slice(at, end))) {
              throw new StatementRefusal('Un guillemet est mal placé', this.#nextLine + extraLines);
            }
            starts[count] = at;
            ends[count] = end;
            quoted[count] = 3;
          }
          if (isLast) end = rowEnd;
        } else {
          if (next < at) next = find(text, delimiter, at);
          end = next < rowEnd ? next : rowEnd;
          starts[count] = at;
          ends[count] = end === rowEnd && end > at && text.charCodeAt(end - 1) === carriageReturn ? end - 1 : end;
          quoted[count] = 0;
        }
        count++;
        at = end + 1;
        if (end === rowEnd) break;
        if (count === maxCells) {
          throw new StatementRefusal(`Cette ligne a plus de ${maxCells} colonnes`, this.#nextLine);
        }
        if (next < at) next = find(text, delimiter, at);
      }
      this.line = this.#nextLine;
      this.count = count;
      if (opening >= 0 && containsRows(allCells(this), this.#width, delimiter)) {
        literal.add(opening);
        at = rowStart;
        next = find(text, delimiter, at);
        continue;
      }
      this.#nextLine += 1 + extraLines;
      this.#onRow(this);
    }
    this.#rest = '';
  }

  #endless(isRow: boolean, extraLines: number): StatementRefusal {
    return isRow
      ? new StatementRefusal('Cette ligne n’a pas de fin', this.#nextLine)
      : new StatementRefusal('Un guillemet n’est jamais refermé', this.#nextLine + extraLines);
  }
}

export const allCells = (row: FileRow): string[] => Array.from({ length: row.count }, (_, index) => row.cell(index));

function isOnlyCommas(text: string, from: number, to: number): boolean {
  for (let index = from; index < to; index++) {
    const code = text.charCodeAt(index);
    if (code !== comma && code !== carriageReturn) return false;
  }
  return true;
}

function find(text: string, delimiter: string, from: number): number {
  const found = text.indexOf(delimiter, from);
  return found < 0 ? text.length : found;
}
