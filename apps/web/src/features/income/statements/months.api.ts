import { routes } from '@regie/contract/routes.ts';
import { queryOptions } from '@tanstack/react-query';
import { api, apiQuery } from '#src/lib/api.ts';
import { newId } from '#src/lib/new-id.ts';

export const monthsQuery = (period: { from: number | undefined; to: number | undefined }) =>
  apiQuery(['months', period], routes.listMonths, { query: period });

export const monthQuery = (month: number) =>
  queryOptions({
    ...apiQuery(['months', month], routes.getMonth, { query: { month } }),
    // Each answer asks for a preview, which computes the whole posting.
    refetchOnWindowFocus: false,
  });

/** Bound to one answer of `monthQuery` (`readAt`): reloaded beside it, it would ask for a month just posted. */
export const previewQuery = (month: number, { withUnchecked, readAt }: { withUnchecked: boolean; readAt: number }) =>
  queryOptions({
    queryKey: ['months', month, 'preview', withUnchecked, readAt],
    queryFn: async ({ signal }) =>
      (await api(routes.previewMonth, { body: { fromDate: month, withUnchecked }, idempotencyKey: newId(), signal }))
        .data,
    staleTime: 'static',
  });
