import { loadEnv } from '@regie/api/env.ts';
import type { Database } from '@regie/api/lib/db.ts';
import { createStorage } from '@regie/api/lib/open-storage.ts';
import { appLogin, systemSettings } from '@regie/api/main.ts';
import { createClickHouse } from '@regie/api/modules/income/analytics/clickhouse.service.ts';
import { checkSystem } from '@regie/api/modules/platform/system/system.service.ts';
import { systemCheckLabels } from '@regie/contract/routes/system.ts';
import { runCommand, say } from './lib/cli.ts';
import { type DatabaseAccess, withOwner } from './lib/with-database.ts';

await runCommand(async () => {
  const env = loadEnv(process.env, 'tool');
  const check = async (db: Database, { ownerUrl, appPassword }: DatabaseAccess) => {
    const storage = createStorage(env.storageUrl);
    const analytics = env.analytics && createClickHouse(env.analytics, storage);
    try {
      return await checkSystem({
        db,
        appUrl: appLogin(ownerUrl, appPassword()),
        storage,
        publicUrl: env.publicUrl,
        settings: systemSettings(env),
        analytics,
      });
    } finally {
      await analytics?.close();
    }
  };
  const checks = await withOwner(env, check, { max: 4 });
  for (const { name, isOk, text } of checks)
    say(`${isOk ? 'ok     ' : 'ERREUR '} ${systemCheckLabels[name]}\u00A0: ${text}`);
  if (checks.some(({ isOk }) => !isOk)) process.exitCode = 1;
});
