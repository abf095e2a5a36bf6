import { routes } from '@regie/contract/routes.ts';
import { queryOptions } from '@tanstack/react-query';
import { api } from '#src/lib/api.ts';

export const payoutQuery = (id: number) =>
  queryOptions({
    queryKey: ['payout', id],
    queryFn: async ({ signal }) => (await api(routes.getPayout, { params: { id }, signal })).data,
  });

/** The limits and destinations of a request on behalf of an account. */
export const requestOptionsQuery = (accountId: number) =>
  queryOptions({
    queryKey: ['payout-request', accountId],
    queryFn: async ({ signal }) => (await api(routes.getRequestOptions, { params: { id: accountId }, signal })).data,
  });
