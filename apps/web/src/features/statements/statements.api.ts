import { routes } from '@regie/contract/routes.ts';
import type { Charset } from '@regie/contract/statements.ts';
import { queryOptions } from '@tanstack/react-query';
import { splitLine } from '#src/domain/tracks/line-names.ts';
import { api } from '#src/lib/api.ts';

export const statementQuery = (id: number) =>
  queryOptions({
    queryKey: ['store-statement', id],
    queryFn: async ({ signal }) => (await api(routes.getStoreStatement, { params: { id }, signal })).data,
  });

export const differencesQuery = (id: number) =>
  queryOptions({
    queryKey: ['store-statement', id, 'differences'],
    queryFn: async ({ signal }) => (await api(routes.getStatementDifferences, { params: { id }, signal })).data,
  });

export const sourcesQuery = queryOptions({
  queryKey: ['store-statement-sources'],
  queryFn: async ({ signal }) => (await api(routes.listStatementSources, { signal })).data,
});

export const presetsQuery = queryOptions({
  queryKey: ['statement-presets'],
  queryFn: async ({ signal }) => (await api(routes.listPresets, { signal })).data,
});

/**
 * The first lines of the file or of one of its sheets, from 1, and the preamble in them; refused for files that are not
 * tables.
 */
export const headQuery = (id: number, query: { sheet?: string | undefined; charset?: Charset | undefined } = {}) =>
  queryOptions({
    queryKey: ['store-statement', id, 'head', query],
    queryFn: async ({ signal }) => {
      const { data } = await api(routes.getStatementHead, { params: { id }, query, signal });
      const withinSheet = <Line extends { line: number }>(found: Line) => ({ ...found, ...splitLine(found.line) });
      return { ...data, rows: data.rows.map(withinSheet), preamble: data.preamble.map(withinSheet) };
    },
    retry: false,
  });

export const linesQuery = (id: number, from: number, count: number) =>
  queryOptions({
    queryKey: ['store-statement', id, 'lines', from, count],
    queryFn: async ({ signal }) =>
      (await api(routes.getStatementLines, { params: { id }, query: { from, count }, signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
  });
