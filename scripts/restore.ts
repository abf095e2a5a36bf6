import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadEnv } from '@regie/api/env.ts';
import { createDatabase } from '@regie/api/lib/db.ts';
import { verifyLedger } from '@regie/api/modules/ledger/ledger.verify.service.ts';
import { restore } from './lib/backup.ts';
import { CommandError, runCommand, say } from './lib/cli.ts';
import { filesDirOf, withDatabase } from './lib/with-database.ts';

await runCommand(async () => {
  const { values, positionals } = parseArgs({
    options: { force: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [name] = positionals;
  if (name === undefined || positionals.length > 1) {
    throw new CommandError('Indiquez le fichier à restaurer\u00A0: npm run restore -- sauvegarde.regie');
  }
  const env = loadEnv(process.env, 'tool');
  const file = resolve(process.env.INIT_CWD ?? '.', name);
  await withDatabase(env, { create: true, exclusive: true }, async ({ ownerUrl, appPassword }) => {
    const result = await restore({
      ownerUrl,
      appPassword: appPassword(),
      filesDir: filesDirOf(env),
      file,
      force: values.force,
    });
    say(`Sauvegarde restaurée\u00A0: ${result.tables} tables, ${result.files} fichiers.`);
    if (result.keptFilesDir !== undefined) say(`Les fichiers précédents sont gardés dans ${result.keptFilesDir}.`);
    const db = createDatabase(ownerUrl, { max: 1 });
    try {
      const differences = await verifyLedger(db);
      for (const difference of differences) say(difference);
      if (differences.length > 0)
        throw new CommandError('Le grand livre restauré a des écarts\u00A0: voyez les lignes ci-dessus.');
      say('Le grand livre est exact.');
    } finally {
      await db.destroy();
    }
  });
});
