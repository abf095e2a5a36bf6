import type { BulkRow, CodeEdit, ValidatedBulkRow } from '@regie/contract/routes/tools.ts';
import { downloadTable, type FileColumn } from '#src/lib/table-file.ts';
import { frTools } from './tools.fr.ts';

export type CodeKind = CodeEdit['kind'];
export type FileRow = Omit<BulkRow, 'keptBack'>;

/** Wire names, so that the file of unsaved rows can be corrected and imported. */
const codeColumn = { isrc: 'isrc', barcode: 'code-barre' } as const;

export const toBulkRow = (kind: CodeKind, { code, ...row }: BulkRow) => ({ ...row, [codeColumn[kind]]: code });

export interface UnsavedRow extends FileRow {
  reason: string;
}

/** The file of unsaved rows (product §27.7): its own columns, without the one of id or title that it lacks, and the reason. */
export function unsavedColumns(kind: CodeKind, rows: readonly UnsavedRow[]): FileColumn<UnsavedRow>[] {
  const [hasId, hasTitle] = [rows.some(({ id }) => id !== ''), rows.some(({ title }) => title !== '')];
  return [
    ...(hasId ? [{ header: 'id', value: ({ id }: UnsavedRow) => id }] : []),
    ...(hasTitle || !hasId ? [{ header: 'title', value: ({ title }: UnsavedRow) => title }] : []),
    { header: codeColumn[kind], value: ({ code }) => code },
    { header: frTools.bulk.reason, value: ({ reason }) => reason },
  ];
}

export const downloadUnsaved = (kind: CodeKind, rows: readonly UnsavedRow[]) =>
  downloadTable('csv', frTools.bulk.unsavedFile, unsavedColumns(kind, rows), rows);

export function countVerdicts(rows: readonly ValidatedBulkRow[]): Record<ValidatedBulkRow['verdict'], number> {
  const counts = { change: 0, same: 0, blank: 0, unsaved: 0 };
  for (const { verdict } of rows) counts[verdict] += 1;
  return counts;
}
