import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import {
  deletePayout,
  editPayout,
  getPayout,
  getReceipt,
  getRequestOptions,
  listPayouts,
  listUnpaidAccounts,
  markDownloaded,
  requestBalances,
  requestPayout,
  revealAccount,
} from './payouts.service.ts';

export const payoutRoutes = [
  route(routes.requestPayout, async ({ body, caller }, trx) => ({
    data: { payoutId: await requestPayout(trx, caller, body) },
  })),
  route(routes.getRequestOptions, async ({ params }, db) => ({ data: await getRequestOptions(db, params.id) })),
  route(routes.requestBalances, async ({ body, caller }, trx) => ({
    data: await requestBalances(trx, caller, body.users),
  })),
  route(routes.listPendingPayouts, ({ query }, db) => listPayouts(db, 'PENDING', query)),
  route(routes.listPaidPayouts, ({ query }, db) => listPayouts(db, 'PAID', query)),
  route(routes.listCancelledPayouts, ({ query }, db) => listPayouts(db, 'CANCEL', query)),
  route(routes.getPayout, async ({ params }, db) => ({ data: await getPayout(db, params.id) })),
  route(routes.revealPayoutAccount, async ({ params, caller }, trx) => ({
    data: await revealAccount(trx, caller, params.id),
  })),
  route(routes.getPayoutReceipt, async ({ params, caller }, db) => ({ data: await getReceipt(db, caller, params.id) })),
  route(routes.editPayout, ({ params, body, caller }, trx) => editPayout(trx, caller, params.id, body)),
  route(routes.deletePayout, async ({ params, caller }, trx) => {
    await deletePayout(trx, caller, params.id);
    return { data: { payoutId: params.id } };
  }),
  route(routes.markPayoutDownloaded, async ({ params, caller }, trx) => {
    await markDownloaded(trx, caller, params.id);
    return { data: { payoutId: params.id, payoutDownloaded: 1 as const } };
  }),
  route(routes.listUnpaidAccounts, ({ query }, db) => listUnpaidAccounts(db, query)),
];
