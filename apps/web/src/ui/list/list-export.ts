import type { ListMeta } from '@regie/contract/envelope.ts';
import type { RouteContract } from '@regie/contract/route.ts';
import { type ApiData, apiList, type ListParams, readPages } from '#src/lib/api.ts';
import { downloadBlob } from '#src/lib/download.ts';
import { fr } from '#src/lib/fr.ts';
import { runWork } from '#src/lib/run-work.ts';
import { type FileColumn, type FileFormat, type FileValue, openFile } from '#src/lib/table-file.ts';

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

const pageSize = 500;

/** All pages of a filtered list. */
export const readList = <Route extends RouteContract>(route: Route, query: ListParams, signal?: AbortSignal) =>
  readPages((cursor) => apiList(route, { ...query, limit: pageSize, cursor }, signal));

export function exportList<Route extends RouteContract, Row>(list: ListExport<Route, Row>): Promise<void> {
  const work = {
    title: fr.list.exportTitle(list.title),
    unit: fr.list.exportRows,
    ...(list.meta?.totalIsExact ? { total: list.meta.total } : {}),
  };
  return runWork(work, async (signal, onProgress) => {
    const columns = list.columns.flatMap(({ csv, ...column }) => (csv ? [{ ...column, value: csv }] : []));
    let done = 0;
    const file = await openFile(list.format, list.title, columns);
    for await (const { data } of readList(list.route, list.query, signal)) {
      const rows = list.rows(data);
      await file.add(rows);
      done += rows.length;
      onProgress({ done });
    }
    downloadBlob(await file.finish(), `${list.fileName}.${list.format}`);
    return { state: 'done', result: fr.list.exportDone(fr.list.rows(done)) };
  });
}
