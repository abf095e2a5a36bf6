import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { findReportField } from '@regie/contract/columns.ts';
import { valueFields } from '@regie/contract/imports.ts';
import { type Cell, cellText } from '@regie/values/cell.ts';
import { fr } from '#src/lib/fr.ts';
import { filledRows, openTable, type TableReading, trimHeader } from '#src/lib/tables/reading.ts';
import { TableRefusal } from '#src/lib/tables/refusal.ts';
import { readBytes } from '#src/lib/tables/text.ts';
import { type Columns, readHeader, type ValueField } from './csv-columns.ts';
import { NumberColumn, type ShapeStatistics } from './csv-numbers.ts';
import { isValueField, trimmedLength } from './csv-rows.ts';

export type TableShape = TableReading & { header: string[] };

export interface ColumnStatistics extends ShapeStatistics {
  field: ValueField;
  name: string;
}

export interface TableAnalysis {
  shape: TableShape;
  columns: Columns;
  statistics: ColumnStatistics[];
  /** SHA-256 of the file's bytes, hexadecimal, and of the sheet but the first: it identifies the import on the server. */
  sha256: string;
  rowCount: number;
  unevenRowCount: number;
  preview: string[][];
}

const previewRows = 20;

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

/** First pass: column statistics and the read plan. @throws TableRefusal when the file cannot be imported */
export async function analyseTable(
  file: Blob,
  onBytes?: (bytes: number) => void,
  sheet?: string,
): Promise<TableAnalysis> {
  const hash = await hashFile(file, onBytes);
  return openTable(file, kindOf, (reading) => analyseRows(file, reading, hash), sheet);
}

const kindOf = (name: string) => {
  const field = findReportField(name);
  return isValueField(field) ? 'amount' : field && 'text';
};

const fileFingerprint = (hash: string, reading: TableReading) =>
  reading.kind === 'workbook' && reading.sheet > 0 ? bytesToHex(sha256(utf8ToBytes(`${hash}-${reading.sheet}`))) : hash;

async function analyseRows(file: Blob, reading: TableReading, hash: string): Promise<TableAnalysis> {
  let columns: Columns | undefined;
  let header: string[] = [];
  const statistics = new Map<number, NumberColumn>();
  const preview: string[][] = [];
  let rowCount = 0;
  let unevenRowCount = 0;
  for await (const rows of filledRows(file, reading, kindOf)) {
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
      if (trimmedLength(row, header.length) !== header.length) unevenRowCount++;
      else for (const [index, column] of statistics) column.add(row[index]);
    }
  }
  if (!columns || rowCount === 0) throw new TableRefusal(fr.tables.noRows);
  return {
    shape: { ...reading, header },
    columns,
    statistics: valueFields.flatMap((field) => {
      const index = columns.fields.indexOf(field);
      const column = statistics.get(index);
      return column
        ? [{ field, name: (header[index] ?? '').trim(), counts: column.counts, samples: column.samples }]
        : [];
    }),
    sha256: fileFingerprint(hash, reading),
    rowCount,
    unevenRowCount,
    preview,
  };
}

export interface TableBatch {
  index: number;
  rows: Cell[][];
}

export async function* tableBatches(file: Blob, shape: TableShape, size: number): AsyncGenerator<TableBatch> {
  let index = 0;
  let pending: Cell[][] = [];
  let isHeader = true;
  for await (const rows of filledRows(file, shape, kindOf)) {
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
