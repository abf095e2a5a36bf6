import { routes } from '@regie/contract/routes.ts';
import manifest from '#package.json' with { type: 'json' };
import { dataRoute } from '#src/lib/route.ts';
import { listBackupRecords } from '#src/modules/platform/backups/stored-backups.service.ts';
import { checkSystem } from './system.service.ts';

export const systemRoutes = [
  dataRoute(routes.getSystem, async ({ deps: { storage, publicUrl, system, analytics } }, db) => ({
    version: manifest.version,
    checks: await checkSystem({ db, storage, publicUrl, settings: system, analytics }),
    checkedAt: Date.now(),
    backups: await listBackupRecords(db),
  })),
];
