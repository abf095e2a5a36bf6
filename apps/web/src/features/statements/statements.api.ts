import { routes } from '@regie/contract/routes.ts';
import { queryOptions } from '@tanstack/react-query';
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

export const linesQuery = (id: number, from: number, count: number) =>
  queryOptions({
    queryKey: ['store-statement', id, 'lines', from, count],
    queryFn: async ({ signal }) =>
      (await api(routes.getStatementLines, { params: { id }, query: { from, count }, signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
  });
