import { type Cell, cellText } from '@regie/values/cell.ts';
import { foldName } from '@regie/values/search-text.ts';
import { csvLine, csvStart, escapeFormula } from '#src/lib/table-file.ts';
import type { Columns } from './csv-columns.ts';
import { type NumberFormat, readDecimal } from './csv-numbers.ts';
import { type FormatChoice, isValueField } from './csv-rows.ts';

/** Without accents: it is a column of an importable file. */
const reasonColumn = 'raison';

export const unsavedFileName = 'unsaved-reports.csv';

export const templateExample = {
  isrc: 'FRX202400001',
  streams: 1250,
  incomeofstreams: 4.3125,
  downloads: 3,
  incomeofdownloads: 2.1,
  youtube: 860,
  incomeofyoutube: 0.946,
};

/** Numbers stay numbers, also in ignored columns (product §36.5). */
const safeText = (text: string): string => (/^[+-]?[\d.,\s]+(?:e[+-]?\d+)?$/iu.test(text) ? text : escapeFormula(text));

const flushCharacters = 1_000_000;

/** The original columns and the reason. Parts become blobs, to save memory; batches may arrive in any order. */
export class UnsavedFile {
  readonly #header: string[];
  readonly #formats: readonly (NumberFormat | undefined)[];
  readonly #oldReason: number;
  readonly #parts: Blob[] = [];
  readonly #early = new Map<number, string>();
  #buffer = '';
  #nextBatch = 0;
  #rowCount = 0;

  constructor(header: string[], columns: Columns, formats: FormatChoice) {
    this.#header = header;
    this.#formats = columns.fields.map((field) => (isValueField(field) ? (formats[field] ?? 'dot') : undefined));
    this.#oldReason = header.findIndex((name) => foldName(name) === reasonColumn);
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  add(batch: number, rows: readonly { cells: readonly Cell[]; reason: string }[]): void {
    this.#rowCount += rows.length;
    const width = this.#header.length;
    const lines = rows.map(({ cells, reason }) => {
      const texts = cells.map((cell, index) => this.#text(cell, this.#formats[index]));
      while (texts.length < width) texts.push('');
      // The extra cells of a too long row are joined to its last one, so that the reason has its column.
      const firstCells = texts.slice(0, width);
      const beyond = texts.slice(width).filter((text) => text !== '');
      if (beyond.length > 0) firstCells[width - 1] = [firstCells[width - 1] ?? '', ...beyond].join(';');
      return this.#line(firstCells, reason);
    });
    this.#early.set(batch, lines.join(''));
    for (let text = this.#early.get(this.#nextBatch); text !== undefined; text = this.#early.get(this.#nextBatch)) {
      this.#early.delete(this.#nextBatch++);
      this.#buffer += text;
      if (this.#buffer.length >= flushCharacters) this.#flush();
    }
  }

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

  #text(cell: Cell, format: NumberFormat | undefined): string {
    const decimal = format === undefined && typeof cell === 'string' ? undefined : readDecimal(cell, format ?? 'dot');
    return decimal?.replace('.', ',') ?? cellText(cell);
  }

  #flush(): void {
    if (this.#buffer) this.#parts.push(new Blob([this.#buffer]));
    this.#buffer = '';
  }
}
