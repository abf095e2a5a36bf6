import { findReportField, type ReportField } from '@regie/contract/columns.ts';
import { fr } from '#src/lib/fr.ts';
import { TableRefusal } from '#src/lib/tables/refusal.ts';
import { frReports } from './reports.fr.ts';

export type ValueField = Exclude<ReportField, 'isrc'>;

export const isCountField = (field: ValueField) => field.startsWith('num');

export interface Columns {
  /** The field of each column. */
  fields: (ReportField | undefined)[];
  /** Ignored columns, by their original names. */
  ignored: string[];
}

/**
 * Parses the header row by names, never by position.
 * @throws TableRefusal when `isrc` is missing, a field is duplicated, or no amount or count is recognised
 */
export function readHeader(header: readonly string[]): Columns {
  const fields = header.map(findReportField);
  const names = new Map<ReportField, string>();
  for (const [index, field] of fields.entries()) {
    if (!field) continue;
    const name = header[index] ?? '';
    const earlier = names.get(field);
    if (earlier !== undefined) throw new TableRefusal(fr.tables.doubledColumn(earlier.trim(), name.trim()));
    names.set(field, name);
  }
  if (!names.has('isrc')) throw new TableRefusal(frReports.csv.noIsrcColumn);
  if (names.size === 1) throw new TableRefusal(frReports.csv.noValueColumn);
  return {
    fields,
    ignored: header.map((name) => name.trim()).filter((name, index) => name !== '' && fields[index] === undefined),
  };
}
