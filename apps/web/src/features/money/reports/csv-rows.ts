import type { ReportField } from '@regie/contract/columns.ts';
import { type Cell, cellText } from '@regie/values/cell.ts';
import { plural } from '@regie/values/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { type Columns, isCountField, type ValueField } from './csv-columns.ts';
import { type NumberFormat, readCount, readDecimal } from './csv-numbers.ts';
import { frReports } from './reports.fr.ts';

/** A row of the request; an absent value is 0 (product §33.16). */
export type WireRow = { isrc: string } & Partial<Record<ValueField, string>>;
const maxIsrcLength = 100;

export type FormatChoice = Partial<Record<ValueField, NumberFormat>>;

export interface ReadRow {
  wire: WireRow;
  refusal?: string;
}

/** The row without empty cells beyond the header, which trailing delimiters cause. */
export function trimmedLength(row: readonly Cell[], width: number): number {
  let length = row.length;
  while (length > width && cellText(row[length - 1]).trim() === '') length--;
  return length;
}

/** Quoted so that it is not a number: the server then counts the row as unsaved, with its ISRC. */
const unreadable = (text: string) => `«\u00a0${text.slice(0, 60)}\u00a0»`;

/** An unreadable row is sent too, with an unreadable value, so that the import counts it as unsaved. */
export function readRow(row: readonly Cell[], columns: Columns, formats: FormatChoice): ReadRow {
  const width = columns.fields.length;
  const wire: WireRow = { isrc: '' };
  let refusal: string | undefined;
  for (const [index, field] of columns.fields.entries()) {
    const cell = row[index];
    if (field === 'isrc') wire.isrc = cellText(cell).trim().slice(0, maxIsrcLength);
    else if (field) {
      const value = readValue(cell, field, formats);
      if (value.refusal !== undefined) {
        refusal ??= value.refusal;
        wire[field] = unreadable(cellText(cell));
      } else if (value.text !== '') wire[field] = value.text;
    }
  }
  const length = trimmedLength(row, width);
  if (length !== width) {
    const widths = [plural(length, fr.tables.column, fr.tables.columns), String(width)] as const;
    refusal = length < width ? frReports.csv.shortRow(...widths) : frReports.csv.longRow(...widths);
    const field = columns.fields.find(isValueField);
    if (field) wire[field] = unreadable(refusal);
  }
  return refusal === undefined ? { wire } : { wire, refusal };
}

export const isValueField = (field: ReportField | undefined): field is ValueField =>
  field !== undefined && field !== 'isrc';

function readValue(cell: Cell | undefined, field: ValueField, formats: FormatChoice) {
  const format = formats[field] ?? 'dot';
  const decimal = readDecimal(cell, format);
  const text = isCountField(field) ? readCount(cell, format) : decimal;
  if (text !== undefined) return { text };
  const refuse = decimal === undefined ? frReports.csv.notANumber : frReports.csv.notACount;
  return { text: '', refusal: refuse(frReports.fields[field], cellText(cell).trim()) };
}
