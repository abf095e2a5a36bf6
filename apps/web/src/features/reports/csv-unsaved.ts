import { type Cell, cellText } from '@regie/tables/cell.ts';
import { csvLine, csvStart, escapeFormula } from '#src/lib/table-file.ts';
import { columnKey } from '#src/lib/tables/reading.ts';
import type { Columns } from './csv-columns.ts';
import { type NumberFormat, readDecimal } from './csv-numbers.ts';
import { type FormatChoice, isValueField } from './csv-rows.ts';

/** Not accented: it is a column of a file that is imported again. */
const reasonColumn = 'raison';

export const unsavedFileName = 'unsaved-reports.csv';

/** The template's columns and its line of example. */
export const templateExample = {
  isrc: 'FRX202400001',
  streams: 1250,
  incomeofstreams: 4.3125,
  downloads: 3,
  incomeofdownloads: 2.1,
  youtube: 860,
  incomeofyoutube: 0.946,
};

/** Numbers stay numbers, also those of columns that are not read (product §36.5). */
const safeText = (text: string): string => (/^[+-]?[\d.,\s]+(?:e[+-]?\d+)?$/iu.test(text) ? text : escapeFormula(text));

const flushCharacters = 1_000_000;

/**
 * The file of the rows that were not saved: the file's own columns plus the reason, so that it can be
 * corrected and imported itself. It is written as French Excel reads it, whatever the file was. Finished parts are handed to the browser as blobs, which it keeps out of
 * memory; batches may come in any order, the rows stand in the order of the file.
 */
export class UnsavedFile {
  readonly #header: string[];
  /** Of the columns that hold numbers. */
  readonly #formats: readonly (NumberFormat | undefined)[];
  /** Where an earlier reason stands when the file imported is itself one of unsaved rows. */
  readonly #oldReason: number;
  readonly #parts: Blob[] = [];
  readonly #early = new Map<number, string>();
  #buffer = '';
  #nextBatch = 0;
  #rowCount = 0;

  constructor(header: string[], columns: Columns, formats: FormatChoice) {
    this.#header = header;
    this.#formats = columns.fields.map((field) => (isValueField(field) ? (formats[field] ?? 'dot') : undefined));
    this.#oldReason = header.findIndex((name) => columnKey(name) === reasonColumn);
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  /** Adds a batch's unsaved rows; every batch is added once, without rows when all were saved. */
  add(batch: number, rows: readonly { cells: readonly Cell[]; reason: string }[]): void {
    this.#rowCount += rows.length;
    const width = this.#header.length;
    const lines = rows.map(({ cells, reason }) => {
      const texts = cells.map((cell, index) => this.#text(cell, this.#formats[index]));
      while (texts.length < width) texts.push('');
      // A row that is too long keeps its cells, glued to the last one, so that the reason has its column.
      const kept = texts.slice(0, width);
      const beyond = texts.slice(width).filter((text) => text !== '');
      if (beyond.length > 0) kept[width - 1] = [kept[width - 1] ?? '', ...beyond].join(';');
      return this.#line(kept, reason);
    });
    this.#early.set(batch, lines.join(''));
    for (let text = this.#early.get(this.#nextBatch); text !== undefined; text = this.#early.get(this.#nextBatch)) {
      this.#early.delete(this.#nextBatch++);
      this.#buffer += text;
      if (this.#buffer.length >= flushCharacters) this.#flush();
    }
  }

  /** The whole file; undefined when every row was saved. */
  toBlob(): Blob | undefined {
    if (this.#rowCount === 0) return undefined;
    for (const batch of [...this.#early.keys()].sort((a, b) => a - b)) {
      this.#buffer += this.#early.get(batch) ?? '';
      this.#early.delete(batch);
    }
    this.#flush();
    const header = csvStart([...this.#withoutReason(this.#header), reasonColumn]);
    return new Blob([header, ...this.#parts], { type: 'text/csv;charset=utf-8' });
  }

  #line(texts: string[], reason: string): string {
    return csvLine([...this.#withoutReason(texts), reason].map(safeText));
  }

  #withoutReason(texts: string[]): string[] {
    return this.#oldReason < 0 ? texts : texts.filter((_, index) => index !== this.#oldReason);
  }

  /** A number with a decimal comma; what is to be corrected stays as it is. */
  #text(cell: Cell, format: NumberFormat | undefined): string {
    const decimal = format === undefined && typeof cell === 'string' ? undefined : readDecimal(cell, format ?? 'dot');
    return decimal?.replace('.', ',') ?? cellText(cell);
  }

  #flush(): void {
    if (this.#buffer) this.#parts.push(new Blob([this.#buffer]));
    this.#buffer = '';
  }
}
