import { routes } from '@regie/contract/routes.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import * as billing from './billing.service.ts';

export const billingRoutes = [
  route(routes.listBillingAccounts, ({ params, query }, db) => billing.listBillingAccounts(db, params.id, query)),
  route(routes.createBankAccount, ({ params, body, caller }, trx) =>
    billing.createBankAccount(trx, caller, params.id, body),
  ),
  route(routes.createPaypalAccount, ({ params, body, caller }, trx) =>
    billing.createPaypalAccount(trx, caller, params.id, body),
  ),
  dataRoute(routes.getBillingAccount, ({ params }, db) => billing.getBillingAccount(db, params.id)),
  dataRoute(routes.revealBillingAccount, ({ params, caller }, trx) =>
    billing.revealBillingAccount(trx, caller, params.id),
  ),
  route(routes.editBankAccount, ({ params, body, caller }, trx) =>
    billing.editBankAccount(trx, caller, params.id, body),
  ),
  route(routes.editPaypalAccount, ({ params, body, caller }, trx) =>
    billing.editPaypalAccount(trx, caller, params.id, body),
  ),
];
