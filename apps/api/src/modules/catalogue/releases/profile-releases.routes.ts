import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import { importProfileReleases, listProfileReleases } from './profile-releases.service.ts';

export const profileReleaseRoutes = [
  route(routes.listProfileLibraries, ({ params, query }, db) => listProfileReleases(db, params.id, query)),
  route(routes.importProfileLibraries, ({ params, query, body, caller }, trx) =>
    importProfileReleases(trx, caller, params.id, body, query.dryRun),
  ),
];
