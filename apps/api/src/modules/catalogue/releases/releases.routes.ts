import { routes } from '@regie/contract/routes.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import { declareAi } from './ai-declarations.service.ts';
import { countLists, getRelease, listReleases } from './release-views.service.ts';
import * as releases from './releases.service.ts';

export const releaseRoutes = [
  route(routes.listUnpaidReleases, ({ query, caller }, db) => listReleases(db, caller, 'unpaid', query)),
  route(routes.listPaidReleases, ({ query, caller }, db) => listReleases(db, caller, 'paid', query)),
  route(routes.listDeliveredReleases, ({ query, caller }, db) => listReleases(db, caller, 'delivered', query)),
  route(routes.listUnpublishedReleases, ({ query, caller }, db) => listReleases(db, caller, 'unpublished', query)),
  dataRoute(routes.countReleases, ({ caller }, db) => countLists(db, caller)),
  dataRoute(routes.getResources, ({ params, caller }, db) => getRelease(db, caller, params.id)),
  route(routes.getRelease, async ({ params, caller }, db) => ({
    data: (await getRelease(db, caller, params.id)).release,
  })),
  dataRoute(routes.createRelease, ({ body, caller }, trx) => releases.createRelease(trx, caller, body)),
  route(routes.editRelease, ({ params, body, caller }, trx) => releases.editRelease(trx, caller, params.id, body)),
  dataRoute(routes.withdrawRelease, ({ params, body, caller }, trx) =>
    releases.withdrawRelease(trx, caller, params.id, body.note),
  ),
  dataRoute(routes.closeRelease, ({ params, caller }, trx) => releases.moveRelease(trx, caller, params.id, 'close')),
  dataRoute(routes.reopenRelease, ({ params, caller }, trx) => releases.moveRelease(trx, caller, params.id, 'reopen')),
  route(routes.deleteRelease, ({ params, caller }, trx) => releases.deleteRelease(trx, caller, params.id)),
  dataRoute(routes.declareAi, ({ body, caller }, trx) => declareAi(trx, caller, body)),
  route(routes.orderTracks, ({ params, body, caller }, trx) => releases.orderTracks(trx, caller, params.id, body)),
];
