import { routes } from '@regie/contract/routes.ts';
import { queryOptions } from '@tanstack/react-query';
import { api } from '#src/lib/api.ts';

/** The next ISRC of each of the house's prefixes. */
export const nextIsrcsQuery = queryOptions({
  queryKey: ['next-isrcs'],
  queryFn: async ({ signal }) => (await api(routes.listNextIsrcs, { signal })).data,
});
