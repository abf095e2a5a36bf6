import { findReportField, type ReportField } from '@regie/contract/columns.ts';
import { fr } from '#src/lib/fr.ts';
import { TableRefusal } from '#src/lib/tables/refusal.ts';
import { frReports } from './reports.fr.ts';

export type ValueField = Exclude<ReportField, 'isrc'>;

export const isCountField = (field: ValueField) => field.startsWith('num');

export interface Columns {
  fields: (ReportField | undefined)[];
  ignored: string[];
}

/** By names, never by position. @throws TableRefusal without `isrc` or any value column, or for a duplicate field */
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
