import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import { search } from './search.service.ts';

export const searchRoutes = [
  route(routes.search, async ({ query, caller }, db) => ({ data: await search(db, caller, query.q) })),
];
