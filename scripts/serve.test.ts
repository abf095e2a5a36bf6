// @module-tag slow
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
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

function serve(databaseUrl: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'serve.ts')], {
    env: {
      PATH: process.env.PATH,
      ...{ DATA_DIR: dataDir, PORT: '0', ROLE: 'web', LOG_LEVEL: 'silent' },
      ...{ SESSION_SECRET: secret, DATABASE_URL: databaseUrl },
      ...env,
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

test("a web process refuses the owner's login, waits for migrations, and runs with the restricted login", async () => {
  const asOwner = serve(server.url());
  expect(await asOwner.exit).toBe(1);
  expect(asOwner.text()).toContain('DATABASE_URL : avec ROLE=web');

  const early = serve(withoutLogin());
  expect(await early.exit).toBe(1);
  expect(early.text()).toContain('npm run migrate');

  await migrate({ ownerUrl: server.url(), appPassword: deriveAppPassword(secret) });
  const lines = join(dataDir, 'uploads', 'lines');
  const eightDaysAgo = Date.now() / 1000 - 8 * 86_400;
  for (const folder of ['old', 'new']) {
    await mkdir(join(lines, folder), { recursive: true });
    await writeFile(join(lines, folder, '1.tsv'), 'x');
  }
  for (const name of ['old/1.tsv', 'old']) await utimes(join(lines, name), eightDaysAgo, eightDaysAgo);
  const running = serve(withoutLogin());
  await expect.poll(running.text, { timeout: 100_000 }).toContain('Régie: ');
  // What a killed process left on this machine, where no nightly job may run.
  await expect.poll(() => readdir(join(lines, 'old')).catch(() => [])).toEqual([]);
  expect(await readdir(join(lines, 'new'))).toEqual(['1.tsv']);
  running.child.kill('SIGTERM');
  expect(await running.exit).toBe(0);
});

test('a worker answers calls for its figures only, where METRICS_PORT says', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  await promisify(taken.close.bind(taken))();
  const worker = serve(server.url(), { ROLE: 'worker', METRICS_PORT: String(port) });
  await expect.poll(worker.text, { timeout: 100_000 }).toContain('tâches de fond en marche');
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  expect(await (await ask('/readyz')).json()).toMatchObject({ status: 'ok' });
  await expect
    .poll(async () => (await ask('/metrics')).text(), { timeout: 100_000 })
    .toMatch(/^regie_job_seconds_count\{task="resume_jobs",outcome="done"\} \d/m);
  expect((await ask('/api/auth/check')).status).toBe(404);
  worker.child.kill('SIGTERM');
  expect(await worker.exit).toBe(0);
});
