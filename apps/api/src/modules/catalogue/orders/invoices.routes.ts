import { routes } from '@regie/contract/routes.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import {
  getInvoice,
  listInvoices,
  listIssuedInvoices,
  listUserInvoices,
  setInvoiceStatus,
} from './invoices.service.ts';

export const invoiceRoutes = [
  route(routes.listInvoices, ({ query }, db) => listInvoices(db, query)),
  route(routes.listUserInvoices, ({ params, query }, db) => listUserInvoices(db, params.id, query)),
  route(routes.listIssuedInvoices, ({ query, caller }, db) => listIssuedInvoices(db, caller, query)),
  dataRoute(routes.getInvoice, ({ params }, db) => getInvoice(db, params.id)),
  dataRoute(routes.editInvoice, ({ params, body, caller }, trx) => setInvoiceStatus(trx, caller, params.id, body)),
];
