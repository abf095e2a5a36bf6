import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import { getInvoice, listInvoices, listUserInvoices, setInvoiceStatus } from './invoices.service.ts';

export const invoiceRoutes = [
  route(routes.listInvoices, ({ query }, db) => listInvoices(db, query)),
  route(routes.listUserInvoices, ({ params, query }, db) => listUserInvoices(db, params.id, query)),
  route(routes.getInvoice, async ({ params }, db) => ({ data: await getInvoice(db, params.id) })),
  route(routes.editInvoice, async ({ params, body, caller }, trx) => ({
    data: await setInvoiceStatus(trx, caller, params.id, body),
  })),
];
