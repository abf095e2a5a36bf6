import { routes } from '@regie/contract/routes.ts';
import { queryOptions } from '@tanstack/react-query';
import { api } from '#src/lib/api.ts';

export const monthsQuery = (period: { from: number | undefined; to: number | undefined }) =>
  queryOptions({
    queryKey: ['months', period],
    queryFn: async ({ signal }) =>
      (
        await api(routes.listMonths, {
          query: {
            ...(period.from === undefined ? {} : { from: period.from }),
            ...(period.to === undefined ? {} : { to: period.to }),
          },
          signal,
        })
      ).data,
  });
