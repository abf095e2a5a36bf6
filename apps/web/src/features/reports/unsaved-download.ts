import { routes } from '@regie/contract/routes.ts';
import { fr } from '#src/fr.ts';
import { api, errorSentence, isAbort } from '#src/lib/api.ts';
import { csvFile, csvLines, downloadCsv } from '#src/lib/csv-download.ts';
import { formatInteger, plural } from '#src/lib/formats.ts';
import { addWork, finishWork, updateWork } from '#src/lib/work-tray.ts';
import { unsavedFileName } from './csv-unsaved.ts';

const t = fr.reports.imports;
const pageSize = 500;

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
  const pieces = [csvFile([t.unsavedColumn.row, 'isrc', 'raison'], [])];
  let done = 0;
  let cursor: string | undefined;
  try {
    do {
      const page = await api(routes.listUnsavedRows, {
        params: { id: importId },
        query: { limit: pageSize, cursor },
        signal: aborter.signal,
      });
      pieces.push(csvLines(page.data.map((row) => [row.row, row.isrc, row.reason])));
      done += page.data.length;
      updateWork(work, { done });
      cursor = page.meta?.nextCursor ?? undefined;
    } while (cursor !== undefined);
    downloadCsv(pieces, unsavedFileName);
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
