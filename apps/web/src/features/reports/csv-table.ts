import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { fr } from '#src/fr.ts';
import { type Cell, cellText, isBlankRow } from './csv-cell.ts';
import { type Columns, readHeader, type ValueField, valueFields } from './csv-columns.ts';
import { NumberColumn, type Shape } from './csv-numbers.ts';
import { CsvRefusal } from './csv-refusal.ts';
import { isValueField } from './csv-rows.ts';
import {
  type Delimiter,
  findDelimiter,
  markedEncoding,
  parseRows,
  readBytes,
  readText,
  type TextEncoding,
  WrongEncoding,
} from './csv-text.ts';
import { workbookRows } from './csv-workbook.ts';

const acceptedTypes = new Set(['text/csv', 'text/comma-separated-values', 'application/vnd.ms-excel']);
const workbookTypes = /^application\/vnd\.openxmlformats-officedocument\.spreadsheetml\./;

/** Specification 2 §5; a browser that gives no type is helped by the file's extension. */
export function isAcceptedFile(file: { name: string; type: string }): boolean {
  const type = file.type.toLowerCase().split(';')[0] ?? '';
  if (type === '') return /\.(csv|xlsx)$/i.test(file.name);
  return acceptedTypes.has(type) || workbookTypes.test(type);
}

/** How a file is to be read; settled by the first pass, so that the second reads the very same rows. */
export type TableShape =
  | { kind: 'text'; encoding: TextEncoding; delimiter: Delimiter; header: string[] }
  | { kind: 'workbook'; header: string[] };

export interface ColumnStatistics {
  field: ValueField;
  name: string;
  counts: Partial<Record<Shape, number>>;
  samples: Partial<Record<Shape, string>>;
}

export interface TableAnalysis {
  shape: TableShape;
  columns: Columns;
  statistics: ColumnStatistics[];
  /** SHA-256 of the file's bytes, hexadecimal: the import's name on the server. */
  sha256: string;
  rowCount: number;
  /** Rows with fewer or more cells than the header. */
  unevenRowCount: number;
  preview: string[][];
}

const previewRows = 20;
const startCharacters = 64 * 1024;
const legacyExcel = [0xd0, 0xcf, 0x11, 0xe0];
const zip = [0x50, 0x4b, 0x03, 0x04];

async function startOf(file: Blob): Promise<Uint8Array> {
  return new Uint8Array(await file.slice(0, 8).arrayBuffer());
}

const startsWith = (bytes: Uint8Array, signature: number[]) => signature.every((byte, index) => bytes[index] === byte);

/** SHA-256 of the whole file in constant memory; `onBytes` hears how far it is. */
async function hashFile(file: Blob, onBytes?: (bytes: number) => void): Promise<string> {
  const hash = sha256.create();
  let total = 0;
  for await (const bytes of readBytes(file)) {
    hash.update(bytes);
    total += bytes.length;
    onBytes?.(total);
  }
  return bytesToHex(hash.digest());
}

async function findTextShape(file: Blob, encoding: TextEncoding) {
  let start = '';
  for await (const text of readText(file, encoding)) {
    start += text;
    if (start.length >= startCharacters && start.trim().includes('\n')) break;
  }
  return { kind: 'text' as const, encoding, delimiter: findDelimiter(start) };
}

type Reading = { kind: 'text'; encoding: TextEncoding; delimiter: Delimiter } | { kind: 'workbook' };

/** Every row that is not blank, the header first. */
async function* filledRows(file: Blob, reading: Reading): AsyncGenerator<Cell[][]> {
  const source =
    reading.kind === 'workbook' ? workbookRows(file) : parseRows(readText(file, reading.encoding), reading.delimiter);
  let width: number | undefined;
  for await (const rows of source) {
    const filled = rows.filter((row) => !isBlankRow(row));
    width ??= filled[0]?.length;
    // A workbook does not store trailing empty cells, so its rows are never too short.
    if (reading.kind === 'workbook' && width !== undefined)
      for (const row of filled) while (row.length < width) row.push('');
    if (filled.length > 0) yield filled;
  }
}

/**
 * First pass: reads the whole file once, tells what its columns hold, and settles how it is to be read.
 * @throws CsvRefusal when the file as a whole cannot be imported
 */
export async function analyseTable(file: Blob, onBytes?: (bytes: number) => void): Promise<TableAnalysis> {
  const start = await startOf(file);
  if (startsWith(start, legacyExcel)) throw new CsvRefusal(fr.reports.csv.legacyExcel);
  const hash = await hashFile(file, onBytes);
  if (startsWith(start, zip)) return analyseRows(file, { kind: 'workbook' }, hash);
  const encoding = markedEncoding(start) ?? 'utf-8';
  try {
    return await analyseRows(file, await findTextShape(file, encoding), hash);
  } catch (error) {
    if (!(error instanceof WrongEncoding)) throw error;
    // Not Unicode: what Western Windows writes, where every byte has a meaning.
    return analyseRows(file, await findTextShape(file, 'windows-1252'), hash);
  }
}

async function analyseRows(file: Blob, reading: Reading, hash: string): Promise<TableAnalysis> {
  let columns: Columns | undefined;
  let header: string[] = [];
  const statistics = new Map<number, NumberColumn>();
  const preview: string[][] = [];
  let rowCount = 0;
  let unevenRowCount = 0;
  for await (const rows of filledRows(file, reading)) {
    let first = 0;
    if (!columns) {
      header = trimHeader(rows[0] ?? []);
      columns = readHeader(header);
      first = 1;
      for (const [index, field] of columns.fields.entries())
        if (isValueField(field)) statistics.set(index, new NumberColumn());
    }
    for (let at = first; at < rows.length; at++) {
      const row = rows[at] ?? [];
      rowCount++;
      if (preview.length < previewRows) preview.push(header.map((_, index) => cellText(row[index])));
      if (isUneven(row, header.length)) unevenRowCount++;
      else for (const [index, column] of statistics) column.add(row[index]);
    }
  }
  if (!columns || rowCount === 0) throw new CsvRefusal(fr.reports.csv.noRows);
  const fields = columns.fields;
  return {
    shape: { ...reading, header },
    columns,
    statistics: valueFields.flatMap((field) => {
      const index = fields.indexOf(field);
      const column = statistics.get(index);
      return column
        ? [{ field, name: (header[index] ?? '').trim(), counts: column.counts, samples: column.samples }]
        : [];
    }),
    sha256: hash,
    rowCount,
    unevenRowCount,
    preview,
  };
}

/** A trailing delimiter in the header line names no column. */
function trimHeader(row: readonly Cell[]): string[] {
  const header = row.map((cell) => cellText(cell));
  while (header.length > 0 && header.at(-1)?.trim() === '') header.pop();
  return header;
}

function isUneven(row: readonly Cell[], width: number): boolean {
  if (row.length < width) return true;
  for (let index = width; index < row.length; index++) if (cellText(row[index]).trim() !== '') return true;
  return false;
}

export interface TableBatch {
  index: number;
  rows: Cell[][];
}

/** Second pass: the data rows in file order, in batches of exactly `size` but for the last. */
export async function* tableBatches(file: Blob, shape: TableShape, size: number): AsyncGenerator<TableBatch> {
  let index = 0;
  let pending: Cell[][] = [];
  let isHeader = true;
  for await (const rows of filledRows(file, shape)) {
    for (const row of rows) {
      if (isHeader) {
        isHeader = false;
        continue;
      }
      pending.push(row);
      if (pending.length === size) {
        yield { index: index++, rows: pending };
        pending = [];
      }
    }
  }
  if (pending.length > 0) yield { index, rows: pending };
}
