import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { loadEnv } from '@regie/api/env.ts';
import { say } from './lib/cli.ts';
import { type Lifecycle, runUntilStopped } from './lib/lifecycle.ts';
import { assertPortIsFree } from './lib/port.ts';
import { assertNoDatabaseUrl, prepareDemo, printWelcome } from './lib/prepare-demo.ts';

const root = join(import.meta.dirname, '..');

/** Vite answers on PORT and proxies /api to the server on the next port, which restarts when a source changes. */
await runUntilStopped(async (lifecycle) => {
  const env = loadEnv(process.env, 'start');
  assertNoDatabaseUrl(env, 'npm run dev');
  const apiPort = env.port + 1;
  await assertPortIsFree(env.host, env.port);
  await assertPortIsFree(env.host, apiPort);
  const { databaseUrl, sessionSecret, admin } = await prepareDemo(lifecycle, env);
  const shared = { ...process.env, NODE_ENV: 'development' };
  run(lifecycle, root, ['--watch', '--watch-preserve-output', join(root, 'scripts', 'dev-api.ts')], {
    ...shared,
    DATABASE_URL: databaseUrl,
    SESSION_SECRET: sessionSecret,
    PORT: String(apiPort),
    PUBLIC_URL: env.publicUrl,
  });
  run(
    lifecycle,
    join(root, 'apps', 'web'),
    [
      join(root, 'node_modules', 'vite', 'bin', 'vite.js'),
      '--host',
      env.host,
      '--port',
      String(env.port),
      '--strictPort',
    ],
    { ...shared, REGIE_API_URL: `http://${env.host}:${apiPort}` },
  );
  printWelcome(env.publicUrl, admin);
});

/** The command ends with its first child, for any reason. */
function run(lifecycle: Lifecycle, cwd: string, arguments_: string[], env: NodeJS.ProcessEnv): void {
  const child = spawn(process.execPath, arguments_, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] });
  lifecycle.onStop(() => end(child));
  child.once('exit', (code) => {
    if (lifecycle.isStopping()) return;
    say(`Un des processus s'est arrêté (code ${code}).`);
    void lifecycle.stop(1);
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
