import { routes } from '@regie/contract/routes.ts';
import { dataRoute, preparedRoute, route } from '#src/lib/route.ts';
import { payOffline, preparePayment, quoteDelivery, saveDelivery, startPayment } from './orders.service.ts';

export const orderRoutes = [
  dataRoute(routes.quoteDelivery, ({ params, query, caller }, db) => quoteDelivery(db, caller, params.id, query)),
  route(routes.saveDelivery, ({ params, body, caller }, trx) => saveDelivery(trx, caller, params.id, body)),
  preparedRoute(routes.startPayment, {
    prepare: ({ params, caller, deps }, db) => preparePayment(db, caller, deps.cards, params.id),
    apply: async ({ params, caller }, prepared, trx) => ({
      data: await startPayment(trx, caller, params.id, prepared),
    }),
  }),
  dataRoute(routes.payOffline, ({ params, body, caller }, trx) =>
    payOffline(trx, caller, params.id, body.reference ?? null),
  ),
];
