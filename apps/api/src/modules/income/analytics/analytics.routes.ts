import { routes } from '@regie/contract/routes.ts';
import { signalOf } from '#src/lib/request-signal.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import {
  getAnalytics,
  getAnalyticsHistory,
  listAnalytics,
  listAnalyticsChanges,
  listReleaseIncome,
} from './analytics.service.ts';
import { getPivot } from './pivot.service.ts';

export const analyticsRoutes = [
  dataRoute(routes.getAnalytics, ({ query }, db) => getAnalytics(db, query)),
  route(routes.listAnalytics, ({ query }, db) => listAnalytics(db, query)),
  dataRoute(routes.listAnalyticsChanges, ({ query }, db) => listAnalyticsChanges(db, query)),
  dataRoute(routes.listReleaseIncome, ({ params }, db) => listReleaseIncome(db, params.id)),
  dataRoute(routes.getAnalyticsHistory, ({ query }, db) => getAnalyticsHistory(db, query)),
  dataRoute(routes.getPivot, ({ query, deps, reply }, db) => getPivot(db, deps, query, signalOf(reply))),
];
