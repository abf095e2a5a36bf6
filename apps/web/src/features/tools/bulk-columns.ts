import type { CodeEdit, ValidatedBulkRow } from '@regie/contract/routes/tools.ts';
import type { FileColumn } from '#src/lib/table-file.ts';
import type { ColumnNames } from '#src/lib/tables/small-table.ts';
import { frTools } from './tools.fr.ts';

export type CodeKind = CodeEdit['kind'];
type Field = 'id' | 'title' | 'code';
export type FileRow = Record<Field, string>;

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

export const toBulkRow = (kind: CodeKind, { id, title, code }: FileRow) => ({
  id,
  title,
  isrc: kind === 'isrc' ? code : '',
  'code-barre': kind === 'barcode' ? code : '',
});

export interface UnsavedRow extends FileRow {
  reason: string;
}

/** The file of unsaved rows (product §27.7): its own columns and the reason. */
export const unsavedColumns = (kind: CodeKind): FileColumn<UnsavedRow>[] => [
  { header: 'id', value: ({ id }) => id },
  { header: 'title', value: ({ title }) => title },
  { header: codeColumn[kind], value: ({ code }) => code },
  { header: frTools.bulk.reason, value: ({ reason }) => reason },
];

/** The number of rows of each verdict. */
export function countVerdicts(rows: readonly ValidatedBulkRow[]): Record<ValidatedBulkRow['verdict'], number> {
  const counts = { change: 0, same: 0, blank: 0, unsaved: 0 };
  for (const { verdict } of rows) counts[verdict] += 1;
  return counts;
}
