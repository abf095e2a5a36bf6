import { routes } from '@regie/contract/routes.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import { createProfile, editProfile, getProfile, listProfiles, readDefaultShares } from './accounts.service.ts';
import * as billing from './billing.service.ts';
import { importCompanies } from './company-import.service.ts';
import { addReferral, deleteReferral, listReferrals } from './referrals.service.ts';

export const accountRoutes = [
  route(routes.listProfiles, ({ query, caller }, db) => listProfiles(db, caller, query)),
  dataRoute(routes.getNewProfile, (_, db) => readDefaultShares(db)),
  route(routes.createProfile, ({ body, caller }, trx) => createProfile(trx, caller, body)),
  dataRoute(routes.getProfile, ({ params }, db) => getProfile(db, params.id)),
  route(routes.importCompanies, ({ body, query, caller }, trx) => importCompanies(trx, caller, body, query.dryRun)),
  route(routes.editProfile, ({ params, body, caller }, trx) => editProfile(trx, caller, params.id, body)),
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
  route(routes.listReferrals, ({ params, query }, db) => listReferrals(db, params.id, query)),
  dataRoute(routes.addReferral, ({ body, caller }, trx) => addReferral(trx, caller, body)),
  dataRoute(routes.deleteReferral, ({ params, caller }, trx) => deleteReferral(trx, caller, params.id)),
];
