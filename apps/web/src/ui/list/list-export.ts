import type { ListMeta } from '@regie/contract/envelope.ts';
import type { RouteContract } from '@regie/contract/route.ts';
import { type ApiData, apiList, errorSentence, isAbort, type ListParams } from '#src/lib/api.ts';
import { downloadBlob } from '#src/lib/download.ts';
import { fr } from '#src/lib/fr.ts';
import { type FileColumn, type FileFormat, type FileValue, openFile } from '#src/lib/table-file.ts';
import { addWork, finishWork, updateWork } from '#src/lib/work-tray.ts';

export type ExportedColumn<Row> = Pick<FileColumn<Row>, 'header' | 'type' | 'unit'> & {
  csv?: (row: Row) => FileValue;
};

interface ListExport<Route extends RouteContract, Row> {
  route: Route;
  query: ListParams;
  rows: (data: ApiData<Route>) => readonly Row[];
  columns: readonly ExportedColumn<Row>[];
  title: string;
  fileName: string;
  meta: ListMeta | undefined;
  format: FileFormat;
}

const exportPageSize = 500;

export async function* readPages<Route extends RouteContract, Row>(
  { route, query, rows }: Pick<ListExport<Route, Row>, 'route' | 'query' | 'rows'>,
  signal?: AbortSignal,
): AsyncGenerator<readonly Row[]> {
  let cursor: string | undefined;
  do {
    const page = await apiList(route, { ...query, limit: exportPageSize, cursor }, signal);
    yield rows(page.data);
    cursor = page.meta?.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

export async function exportList<Route extends RouteContract, Row>(list: ListExport<Route, Row>): Promise<void> {
  const aborter = new AbortController();
  const id = addWork({
    title: fr.list.exportTitle(list.title),
    unit: fr.list.exportRows,
    ...(list.meta?.totalIsExact ? { total: list.meta.total } : {}),
    cancel: () => aborter.abort(),
  });
  const columns = list.columns.flatMap(({ csv, ...column }) => (csv ? [{ ...column, value: csv }] : []));
  let done = 0;
  try {
    const file = await openFile(list.format, list.title, columns);
    for await (const rows of readPages(list, aborter.signal)) {
      await file.add(rows);
      done += rows.length;
      updateWork(id, { done });
    }
    downloadBlob(await file.finish(), `${list.fileName}.${list.format}`);
    finishWork(id, {
      state: 'done',
      result: fr.list.exportDone(fr.list.rows(done)),
    });
  } catch (error) {
    if (isAbort(error)) finishWork(id, { state: 'cancelled', result: fr.list.exportCancelled });
    else {
      const result = error instanceof RangeError ? fr.list.tooLongForSheet : errorSentence(error);
      finishWork(id, { state: 'failed', result });
    }
  }
}
