import { routes } from '@regie/contract/routes.ts';
import { signalOf } from '#src/lib/request-signal.ts';
import { route } from '#src/lib/route.ts';
import { getInsight, getInsightHistory, listInsight, listInsightChanges } from './insight.service.ts';
import { getPivot } from './pivot.service.ts';

export const insightRoutes = [
  route(routes.getInsight, async ({ query }, db) => ({ data: await getInsight(db, query) })),
  route(routes.listInsight, ({ query }, db) => listInsight(db, query)),
  route(routes.listInsightChanges, async ({ query }, db) => ({ data: await listInsightChanges(db, query) })),
  route(routes.getInsightHistory, async ({ query }, db) => ({ data: await getInsightHistory(db, query) })),
  route(routes.getPivot, async ({ query, deps, reply }, db) => ({
    data: await getPivot(db, deps, query, signalOf(reply)),
  })),
];
