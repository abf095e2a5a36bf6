import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messages } from '@regie/contract/messages.ts';
import { routeTable } from '@regie/contract/routes.ts';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { pino } from 'pino';
import S3rver from 's3rver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApp } from '#src/app.ts';
import { useApp } from '#test/app.ts';
import { buildAccount, buildRelease } from '#test/factories.ts';
import { createDatabase, type Trx } from './db.ts';
import { enqueue } from './jobs.ts';
import { registry, requests } from './metrics.ts';
import { createStorage } from './open-storage.ts';
import { newStorageKey } from './storage.ts';

const app = useApp();
let guarded: FastifyInstance;
const token = 'jeton-de-mesure-0123';
const before = (minutes: number) => new Date(Date.now() - minutes * 60_000);

beforeAll(async () => {
  guarded = await buildApp({ deps: app.deps, trustProxy: [], webDir: undefined, metricsToken: token });
});
afterAll(() => guarded.close());

const ask = async (server: FastifyInstance, remoteAddress: string, headers: Record<string, string> = {}) =>
  (await server.inject({ url: '/metrics', remoteAddress, headers })).statusCode;

describe('/metrics', () => {
  it('answers only this machine without a token, and not through a proxy on it', async () => {
    expect(await ask(app.app, '127.0.0.1')).toBe(200);
    expect(await ask(app.app, '::1')).toBe(200);
    expect(await ask(app.app, '203.0.113.9')).toBe(404);
    for (const name of ['X-Forwarded-For', 'X-Forwarded-Proto', 'X-Forwarded-Host', 'X-Real-IP', 'Forwarded', 'Via']) {
      expect([name, await ask(app.app, '127.0.0.1', { [name]: 'x' })]).toEqual([name, 404]);
    }
  });

  it('requires the configured token from every caller', async () => {
    expect(await ask(guarded, '127.0.0.1')).toBe(404);
    expect(await ask(guarded, '127.0.0.1', { authorization: 'Bearer autre' })).toBe(404);
    const authorization = `Bearer ${token}`;
    expect(await ask(guarded, '203.0.113.9', { authorization })).toBe(200);
    expect(await ask(guarded, '127.0.0.1', { authorization, 'x-forwarded-for': '203.0.113.9' })).toBe(200);
  });
});

/** The value of a sample, by its name and labels as Prometheus writes them. */
async function sample(name: string): Promise<number | undefined> {
  const { body } = await app.app.inject({ url: '/metrics' });
  const line = body.split('\n').find((text) => text.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

it('/readyz reports the database as ok while this process is blocked', { tags: ['slow'] }, async () => {
  const asked = app.app.inject({ url: '/readyz' });
  await new Promise(setImmediate);
  const end = performance.now() + 3200;
  while (performance.now() < end);
  expect((await asked).json()).toMatchObject({ status: 'ok', database: 'ok' });
});

describe('the figures of /metrics', () => {
  it('include the queue by task with the age of its oldest job', async () => {
    expect(await sample('regie_database_up')).toBe(1);
    const labels = '{task="send_mail",state="waiting"}';
    expect(await sample(`regie_jobs${labels}`)).toBeUndefined();
    for (const minutes of [2, 5]) {
      await enqueue(app.db as Trx, 'send_mail', { to: 'a@exemple.fr', subject: 'S', text: 'T' }, before(minutes));
    }
    expect(await sample(`regie_jobs${labels}`)).toBe(2);
    expect(await sample(`regie_job_oldest_seconds${labels}`)).toBeGreaterThanOrEqual(300);
    await sql`UPDATE graphile_worker._private_jobs SET attempts = max_attempts`.execute(app.owner);
    expect(await sample('regie_jobs{task="send_mail",state="failed"}')).toBe(2);
    // Given up a week ago: nobody can do it any more.
    await sql`UPDATE graphile_worker._private_jobs SET updated_at = now() - interval '8 days'
               WHERE id = (SELECT max(id) FROM graphile_worker._private_jobs)`.execute(app.owner);
    expect(await sample('regie_jobs{task="send_mail",state="failed"}')).toBe(1);
    expect(await sample(`regie_jobs${labels}`)).toBeUndefined();
    await app.runJobs();
  });

  it('include the age of the last backup and of the oldest unread statement', async () => {
    expect(await sample('regie_backup_age_seconds')).toBeUndefined();
    expect(await sample('regie_statement_oldest_unread_seconds')).toBe(0);
    await sql`INSERT INTO backups (name, ended_at, size_bytes, is_encrypted) VALUES ('a', now() - interval '3 hours', 1, true)`.execute(
      app.owner,
    );
    await sql`INSERT INTO statements (file_name, size_bytes, sha256, created_at)
              VALUES ('a.csv', 1, ${Buffer.alloc(32)}, now() - interval '90 minutes')`.execute(app.owner);
    expect(Math.round(((await sample('regie_backup_age_seconds')) ?? 0) / 3600)).toBe(3);
    expect(Math.round(((await sample('regie_statement_oldest_unread_seconds')) ?? 0) / 60)).toBe(90);
    expect(await sample('regie_statements{status="received"}')).toBe(1);
  });

  it('report a missing database, and include the figures of the process', async () => {
    const db = createDatabase('postgres://nobody@127.0.0.1:1/none', { max: 1 });
    const alone = await buildApp({
      deps: { ...app.deps, db, log: pino({ level: 'silent' }) },
      trustProxy: [],
      webDir: undefined,
      metricsToken: undefined,
    });
    const { statusCode, body } = await alone.inject({ url: '/metrics' });
    expect(statusCode).toBe(200);
    expect(body).toContain('regie_database_up 0');
    expect(body).toContain('process_resident_memory_bytes');
    expect(body).not.toContain('regie_analytics_months_waiting');
    await alone.close();
    await db.destroy();
  });

  it('include queries and waits for connections; a slow query is logged without its values', {
    tags: ['slow'],
  }, async () => {
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    const db = createDatabase(app.database.appUrl, { max: 1, log });
    const waits = (await sample('regie_database_pool_wait_seconds_count')) ?? 0;
    const queries = (await sample('regie_database_query_seconds_count')) ?? 0;
    await Promise.all([sql`SELECT pg_sleep(1.1), ${'secret'}`.execute(db), sql`SELECT 1`.execute(db)]);
    expect(await sample('regie_database_pool_wait_seconds_count')).toBe(waits + 2);
    // The second one waited for the first.
    expect(await sample('regie_database_pool_wait_seconds_bucket{le="1"}')).toBe(waits + 1);
    expect(await sample('regie_database_query_seconds_count')).toBe(queries + 2);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: 'slow query', query: 'SELECT pg_sleep(1.1), $1' });
    expect(await sample('regie_database_connections{state="idle"}')).toBe(1);
    await db.destroy();
    expect(await sample('regie_database_connections{state="idle"}')).toBe(0);
  });
});

describe('an unreachable bucket', () => {
  it('is reported by /readyz, failing calls and the log, until it answers again', {
    tags: ['slow'],
    timeout: 60_000,
  }, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'regie-health-'));
    const bucket = { directory, address: '127.0.0.1', silent: true, configureBuckets: [{ name: 'regie-files' }] };
    const s3 = new S3rver({ ...bucket, port: 0 });
    const { port } = await s3.run();
    const storage = createStorage(`s3://S3RVER:S3RVER@127.0.0.1:${port}/regie-files?region=eu-west-3&protocol=http`);
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    const server = await buildApp({
      deps: { ...app.deps, storage, log },
      trustProxy: [],
      webDir: undefined,
      metricsToken: undefined,
    });
    const client = await app.signInWith(['read_delivered_libraries']);
    const id = await buildRelease(app.db, await buildAccount(app.db));
    const storageKey = newStorageKey('cover', 'png');
    await storage.put(storageKey, Buffer.from('cover'), 5);
    const { id: coverFileId } = await app.db
      .insertInto('files')
      .values({
        kind: 'cover',
        storageKey,
        contentType: 'image/png',
        sizeBytes: 5,
        sha256: Buffer.alloc(32),
        originalName: 'x',
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await app.db.updateTable('releases').set({ coverFileId }).where('id', '=', id).execute();
    const ask = async (url: string) => {
      const reply = await server.inject({ url, cookies: Object.fromEntries(client.cookies) });
      return { status: reply.statusCode, body: reply.body };
    };
    const ready = { status: 'ok', database: 'ok', storage: 'ok' };
    const away = { status: 'unavailable', database: 'ok', storage: 'unavailable' };
    const state = async () => JSON.parse((await ask('/readyz')).body) as unknown;
    try {
      expect(await state()).toEqual(ready);
      expect((await ask(`/api/release/${id}/cover`)).status).toBe(200);
      await s3.close();
      expect((await ask('/readyz')).status).toBe(503);
      expect(await state()).toEqual(away);
      const { status, body } = await ask(`/api/release/${id}/cover`);
      expect([status, JSON.parse(body)]).toMatchObject([503, { code: 'unavailable', message: messages.storageAway }]);
      expect(lines.join('')).toContain('the storage is away');
      expect(lines.join('')).not.toContain('unexpected error');
      const again = new S3rver({ ...bucket, port });
      await again.run();
      await expect.poll(state, { timeout: 10_000 }).toEqual(ready);
      await again.close();
    } finally {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    }
  });
});

it('/healthz returns the running version', async () => {
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../../../../package.json'), 'utf8'));
  expect((await app.app.inject('/healthz')).json()).toEqual({ status: 'ok', version, proxy: 'none' });
});

it('/metrics has at most 3 000 lines when every route was called, refused and failed', { tags: ['slow'] }, async () => {
  // Other tests of this process counted their calls.
  registry.resetMetrics();
  const visitor = await app.visitor();
  const client = await app.signInWith();
  for (const { method, path } of routeTable) {
    const url = `/api${path.replaceAll(/:\w+/g, '1')}`;
    if (path.endsWith('/events')) continue;
    requests.inc({ method, route: `/api${path}`, status: '5xx' });
    await visitor.call(method, url);
    // Some end the session.
    if (path.startsWith('/auth/')) continue;
    await client.call(method, url, method === 'GET' ? {} : { body: {} });
    if (method === 'GET') await client.call('HEAD', url);
  }
  for (const method of ['PUT', 'DELETE', 'HEAD'] as const) await visitor.call(method, '/api/nowhere');
  const { body } = await app.app.inject({ url: '/metrics' });
  const lines = body.trim().split('\n');
  const about = lines.filter((line) => line.includes('route="/api/releases/unpaid"'));
  expect(about.filter((line) => line.startsWith('regie_http_requests_total'))).toEqual([
    'regie_http_requests_total{method="GET",route="/api/releases/unpaid",status="5xx"} 1',
    'regie_http_requests_total{method="GET",route="/api/releases/unpaid",status="4xx"} 1',
    'regie_http_requests_total{method="GET",route="/api/releases/unpaid",status="2xx"} 2',
  ]);
  expect(about).toHaveLength(10);

  expect(lines.length).toBeLessThanOrEqual(3000);
});
