import { routes } from '@regie/contract/routes.ts';
import { queryOptions } from '@tanstack/react-query';
import { apiQuery, type ListParams } from '#src/lib/api.ts';

export const summaryQuery = (query: ListParams) =>
  queryOptions({
    ...apiQuery(['unmatched', 'summary', query], routes.getUnmatchedSummary, { query }),
    placeholderData: (previous) => previous,
  });

export const unmatchedItemQuery = (key: string) =>
  apiQuery(['unmatched', 'item', key], routes.getUnmatchedItem, { params: { key } });

export const unmatchedLinesQuery = (key: string, statement: number) =>
  apiQuery(['unmatched', 'item', key, 'lines', statement], routes.listUnmatchedLines, { params: { key, statement } });
