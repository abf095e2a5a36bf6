import { routes } from '@regie/contract/routes.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import { cancelSubscription, createSubscription, listSubscriptions } from './subscriptions.service.ts';

export const subscriptionRoutes = [
  route(routes.listSubscriptions, ({ query }, db) => listSubscriptions(db, query)),
  dataRoute(routes.createSubscription, ({ body, caller }, trx) => createSubscription(trx, caller, body)),
  route(routes.cancelSubscription, async ({ params, caller }, trx) => {
    await cancelSubscription(trx, caller, params.orderId);
    return { data: { id: params.orderId } };
  }),
];
