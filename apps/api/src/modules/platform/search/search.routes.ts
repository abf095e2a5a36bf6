import { routes } from '@regie/contract/routes.ts';
import { dataRoute } from '#src/lib/route.ts';
import { search } from './search.service.ts';

export const searchRoutes = [dataRoute(routes.search, ({ query, caller }, db) => search(db, caller, query.q))];
