import { loadEnv } from '@regie/api/env.ts';
import { startServer } from '@regie/api/main.ts';
import { say } from './lib/cli.ts';
import { runUntilStopped } from './lib/lifecycle.ts';
import { assertPortIsFree, explainListenError } from './lib/port.ts';
import { assertNoDatabaseUrl, prepareDemo, printWelcome } from './lib/prepare-demo.ts';
import { buildWebIfChanged } from './lib/web-build.ts';

await runUntilStopped(async (lifecycle) => {
  const env = loadEnv(process.env, 'start');
  assertNoDatabaseUrl(env, 'npm start');
  await assertPortIsFree(env.host, env.port);
  // The build uses its own core while the database is prepared; its errors are handled below.
  const webBuild = buildWebIfChanged(say);
  webBuild.catch(() => {});
  const { databaseUrl, sessionSecret, admin } = await prepareDemo(lifecycle, env);
  await webBuild;
  const server = await startServer({ ...env, databaseUrl, sessionSecret }).catch((error: unknown) => {
    throw explainListenError(error, env.host, env.port);
  });
  lifecycle.onStop(() => server.close());
  printWelcome(server.origin, admin);
});
