import { routes } from '@regie/contract/routes.ts';
import { queryOptions } from '@tanstack/react-query';
import { api } from '#src/lib/api.ts';

export const profileQuery = (id: number) =>
  queryOptions({
    queryKey: ['profile', id],
    queryFn: async ({ signal }) => (await api(routes.getProfile, { params: { id }, signal })).data,
  });

export const lookupAccounts = async (q: string, signal: AbortSignal) =>
  (await api(routes.lookupAccounts, { query: { q }, signal })).data;
