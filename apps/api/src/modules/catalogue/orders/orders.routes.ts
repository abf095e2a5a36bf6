import { routes } from '@regie/contract/routes.ts';
import { preparedRoute, route } from '#src/lib/route.ts';
import { payOffline, preparePayment, quoteDelivery, saveDelivery, startPayment } from './orders.service.ts';

export const orderRoutes = [
  route(routes.quoteDelivery, async ({ params, query, caller }, db) => ({
    data: await quoteDelivery(db, caller, params.id, query),
  })),
  route(routes.saveDelivery, ({ params, body, caller }, trx) => saveDelivery(trx, caller, params.id, body)),
  preparedRoute(routes.startPayment, {
    prepare: ({ params, caller, deps }, db) => preparePayment(db, caller, deps.cards, params.id),
    apply: async ({ params, caller }, prepared, trx) => ({
      data: await startPayment(trx, caller, params.id, prepared),
    }),
  }),
  route(routes.payOffline, async ({ params, body, caller }, trx) => ({
    data: await payOffline(trx, caller, params.id, body.reference ?? null),
  })),
];
