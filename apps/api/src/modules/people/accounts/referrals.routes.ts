import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import { addReferral, deleteReferral, listReferrals } from './referrals.service.ts';

export const referralRoutes = [
  route(routes.listReferrals, ({ params, query }, db) => listReferrals(db, params.id, query)),
  route(routes.addReferral, async ({ body, caller }, trx) => ({ data: await addReferral(trx, caller, body) })),
  route(routes.deleteReferral, async ({ params, caller }, trx) => ({
    data: await deleteReferral(trx, caller, params.id),
  })),
];
