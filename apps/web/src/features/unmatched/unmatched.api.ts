import { routes } from '@regie/contract/routes.ts';
import { queryOptions } from '@tanstack/react-query';
import { api, type ListParams } from '#src/lib/api.ts';

export const summaryQuery = (query: ListParams) =>
  queryOptions({
    queryKey: ['unmatched', 'summary', query],
    queryFn: async ({ signal }) => (await api(routes.getUnmatchedSummary, { query, signal })).data,
    placeholderData: (previous) => previous,
  });

export const unmatchedItemQuery = (key: string) =>
  queryOptions({
    queryKey: ['unmatched', 'item', key],
    queryFn: async ({ signal }) => (await api(routes.getUnmatchedItem, { params: { key }, signal })).data,
  });

export const unmatchedLinesQuery = (key: string, statement: number) =>
  queryOptions({
    queryKey: ['unmatched', 'item', key, 'lines', statement],
    queryFn: async ({ signal }) => (await api(routes.listUnmatchedLines, { params: { key, statement }, signal })).data,
  });
