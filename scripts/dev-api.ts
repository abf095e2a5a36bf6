import { loadEnv } from '@regie/api/env.ts';
import { startServer } from '@regie/api/main.ts';
import { CommandError } from './lib/cli.ts';
import { runUntilStopped } from './lib/lifecycle.ts';

/** The server of `npm run dev`, which sets its environment and restarts it at every change. */
await runUntilStopped(async (lifecycle) => {
  const env = loadEnv(process.env, 'tool');
  const { databaseUrl, sessionSecret } = env;
  if (databaseUrl === undefined || sessionSecret === undefined) throw new CommandError('Lancez npm run dev.');
  const server = await startServer({ ...env, databaseUrl, sessionSecret });
  lifecycle.onStop(() => server.close());
});
