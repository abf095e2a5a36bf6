import { routes } from '@regie/contract/routes.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import { createProfile, editProfile, getProfile, listProfiles, readDefaultShares } from './accounts.service.ts';
import { importCompanies } from './company-import.service.ts';

export const accountRoutes = [
  route(routes.listProfiles, ({ query, caller }, db) => listProfiles(db, caller, query)),
  dataRoute(routes.getNewProfile, (_, db) => readDefaultShares(db)),
  route(routes.createProfile, ({ body, caller }, trx) => createProfile(trx, caller, body)),
  dataRoute(routes.getProfile, ({ params }, db) => getProfile(db, params.id)),
  route(routes.importCompanies, ({ body, query, caller }, trx) => importCompanies(trx, caller, body, query.dryRun)),
  route(routes.editProfile, ({ params, body, caller }, trx) => editProfile(trx, caller, params.id, body)),
];
