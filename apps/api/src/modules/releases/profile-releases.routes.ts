import { warnIgnored } from '@regie/contract/columns.ts';
import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import { importProfileReleases, listProfileReleases } from './profile-releases.service.ts';

export const profileReleaseRoutes = [
  route(routes.listProfileLibraries, ({ params, query }, db) => listProfileReleases(db, params.id, query)),
  route(routes.importProfileLibraries, async ({ params, query, body, caller }, trx) => {
    const warnings = warnIgnored(body.releases);
    return {
      data: await importProfileReleases(trx, caller, params.id, body, query.dryRun, warnings),
      warnings,
      ...(query.dryRun ? { message: '' } : {}),
    };
  }),
];
