import { routes } from '@regie/contract/routes.ts';
import type { Trx } from '#src/lib/db.ts';
import { fileRoute, route } from '#src/lib/route.ts';
import {
  createBatch,
  exportBatch,
  getBatch,
  listBatches,
  listBatchPayouts,
  listManual,
  makePaypalFile,
  makeSepaFile,
  payBatch,
  preflight,
  voidBatch,
} from './batches.service.ts';
import { payEveryone } from './pay-everyone.service.ts';

export const payoutBatchRoutes = [
  route(routes.preflightBatch, async ({ body }, trx) => ({ data: await preflight(trx, body.payouts) })),
  route(routes.payEveryone, async ({ body, caller }, trx) => ({ data: await payEveryone(trx, caller, body) })),
  route(routes.createBatch, async ({ body, caller }, trx) => ({ data: { id: await createBatch(trx, caller, body) } })),
  route(routes.listBatches, ({ query }, db) => listBatches(db, query)),
  route(routes.getBatch, async ({ params }, db) => ({ data: await getBatch(db, params.id) })),
  route(routes.listBatchPayouts, ({ params, query }, db) => listBatchPayouts(db, params.id, query)),
  route(routes.exportBatch, async ({ params, caller }, trx) => ({ data: await exportBatch(trx, caller, params.id) })),
  fileRoute(routes.getBatchSepa, ({ params, caller }, db) => makeSepaFile(db as Trx, caller, params.id)),
  fileRoute(routes.getBatchPaypal, ({ params, caller }, db) => makePaypalFile(db as Trx, caller, params.id)),
  route(routes.listManualPayments, async ({ params, caller }, db) => ({
    data: await listManual(db, caller, params.id),
  })),
  route(routes.payBatch, async ({ params, caller }, trx) => ({ data: await payBatch(trx, caller, params.id) })),
  route(routes.voidBatch, async ({ params, caller }, trx) => ({ data: await voidBatch(trx, caller, params.id) })),
];
