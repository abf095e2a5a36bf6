import { routes } from '@regie/contract/routes.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import { declareAi } from './ai-declarations.service.ts';
import { getLicenceContract } from './licence-contract.service.ts';
import { createArtist, editArtist, listPeople } from './people.service.ts';
import { importProfileReleases, listProfileReleases } from './profile-releases.service.ts';
import { countLists, getRelease, listLibraryTracks, listReleases } from './release-views.service.ts';
import * as releases from './releases.service.ts';
import { importTracks } from './row-import.service.ts';
import { getTrackPage, listTrackLines } from './track-page.service.ts';
import { addTrack, deleteTrack, editTrack } from './tracks.service.ts';

export const releaseRoutes = [
  route(routes.listUnpaidReleases, ({ query, caller }, db) => listReleases(db, caller, 'unpaid', query)),
  route(routes.listPaidReleases, ({ query, caller }, db) => listReleases(db, caller, 'paid', query)),
  route(routes.listDeliveredReleases, ({ query, caller }, db) => listReleases(db, caller, 'delivered', query)),
  route(routes.listUnpublishedReleases, ({ query, caller }, db) => listReleases(db, caller, 'unpublished', query)),
  dataRoute(routes.countReleases, ({ caller }, db) => countLists(db, caller)),
  dataRoute(routes.getResources, ({ params, caller }, db) => getRelease(db, caller, params.id)),
  dataRoute(routes.getRelease, async ({ params, caller }, db) => (await getRelease(db, caller, params.id)).release),
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
  dataRoute(routes.getTrackPage, ({ params, caller }, db) => getTrackPage(db, caller, params.id)),
  dataRoute(routes.listTrackLines, ({ params, deps }, db) => listTrackLines(db, deps.lines, params.id)),
  dataRoute(routes.addTrack, async ({ body, caller }, trx) => ({ id: await addTrack(trx, caller, body) })),
  dataRoute(routes.editTrack, ({ params, body, caller }, trx) => editTrack(trx, caller, params.id, body)),
  route(routes.deleteTrack, ({ params, caller }, trx) => deleteTrack(trx, caller, params.id)),
  route(routes.importTracks, ({ params, query, body, caller }, trx) =>
    importTracks(trx, caller, params.id, body, query.dryRun),
  ),
  route(routes.listProfileLibraries, ({ params, query }, db) => listProfileReleases(db, params.id, query)),
  route(routes.importProfileLibraries, ({ params, query, body, caller }, trx) =>
    importProfileReleases(trx, caller, params.id, body, query.dryRun),
  ),
  route(routes.listArtists, ({ query, caller }, db) => listPeople(db, caller, 'artists', query)),
  route(routes.listContributors, ({ query, caller }, db) => listPeople(db, caller, 'contributors', query)),
  route(routes.listEditors, ({ query, caller }, db) => listPeople(db, caller, 'editors', query)),
  route(routes.listLibraryTracks, ({ query, caller }, db) => listLibraryTracks(db, caller, query)),
  dataRoute(routes.createArtist, ({ body, caller }, trx) => createArtist(trx, caller, body)),
  dataRoute(routes.editArtist, ({ params, body, caller }, trx) => editArtist(trx, caller, params.id, body)),
  dataRoute(routes.getLicenceContract, ({ params, caller }, db) => getLicenceContract(db, caller, params.id)),
];
