import { type Cell, cellText } from '@regie/tables/cell.ts';
import { columnKey } from '#src/lib/tables/reading.ts';
import type { TableShape } from './csv-table.ts';

/** Not accented: it is a column of a file that is imported again. */
const reasonColumn = 'raison';

export const unsavedFileName = 'unsaved-reports.csv';
export const templateFileName = 'modele-rapports.csv';

/** Text that a spreadsheet would run as a formula is disarmed; numbers stay numbers (decisions §6). */
function disarm(text: string): string {
  return /^[=+\-@\t\r]/.test(text) && !/^[+-]?[\d.,\s\u00A0\u202F]+(?:e[+-]?\d+)?$/iu.test(text) ? `'${text}` : text;
}

function csvCell(text: string, delimiter: string): string {
  const safe = disarm(text);
  return /["\n\r]/.test(safe) || safe.includes(delimiter) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function csvLine(cells: readonly string[], delimiter: string): string {
  return `${cells.map((cell) => csvCell(cell, delimiter)).join(delimiter)}\r\n`;
}

const flushCharacters = 1_000_000;

/**
 * The file of the rows that were not saved: the file's own columns plus the reason, so that it can be
 * corrected and imported itself. Finished parts are handed to the browser as blobs, which it keeps out of
 * memory; batches may come in any order, the rows stand in the order of the file.
 */
export class UnsavedFile {
  readonly #header: string[];
  readonly #delimiter: string;
  /** Where an earlier reason stands when the file imported is itself one of unsaved rows. */
  readonly #oldReason: number;
  readonly #parts: Blob[] = [];
  readonly #early = new Map<number, string>();
  #buffer = '';
  #nextBatch = 0;
  #rowCount = 0;

  constructor(shape: TableShape) {
    this.#header = shape.header;
    this.#delimiter = shape.kind === 'text' ? shape.delimiter : ';';
    this.#oldReason = shape.header.findIndex((name) => columnKey(name) === reasonColumn);
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  /** Adds a batch's unsaved rows; every batch is added once, without rows when all were saved. */
  add(batch: number, rows: readonly { cells: readonly Cell[]; reason: string }[]): void {
    this.#rowCount += rows.length;
    const width = this.#header.length;
    const lines = rows.map(({ cells, reason }) => {
      const texts = cells.map(cellText);
      while (texts.length < width) texts.push('');
      // A row that is too long keeps its cells, glued to the last one, so that the reason has its column.
      const kept = texts.slice(0, width);
      const beyond = texts.slice(width).filter((text) => text !== '');
      if (beyond.length > 0) kept[width - 1] = [kept[width - 1] ?? '', ...beyond].join(this.#delimiter);
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
    const header = this.#line(this.#header, reasonColumn);
    return new Blob(['\uFEFF', header, ...this.#parts], { type: 'text/csv;charset=utf-8' });
  }

  #line(texts: string[], reason: string): string {
    const own = this.#oldReason < 0 ? texts : texts.filter((_, index) => index !== this.#oldReason);
    return csvLine([...own, reason], this.#delimiter);
  }

  #flush(): void {
    if (this.#buffer) this.#parts.push(new Blob([this.#buffer]));
    this.#buffer = '';
  }
}

/** The template: every column understood and one line of example. */
export function templateBlob(): Blob {
  const header = ['isrc', 'streams', 'incomeofstreams', 'downloads', 'incomeofdownloads', 'youtube', 'incomeofyoutube'];
  const example = ['FRX202400001', '1250', '4,3125', '3', '2,10', '860', '0,9460'];
  return new Blob(['\uFEFF', csvLine(header, ';'), csvLine(example, ';')], { type: 'text/csv;charset=utf-8' });
}
