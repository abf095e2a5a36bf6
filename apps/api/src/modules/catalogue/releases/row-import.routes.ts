import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import { importTracks } from './row-import.service.ts';

export const rowImportRoutes = [
  route(routes.importTracks, ({ params, query, body, caller }, trx) =>
    importTracks(trx, caller, params.id, body, query.dryRun),
  ),
];
