import { routes } from '@regie/contract/routes.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import { addPromoCode, deletePromoCode, listPromoCodes } from './promo-codes.service.ts';

export const promoCodeRoutes = [
  route(routes.listPromoCodes, ({ query }, db) => listPromoCodes(db, query)),
  route(routes.addPromoCode, ({ body, caller }, trx) => addPromoCode(trx, caller, body)),
  dataRoute(routes.deletePromoCode, ({ params, caller }, trx) => deletePromoCode(trx, caller, params.id)),
];
