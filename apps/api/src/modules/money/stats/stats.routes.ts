import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import { getAccountingMonths, getAccountingStats, listAccountingReports } from './stats.service.ts';

export const statsRoutes = [
  route(routes.getAccountingStats, async ({ query, caller }, db) => ({
    data: await getAccountingStats(db, caller, query.type),
  })),
  route(routes.listAccountingReports, ({ query, caller }, db) => listAccountingReports(db, caller, query)),
  route(routes.getAccountingMonths, async ({ query, caller }, db) => ({
    data: await getAccountingMonths(db, caller, query),
  })),
];
