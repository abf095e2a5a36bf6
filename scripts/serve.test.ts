import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@regie/api/lib/migrate.ts';
import { deriveAppPassword } from '@regie/api/lib/secrets.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@regie/embedded-postgres/embedded-postgres.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const secret = 'un secret pour ces essais seulement';
const children: ChildProcess[] = [];
let dataDir: string;
let server: EmbeddedPostgres;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'regie-serve-'));
  await chmod(dataDir, 0o755);
  server = await startEmbeddedPostgres({ dataDir: join(dataDir, 'data'), settings: { fsync: 'off' } });
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(async () => {
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

function serve(databaseUrl: string) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'serve.ts')], {
    env: {
      PATH: process.env.PATH,
      ...{ DATA_DIR: dataDir, PORT: '0', ROLE: 'web', LOG_LEVEL: 'silent' },
      ...{ SESSION_SECRET: secret, DATABASE_URL: databaseUrl },
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  }
  return { child, text: () => text, exit: once(child, 'close').then(([code]) => code as number | null) };
}
const withoutLogin = () => {
  const url = new URL(server.url());
  url.username = '';
  url.password = '';
  return url.href;
};

test("a web process is refused the owner's login, waits for migrations, and runs with the restricted login", async () => {
  const asOwner = serve(server.url());
  expect(await asOwner.exit).toBe(1);
  expect(asOwner.text()).toContain('DATABASE_URL : avec ROLE=web');

  const early = serve(withoutLogin());
  expect(await early.exit).toBe(1);
  expect(early.text()).toContain('npm run migrate');

  await migrate({ ownerUrl: server.url(), appPassword: deriveAppPassword(secret) });
  const running = serve(withoutLogin());
  await expect.poll(running.text, { timeout: 100_000 }).toContain('Régie: ');
  running.child.kill('SIGTERM');
  expect(await running.exit).toBe(0);
});
