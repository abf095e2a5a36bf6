import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import { createProfile, editProfile, getProfile, listProfiles } from './accounts.service.ts';

export const accountRoutes = [
  route(routes.listProfiles, ({ query }, db) => listProfiles(db, query)),
  route(routes.createProfile, async ({ body, caller }, trx) => ({ data: await createProfile(trx, caller, body) })),
  route(routes.getProfile, async ({ params }, db) => ({ data: await getProfile(db, params.id) })),
  route(routes.editProfile, async ({ params, body, caller }, trx) => ({
    data: await editProfile(trx, caller, params.id, body),
  })),
];
