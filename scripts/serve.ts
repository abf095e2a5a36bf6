import { loadEnv } from '@regie/api/env.ts';
import { migrate } from '@regie/api/lib/migrate.ts';
import { deriveAppPassword } from '@regie/api/lib/secrets.ts';
import { startServer } from '@regie/api/main.ts';
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
  await migrate({ ownerUrl: databaseUrl, appPassword: deriveAppPassword(sessionSecret) });
  const server = await startServer({ ...env, databaseUrl, sessionSecret }).catch((error: unknown) => {
    throw explainListenError(error, env.host, env.port);
  });
  lifecycle.onStop(() => server.close());
  say(env.role === 'worker' ? 'Régie: tâches de fond en marche' : `Régie: ${server.origin}`);
});
