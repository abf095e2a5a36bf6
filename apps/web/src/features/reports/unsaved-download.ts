import type { UnsavedRow } from '@regie/contract/routes/reports.ts';
import { routes } from '@regie/contract/routes.ts';
import { fr } from '#src/fr.ts';
import { api, errorSentence, isAbort } from '#src/lib/api.ts';
import { downloadBlob } from '#src/lib/download.ts';
import { formatInteger, plural } from '#src/lib/formats.ts';
import { type FileColumn, openFile } from '#src/lib/table-file.ts';
import { addWork, finishWork, updateWork } from '#src/lib/work-tray.ts';
import { unsavedFileName } from './csv-unsaved.ts';

const t = fr.reports.imports;
const pageSize = 500;

const unsavedColumns: FileColumn<UnsavedRow>[] = [
  { header: t.unsavedColumn.row, value: ({ row }) => row },
  { header: 'isrc', value: ({ isrc }) => isrc },
  { header: 'raison', value: ({ reason }) => reason },
];

/**
 * The unsaved rows as the server remembers them: number, ISRC and reason. The file's own columns are only in
 * the file that the import itself offered.
 */
export async function downloadUnsavedRows(importId: number, total: number): Promise<void> {
  const aborter = new AbortController();
  const work = addWork({
    title: t.unsavedWork(formatInteger(importId)),
    unit: fr.list.exportRows,
    total,
    cancel: () => aborter.abort(),
  });
  let done = 0;
  let cursor: string | undefined;
  try {
    const file = await openFile('csv', unsavedFileName, unsavedColumns);
    do {
      const page = await api(routes.listUnsavedRows, {
        params: { id: importId },
        query: { limit: pageSize, cursor },
        signal: aborter.signal,
      });
      await file.add(page.data);
      done += page.data.length;
      updateWork(work, { done });
      cursor = page.meta?.nextCursor ?? undefined;
    } while (cursor !== undefined);
    downloadBlob(await file.finish(), unsavedFileName);
    finishWork(work, {
      state: 'done',
      result: fr.list.exportDone(plural(done, fr.list.exportRow, fr.list.exportRows)),
    });
  } catch (error) {
    finishWork(
      work,
      isAbort(error)
        ? { state: 'cancelled', result: fr.list.exportCancelled }
        : { state: 'failed', result: errorSentence(error) },
    );
  }
}
