import { routes } from '@regie/contract/routes.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import { getAccountingMonths, getAccountingStats, listAccountingReports } from './stats.service.ts';

export const statsRoutes = [
  dataRoute(routes.getAccountingStats, ({ query, caller }, db) => getAccountingStats(db, caller, query.type)),
  route(routes.listAccountingReports, ({ query, caller }, db) => listAccountingReports(db, caller, query)),
  dataRoute(routes.getAccountingMonths, ({ query, caller }, db) => getAccountingMonths(db, caller, query)),
];
