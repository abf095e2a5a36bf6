import { routes } from '@regie/contract/routes.ts';
import { dataRoute, preparedRoute, route } from '#src/lib/route.ts';
import {
  getInvoice,
  listInvoices,
  listIssuedInvoices,
  listUserInvoices,
  setInvoiceStatus,
} from './invoices.service.ts';
import { payOffline, preparePayment, quoteDelivery, saveDelivery, startPayment } from './orders.service.ts';
import { cancelSubscription, createSubscription, listSubscriptions } from './subscriptions.service.ts';

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
  route(routes.listInvoices, ({ query }, db) => listInvoices(db, query)),
  route(routes.listUserInvoices, ({ params, query }, db) => listUserInvoices(db, params.id, query)),
  route(routes.listIssuedInvoices, ({ query, caller }, db) => listIssuedInvoices(db, caller, query)),
  dataRoute(routes.getInvoice, ({ params }, db) => getInvoice(db, params.id)),
  dataRoute(routes.editInvoice, ({ params, body, caller }, trx) => setInvoiceStatus(trx, caller, params.id, body)),
  route(routes.listSubscriptions, ({ query }, db) => listSubscriptions(db, query)),
  dataRoute(routes.createSubscription, ({ body, caller }, trx) => createSubscription(trx, caller, body)),
  route(routes.cancelSubscription, async ({ params, caller }, trx) => {
    await cancelSubscription(trx, caller, params.orderId);
    return { data: { id: params.orderId } };
  }),
];
