import type { CodeEdit, ValidatedBulkRow } from '@regie/contract/routes/tools.ts';
import { downloadTable, type FileColumn } from '#src/lib/table-file.ts';
import type { ColumnNames } from '#src/lib/tables/small-table.ts';
import { frTools } from './tools.fr.ts';

export type CodeKind = CodeEdit['kind'];
type Field = 'id' | 'title' | 'code';
export type FileRow = Record<Field, string>;
/** A row to send; `keptBack` is why the preview refused it. */
export type SentRow = FileRow & { keptBack?: string };

/** The columns of a file, with the names of our own exports. */
export const columnNames: Record<CodeKind, ColumnNames<Field>> = {
  isrc: {
    id: ['id', 'trackid', 'iddutitre', 'idtitre', 'idpiste'],
    title: ['title', 'titre', 'titres', 'tracktitle', 'titredutitre', 'piste', 'track', 'chanson'],
    code: ['isrc', 'codeisrc', 'isrccode'],
  },
  barcode: {
    id: ['id', 'libraryid', 'releaseid', 'iddelasortie', 'idsortie'],
    title: ['title', 'titre', 'sortie', 'album', 'release', 'releasetitle'],
    code: ['codebarre', 'codebarres', 'barcode', 'upc', 'ean', 'gtin', 'codeupc', 'codeean', 'upcean'],
  },
};

/** Wire names, so that the file of unsaved rows can be corrected and imported. */
const codeColumn = { isrc: 'isrc', barcode: 'code-barre' } as const;

export const toBulkRow = (kind: CodeKind, { id, title, code, keptBack }: SentRow) => ({
  id,
  title,
  isrc: kind === 'isrc' ? code : '',
  'code-barre': kind === 'barcode' ? code : '',
  ...(keptBack !== undefined && { keptBack }),
});

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

/** The number of rows of each verdict. */
export function countVerdicts(rows: readonly ValidatedBulkRow[]): Record<ValidatedBulkRow['verdict'], number> {
  const counts = { change: 0, same: 0, blank: 0, unsaved: 0 };
  for (const { verdict } of rows) counts[verdict] += 1;
  return counts;
}
