import { parseArgs } from 'node:util';
import { loadEnv } from '@regie/api/env.ts';
import { readBackupKeys } from '@regie/api/lib/backup-encryption.ts';
import { createDatabase } from '@regie/api/lib/db.ts';
import { localFolderOf } from '@regie/api/lib/open-storage.ts';
import { openLines } from '@regie/api/modules/income/lines/lines.service.ts';
import { restore } from '@regie/api/modules/platform/backups/backup.service.ts';
import { verifyLedger } from '@regie/api/modules/platform/verify/verify.service.ts';
import { findBackup } from './lib/backups.ts';
import { CommandError, runCommand, say } from './lib/cli.ts';
import { withDatabase } from './lib/with-database.ts';

await runCommand(async () => {
  const { values, positionals } = parseArgs({
    options: { force: { type: 'boolean', default: false }, latest: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [name] = positionals;
  const env = loadEnv(process.env, 'tool');
  if (positionals.length > 1 || (name === undefined) !== values.latest || (values.latest && !env.backup.url)) {
    throw new CommandError(
      'Indiquez la sauvegarde à restaurer\u00A0: npm run restore -- sauvegarde.regie. Avec BACKUP_URL, --latest prend la plus récente.',
    );
  }
  const keys = await readBackupKeys(env.backup);
  const source = await findBackup(env, name);
  await withDatabase(env, { create: true, exclusive: true }, async ({ ownerUrl, appPassword }) => {
    const result = await restore({
      ownerUrl,
      appPassword: appPassword(),
      filesDir: localFolderOf(env.storageUrl),
      source,
      keys,
      force: values.force,
    });
    say(`Sauvegarde restaurée\u00A0: ${result.tables} tables, ${result.files} fichiers.`);
    if (result.keptFilesDir !== undefined) say(`Les fichiers précédents sont gardés dans ${result.keptFilesDir}.`);
    const db = createDatabase(ownerUrl, { max: 1 });
    const lines = openLines(env);
    try {
      const differences = await verifyLedger(db, lines);
      for (const difference of differences) say(difference);
      if (differences.length > 0)
        throw new CommandError('Le grand livre restauré a des écarts\u00A0: voyez les lignes ci-dessus.');
      say('Le grand livre est exact.');
    } finally {
      await lines.close();
      await db.destroy();
    }
  });
});
