import { loadEnv } from '@regie/api/env.ts';
import { migrate } from '@regie/api/lib/migrate.ts';
import { runCommand, say } from './lib/cli.ts';
import { withDatabase } from './lib/with-database.ts';

await runCommand(async () => {
  const env = loadEnv(process.env, 'tool');
  const { applied } = await withDatabase(env, { create: true }, (database) =>
    migrate({ ownerUrl: database.ownerUrl, appPassword: database.appPassword() }),
  );
  for (const name of applied) say(`Migration appliquée\u00A0: ${name}`);
  if (applied.length === 0) say('La base est à jour.');
});
