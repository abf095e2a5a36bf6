import type { GivenValues } from '@regie/contract/routes/reports.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatInteger } from '@regie/values/formats.ts';
import { api, errorSentence, isAbort } from '#src/lib/api.ts';
import { downloadBlob } from '#src/lib/download.ts';
import { fr } from '#src/lib/fr.ts';
import { addWork, finishWork, updateWork } from '#src/lib/work-tray.ts';
import { readHeader, type ValueField } from './csv-columns.ts';
import { templateExample, UnsavedFile, unsavedFileName } from './csv-unsaved.ts';
import { frReports } from './reports.fr.ts';

const t = frReports.imports;
const pageSize = 500;

const header = Object.keys(templateExample);
const columns = readHeader(header);

const givenText = (given: GivenValues, field: ValueField) => given[field]?.replace(/^«\s(.*)\s»$/su, '$1') ?? '';

/** Corrected, it can be imported. Ignored columns are only in the file offered right after the import. */
export async function downloadUnsavedRows(importId: number, total: number): Promise<void> {
  const aborter = new AbortController();
  const work = addWork({
    title: t.unsavedWork(formatInteger(importId)),
    unit: fr.list.exportRows,
    total,
    cancel: () => aborter.abort(),
  });
  const file = new UnsavedFile(header, columns, {});
  let cursor: string | undefined;
  let pages = 0;
  try {
    do {
      const page = await api(routes.listUnsavedRows, {
        params: { id: importId },
        query: { limit: pageSize, cursor },
        signal: aborter.signal,
      });
      file.add(
        pages++,
        page.data.map(({ isrc, reason, given }) => ({
          cells: columns.fields.map((field) =>
            field === undefined || field === 'isrc' ? isrc : givenText(given, field),
          ),
          reason,
        })),
      );
      updateWork(work, { done: file.rowCount });
      cursor = page.meta?.nextCursor ?? undefined;
    } while (cursor !== undefined);
    const blob = file.toBlob();
    if (blob) downloadBlob(blob, unsavedFileName);
    finishWork(work, { state: 'done', result: fr.list.exportDone(fr.list.rows(file.rowCount)) });
  } catch (error) {
    finishWork(
      work,
      isAbort(error)
        ? { state: 'cancelled', result: fr.list.exportCancelled }
        : { state: 'failed', result: errorSentence(error) },
    );
  }
}
