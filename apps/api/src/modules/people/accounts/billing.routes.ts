import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import * as billing from './billing.service.ts';

export const billingRoutes = [
  route(routes.listBillingAccounts, ({ params, query }, db) => billing.listBillingAccounts(db, params.id, query)),
  route(routes.createBankAccount, ({ params, body, caller }, trx) =>
    billing.createBankAccount(trx, caller, params.id, body),
  ),
  route(routes.createPaypalAccount, ({ params, body, caller }, trx) =>
    billing.createPaypalAccount(trx, caller, params.id, body),
  ),
  route(routes.getBillingAccount, async ({ params }, db) => ({
    data: await billing.getBillingAccount(db, params.id),
  })),
  route(routes.revealBillingAccount, async ({ params, caller }, trx) => ({
    data: await billing.revealBillingAccount(trx, caller, params.id),
  })),
  route(routes.editBankAccount, ({ params, body, caller }, trx) =>
    billing.editBankAccount(trx, caller, params.id, body),
  ),
  route(routes.editPaypalAccount, ({ params, body, caller }, trx) =>
    billing.editPaypalAccount(trx, caller, params.id, body),
  ),
];
