import { routes } from '@regie/contract/routes.ts';
import { signalOf } from '#src/lib/request-signal.ts';
import { route } from '#src/lib/route.ts';
import {
  getAnalytics,
  getAnalyticsHistory,
  listAnalytics,
  listAnalyticsChanges,
  listReleaseIncome,
} from './analytics.service.ts';
import { getPivot } from './pivot.service.ts';

export const analyticsRoutes = [
  route(routes.getAnalytics, async ({ query }, db) => ({ data: await getAnalytics(db, query) })),
  route(routes.listAnalytics, ({ query }, db) => listAnalytics(db, query)),
  route(routes.listAnalyticsChanges, async ({ query }, db) => ({ data: await listAnalyticsChanges(db, query) })),
  route(routes.listReleaseIncome, async ({ params }, db) => ({ data: await listReleaseIncome(db, params.id) })),
  route(routes.getAnalyticsHistory, async ({ query }, db) => ({ data: await getAnalyticsHistory(db, query) })),
  route(routes.getPivot, async ({ query, deps, reply }, db) => ({
    data: await getPivot(db, deps, query, signalOf(reply)),
  })),
];
