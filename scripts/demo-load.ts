import { parseArgs } from 'node:util';
import { DemoRefusedError, loadDemo } from '@regie/api/demo/load-demo.ts';
import { loadEnv } from '@regie/api/env.ts';
import { migrate } from '@regie/api/lib/migrate.ts';
import { createStorage } from '@regie/api/lib/open-storage.ts';
import { CommandError, runCommand, say } from './lib/cli.ts';
import { withDatabase } from './lib/with-database.ts';

const maxScale = 1000;

await runCommand(async () => {
  const { values } = parseArgs({ options: { scale: { type: 'string', default: '1' } }, strict: true });
  const scale = Number(values.scale);
  if (!Number.isInteger(scale) || scale < 1 || scale > maxScale) {
    throw new CommandError(`--scale attend un nombre entier de 1 à ${maxScale}.`);
  }
  const env = loadEnv(process.env, 'tool');
  await withDatabase(env, { create: true }, async (database) => {
    await migrate({ ownerUrl: database.ownerUrl, appPassword: database.appPassword() });
    await loadDemo({ ownerUrl: database.ownerUrl, storage: createStorage(env.storageUrl), scale, log: say }).catch(
      (error: unknown) => {
        throw error instanceof DemoRefusedError ? new CommandError(error.message) : error;
      },
    );
  });
  say('Le catalogue de démonstration est chargé.');
});
