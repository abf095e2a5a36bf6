import { routes } from '@regie/contract/routes.ts';
import { dataRoute } from '#src/lib/route.ts';
import { compareAccount, compareRevenue } from './compare.service.ts';

export const compareRoutes = [
  dataRoute(routes.compareAccount, ({ params, query }, db) => compareAccount(db, params.id, query)),
  dataRoute(routes.compareRevenue, ({ query }, db) => compareRevenue(db, query)),
];
