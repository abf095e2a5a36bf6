import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import { editArtist, listPeople } from './people.service.ts';
import { listLibraryTracks } from './releases.service.ts';

export const libraryRoutes = [
  route(routes.listArtists, ({ query }, db) => listPeople(db, 'artists', query)),
  route(routes.listContributors, ({ query }, db) => listPeople(db, 'contributors', query)),
  route(routes.listEditors, ({ query }, db) => listPeople(db, 'editors', query)),
  route(routes.listLibraryTracks, ({ query, caller }, db) => listLibraryTracks(db, caller, query)),
  route(routes.editArtist, async ({ params, body, caller }, trx) => ({
    data: await editArtist(trx, caller, params.id, body),
  })),
];
