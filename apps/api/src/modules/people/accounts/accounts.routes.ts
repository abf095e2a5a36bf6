import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import { createProfile, editProfile, getProfile, listProfiles, readDefaultShares } from './accounts.service.ts';

export const accountRoutes = [
  route(routes.listProfiles, ({ query, caller }, db) => listProfiles(db, caller, query)),
  route(routes.getNewProfile, async (_, db) => ({ data: await readDefaultShares(db) })),
  route(routes.createProfile, ({ body, caller }, trx) => createProfile(trx, caller, body)),
  route(routes.getProfile, async ({ params }, db) => ({ data: await getProfile(db, params.id) })),
  route(routes.editProfile, ({ params, body, caller }, trx) => editProfile(trx, caller, params.id, body)),
];
