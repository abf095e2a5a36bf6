import { warnIgnored } from '@regie/contract/columns.ts';
import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import { importTracks } from './row-import.service.ts';

export const rowImportRoutes = [
  route(routes.importTracks, async ({ params, query, body, caller }, trx) => {
    const warnings = warnIgnored(body);
    return {
      data: await importTracks(trx, caller, params.id, body, query.dryRun, warnings),
      warnings,
      ...(query.dryRun ? { message: '' } : {}),
    };
  }),
];
