import { routes } from '@regie/contract/routes.ts';
import type { Charset } from '@regie/contract/statements.ts';
import { queryOptions } from '@tanstack/react-query';
import { splitLine } from '#src/domain/tracks/line-names.ts';
import { api, apiQuery } from '#src/lib/api.ts';

export const statementQuery = (id: number) =>
  apiQuery(['store-statement', id], routes.getStoreStatement, { params: { id } });

export const differencesQuery = (id: number) =>
  apiQuery(['store-statement', id, 'differences'], routes.getStatementDifferences, { params: { id } });

export const sourcesQuery = apiQuery(['store-statement-sources'], routes.listStatementSources);

export const presetsQuery = apiQuery(['statement-presets'], routes.listPresets);

/** The first lines of the file or a sheet, from 1, and the preamble in them; refused for files that are not tables. */
export const headQuery = (id: number, query: { sheet?: string; charset?: Charset } = {}) =>
  queryOptions({
    queryKey: ['store-statement', id, 'head', query],
    queryFn: async ({ signal }) => {
      const { data } = await api(routes.getStatementHead, { params: { id }, query, signal });
      const withinSheet = <Line extends { line: number }>(row: Line) => ({ ...row, ...splitLine(row.line) });
      return { ...data, rows: data.rows.map(withinSheet), preamble: data.preamble.map(withinSheet) };
    },
    retry: false,
  });

export const linesQuery = (id: number, from: number, count: number) =>
  queryOptions({
    ...apiQuery(['store-statement', id, 'lines', from, count], routes.getStatementLines, {
      params: { id },
      query: { from, count },
    }),
    staleTime: Number.POSITIVE_INFINITY,
  });
