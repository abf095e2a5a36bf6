import { routes } from '@regie/contract/routes.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import { createArtist, editArtist, listPeople } from './people.service.ts';
import { listLibraryTracks } from './release-views.service.ts';

export const libraryRoutes = [
  route(routes.listArtists, ({ query, caller }, db) => listPeople(db, caller, 'artists', query)),
  route(routes.listContributors, ({ query, caller }, db) => listPeople(db, caller, 'contributors', query)),
  route(routes.listEditors, ({ query, caller }, db) => listPeople(db, caller, 'editors', query)),
  route(routes.listLibraryTracks, ({ query, caller }, db) => listLibraryTracks(db, caller, query)),
  dataRoute(routes.createArtist, ({ body, caller }, trx) => createArtist(trx, caller, body)),
  dataRoute(routes.editArtist, ({ params, body, caller }, trx) => editArtist(trx, caller, params.id, body)),
];
