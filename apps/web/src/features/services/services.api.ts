import { routes } from '@regie/contract/routes.ts';
import { queryOptions } from '@tanstack/react-query';
import { api } from '#src/lib/api.ts';

export const smartlinkQuery = (id: number) =>
  queryOptions({
    queryKey: ['smartlink', id],
    queryFn: async ({ signal }) => (await api(routes.getSmartlink, { params: { id }, signal })).data,
  });

export const clicksQuery = (id: number) =>
  queryOptions({
    queryKey: ['smartlink', id, 'clicks'],
    queryFn: async ({ signal }) => (await api(routes.getSmartlinkClicks, { params: { id }, signal })).data,
  });
