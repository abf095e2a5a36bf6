import { routes } from '@regie/contract/routes.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import * as payouts from './payouts.service.ts';

export const payoutRoutes = [
  dataRoute(routes.requestPayout, async ({ body, caller }, trx) => ({
    payoutId: await payouts.requestPayout(trx, caller, body),
  })),
  dataRoute(routes.getRequestOptions, ({ params }, db) => payouts.getRequestOptions(db, params.id)),
  dataRoute(routes.requestBalances, ({ body, caller }, trx) => payouts.requestBalances(trx, caller, body.users)),
  route(routes.listPendingPayouts, ({ query }, db) => payouts.listPayouts(db, 'PENDING', query)),
  route(routes.listPaidPayouts, ({ query }, db) => payouts.listPayouts(db, 'PAID', query)),
  route(routes.listCancelledPayouts, ({ query }, db) => payouts.listPayouts(db, 'CANCEL', query)),
  dataRoute(routes.getPayout, ({ params }, db) => payouts.getPayout(db, params.id)),
  dataRoute(routes.revealPayoutAccount, ({ params, caller }, trx) => payouts.revealAccount(trx, caller, params.id)),
  dataRoute(routes.getPayoutReceipt, ({ params, caller }, db) => payouts.getReceipt(db, caller, params.id)),
  route(routes.editPayout, ({ params, body, caller }, trx) => payouts.editPayout(trx, caller, params.id, body)),
  route(routes.deletePayout, async ({ params, caller }, trx) => {
    await payouts.deletePayout(trx, caller, params.id);
    return { data: { payoutId: params.id } };
  }),
  route(routes.markPayoutDownloaded, async ({ params, caller }, trx) => {
    await payouts.markDownloaded(trx, caller, params.id);
    return { data: { payoutId: params.id, payoutDownloaded: 1 as const } };
  }),
  route(routes.listUnpaidAccounts, ({ query }, db) => payouts.listUnpaidAccounts(db, query)),
];
