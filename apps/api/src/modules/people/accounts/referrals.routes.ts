import { routes } from '@regie/contract/routes.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import { addReferral, deleteReferral, listReferrals } from './referrals.service.ts';

export const referralRoutes = [
  route(routes.listReferrals, ({ params, query }, db) => listReferrals(db, params.id, query)),
  dataRoute(routes.addReferral, ({ body, caller }, trx) => addReferral(trx, caller, body)),
  dataRoute(routes.deleteReferral, ({ params, caller }, trx) => deleteReferral(trx, caller, params.id)),
];
