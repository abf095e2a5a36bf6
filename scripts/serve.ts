import { loadEnv } from '@regie/api/env.ts';
import { isMigrated, migrate } from '@regie/api/lib/migrate.ts';
import { deriveAppPassword } from '@regie/api/lib/secrets.ts';
import { appUrl, startServer } from '@regie/api/main.ts';
import { CommandError, say } from './lib/cli.ts';
import { runUntilStopped } from './lib/lifecycle.ts';
import { assertPortIsFree, explainListenError } from './lib/port.ts';
import { buildWebIfChanged } from './lib/web-build.ts';

await runUntilStopped(async (lifecycle) => {
  const env = loadEnv(process.env, 'serve');
  const { databaseUrl, sessionSecret } = env;
  if (databaseUrl === undefined || sessionSecret === undefined) {
    throw new CommandError('DATABASE_URL et SESSION_SECRET sont requis en production.');
  }
  if (env.role !== 'worker') {
    await assertPortIsFree(env.host, env.port);
    await buildWebIfChanged(say);
  }
  if (env.role === 'web') {
    if (!(await isMigrated(appUrl(databaseUrl, sessionSecret)))) {
      throw new CommandError(
        'La base n’est pas au niveau de cette version, ou ne connaît pas ce SESSION_SECRET\u00A0: lancez npm run migrate avec le compte propriétaire.',
      );
    }
  } else {
    await migrate({ ownerUrl: databaseUrl, appPassword: deriveAppPassword(sessionSecret) });
  }
  const server = await startServer({ ...env, databaseUrl, sessionSecret }).catch((error: unknown) => {
    throw explainListenError(error, env.host, env.port);
  });
  lifecycle.onStop(() => server.close());
  say(env.role === 'worker' ? 'Régie: tâches de fond en marche' : `Régie: ${server.origin}`);
});
