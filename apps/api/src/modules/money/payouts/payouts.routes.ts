import { routes } from '@regie/contract/routes.ts';
import type { Trx } from '#src/lib/db.ts';
import { dataRoute, fileRoute, route, uploadRoute } from '#src/lib/route.ts';
import * as bank from './bank-answers.service.ts';
import * as batches from './batches.service.ts';
import { payEveryone } from './pay-everyone.service.ts';
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
  dataRoute(routes.preflightBatch, ({ body }, trx) => batches.preflight(trx, body.payouts)),
  dataRoute(routes.payEveryone, ({ body, caller }, trx) => payEveryone(trx, caller, body)),
  dataRoute(routes.createBatch, async ({ body, caller }, trx) => ({
    id: await batches.createBatch(trx, caller, body),
  })),
  route(routes.listBatches, ({ query }, db) => batches.listBatches(db, query)),
  dataRoute(routes.getBatch, ({ params }, db) => batches.getBatch(db, params.id)),
  route(routes.listBatchPayouts, ({ params, query }, db) => batches.listBatchPayouts(db, params.id, query)),
  dataRoute(routes.exportBatch, ({ params, caller }, trx) => batches.exportBatch(trx, caller, params.id)),
  fileRoute(routes.getBatchSepa, ({ params, caller }, db) => batches.makeSepaFile(db as Trx, caller, params.id)),
  fileRoute(routes.getBatchPaypal, ({ params, caller }, db) => batches.makePaypalFile(db as Trx, caller, params.id)),
  dataRoute(routes.listManualPayments, ({ params, caller }, db) => batches.listManual(db, caller, params.id)),
  uploadRoute(routes.readBankReport, {
    prepare: async ({ upload }) => bank.readReport(upload),
    apply: async ({ caller, params }, report, trx) => ({
      data: await bank.storeReport(trx, caller, params.id, report),
    }),
  }),
  dataRoute(routes.typeBankAnswer, ({ params, body, caller }, trx) => bank.typeAnswer(trx, caller, params.id, body)),
  route(routes.returnRejected, ({ params, caller }, trx) => batches.returnRejected(trx, caller, params.id)),
  route(routes.abandonBatch, ({ params, caller }, trx) => batches.abandonBatch(trx, caller, params.id)),
  route(routes.payBatch, ({ params, caller }, trx) => batches.payBatch(trx, caller, params.id)),
  dataRoute(routes.voidBatch, ({ params, caller }, trx) => batches.voidBatch(trx, caller, params.id)),
];
