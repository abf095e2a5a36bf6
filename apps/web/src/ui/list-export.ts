import type { ListMeta } from '@regie/contract/envelope.ts';
import type { RouteContract } from '@regie/contract/route.ts';
import { fr } from '#src/fr.ts';
import { type ApiData, apiList, errorSentence, isAbort, type ListParams } from '#src/lib/api.ts';
import { type CsvCell, csvFile, csvLines, downloadCsv } from '#src/lib/csv-download.ts';
import { plural } from '#src/lib/formats.ts';
import { addWork, finishWork, updateWork } from '#src/lib/work-tray.ts';

interface ListExport<Route extends RouteContract, Row> {
  route: Route;
  query: ListParams;
  rows: (data: ApiData<Route>) => readonly Row[];
  columns: readonly { header: string; csv?: (row: Row) => CsvCell }[];
  title: string;
  /** Without its ending. */
  fileName: string;
  meta: ListMeta | undefined;
}

const exportPageSize = 500;

/** The pages of a filtered list, one after the other, from its first. */
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

/** Reads the whole filtered list page by page and downloads it as CSV; shown in the tray, where it can be cancelled. */
export async function exportList<Route extends RouteContract, Row>(list: ListExport<Route, Row>): Promise<void> {
  const aborter = new AbortController();
  const id = addWork({
    title: fr.list.exportTitle(list.title),
    unit: fr.list.exportRows,
    ...(list.meta?.totalIsExact ? { total: list.meta.total } : {}),
    cancel: () => aborter.abort(),
  });
  const columns = list.columns.flatMap(({ header, csv }) => (csv ? [{ header, csv }] : []));
  const pieces = [
    csvFile(
      columns.map((column) => column.header),
      [],
    ),
  ];
  let done = 0;
  try {
    for await (const rows of readPages(list, aborter.signal)) {
      pieces.push(csvLines(rows.map((row) => columns.map((column) => column.csv(row)))));
      done += rows.length;
      updateWork(id, { done });
    }
    downloadCsv(pieces, `${list.fileName}.csv`);
    finishWork(id, {
      state: 'done',
      result: fr.list.exportDone(plural(done, fr.list.exportRow, fr.list.exportRows)),
    });
  } catch (error) {
    if (isAbort(error)) finishWork(id, { state: 'cancelled', result: fr.list.exportCancelled });
    else finishWork(id, { state: 'failed', result: errorSentence(error) });
  }
}
