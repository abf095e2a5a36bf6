import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import { countLists, getRelease, getReleaseIncome, listReleases } from './release-views.service.ts';
import {
  createRelease,
  deleteRelease,
  editRelease,
  moveRelease,
  orderTracks,
  withdrawRelease,
} from './releases.service.ts';

export const releaseRoutes = [
  route(routes.listUnpaidReleases, ({ query, caller }, db) => listReleases(db, caller, 'unpaid', query)),
  route(routes.listPaidReleases, ({ query, caller }, db) => listReleases(db, caller, 'paid', query)),
  route(routes.listDeliveredReleases, ({ query, caller }, db) => listReleases(db, caller, 'delivered', query)),
  route(routes.listUnpublishedReleases, ({ query, caller }, db) => listReleases(db, caller, 'unpublished', query)),
  route(routes.countReleases, async ({ caller }, db) => ({ data: await countLists(db, caller) })),
  route(routes.getResources, async ({ params, caller }, db) => ({ data: await getRelease(db, caller, params.id) })),
  route(routes.getRelease, async ({ params, caller }, db) => ({
    data: (await getRelease(db, caller, params.id)).release,
  })),
  route(routes.getReleaseIncome, async ({ params }, db) => ({ data: await getReleaseIncome(db, params.id) })),
  route(routes.createRelease, async ({ body, caller }, trx) => ({ data: await createRelease(trx, caller, body) })),
  route(routes.editRelease, ({ params, body, caller }, trx) => editRelease(trx, caller, params.id, body)),
  route(routes.withdrawRelease, async ({ params, body, caller }, trx) => ({
    data: await withdrawRelease(trx, caller, params.id, body.note),
  })),
  route(routes.closeRelease, async ({ params, caller }, trx) => ({
    data: await moveRelease(trx, caller, params.id, 'close'),
  })),
  route(routes.reopenRelease, async ({ params, caller }, trx) => ({
    data: await moveRelease(trx, caller, params.id, 'reopen'),
  })),
  route(routes.deleteRelease, ({ params, caller }, trx) => deleteRelease(trx, caller, params.id)),
  route(routes.orderTracks, ({ params, body, caller }, trx) => orderTracks(trx, caller, params.id, body)),
];
