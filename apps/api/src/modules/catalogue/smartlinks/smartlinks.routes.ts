import { routes } from '@regie/contract/routes.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import * as smartlinks from './smartlinks.service.ts';

export const smartlinkRoutes = [
  route(routes.listSmartlinks, ({ params, query, deps }, db) =>
    smartlinks.listSmartlinks(db, deps.smartlinkBaseUrl, params.status, query),
  ),
  dataRoute(routes.getSmartlink, ({ params, caller, deps }, db) =>
    smartlinks.getSmartlink(db, caller, deps.smartlinkBaseUrl, params.id),
  ),
  dataRoute(routes.getSmartlinkClicks, ({ params }, db) => smartlinks.getClicks(db, params.id)),
  dataRoute(routes.createSmartlink, ({ body, caller, deps }, trx) =>
    smartlinks.createSmartlink(trx, caller, deps.smartlinkBaseUrl, body.libraryId),
  ),
  dataRoute(routes.editSmartlink, ({ params, body, caller, deps }, trx) =>
    smartlinks.editSmartlink(trx, caller, deps.smartlinkBaseUrl, params.id, body),
  ),
  dataRoute(routes.deleteSmartlink, ({ params, caller }, trx) => smartlinks.deleteSmartlink(trx, caller, params.id)),
];
