// @module-tag slow
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildApp } from '#src/app.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { type DatabaseProxy, openProxy } from '#test/database-proxy.ts';
import { createDatabase, type Database } from './db.ts';

const app = useApp();
let proxy: DatabaseProxy;
let db: Database;
let server: FastifyInstance;
let client: TestClient;
const lines: string[] = [];

beforeAll(async () => {
  proxy = await openProxy(app.database.appUrl);
  db = createDatabase(proxy.url, { max: 5 });
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  server = await buildApp({
    deps: { ...app.deps, db, log },
    trustProxy: [],
    webDir: undefined,
    metricsToken: undefined,
    databaseUrl: proxy.url,
  });
  client = await app.signInWith();
});
afterAll(async () => {
  await server.close();
  await db.destroy();
  await proxy.close();
});

const ask = async (url: string, method: 'GET' | 'POST' = 'GET', payload?: object) => {
  const reply = await server.inject({
    method,
    url,
    cookies: Object.fromEntries(client.cookies),
    headers: { 'x-csrf-token': client.csrf ?? '' },
    ...(payload ? { payload } : {}),
  });
  return { status: reply.statusCode, body: reply.body };
};
const invite = (n: number) =>
  ask('/api/manage-admins/invite', 'POST', { email: `gel${n}@regie.example`, capabilities: [] });

it('answers 503 within ten seconds while the database is frozen, and again once it resumes', async () => {
  expect((await ask('/api/journal')).status).toBe(200);
  proxy.freeze();
  try {
    const begun = performance.now();
    // More calls than connections.
    const answers = await Promise.all([
      ...Array.from({ length: 8 }, () => ask('/api/journal')),
      invite(1),
      ask('/api/auth/check'),
      ask('/s/inconnu'),
      ask('/readyz'),
    ]);
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 503));
    for (const { body } of answers.slice(0, 10)) expect(JSON.parse(body)).toMatchObject({ code: 'unavailable' });
    expect((await ask('/healthz')).status).toBe(200);
    const known = performance.now();
    expect((await ask('/api/journal')).status).toBe(503);
    expect(performance.now() - known).toBeLessThan(5000);
  } finally {
    proxy.thaw();
  }
  await expect.poll(async () => (await ask('/api/journal')).status, { timeout: 15_000 }).toBe(200);
  expect(lines.join('')).toContain('the database does not answer');
});

const block = (ms: number) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

it('answers a call normally after this process, not the database, was blocked', async () => {
  await ask('/api/journal');
  const { asked } = await app.owner.transaction().execute(async (trx) => {
    await sql`LOCK TABLE audit_log IN ACCESS EXCLUSIVE MODE`.execute(trx);
    const answer = ask('/api/journal');
    const countWaiting = () =>
      sql<{ n: number }>`SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock'`.execute(trx);
    await expect.poll(async () => (await countWaiting()).rows[0]?.n).toBe(1);
    block(3500);
    // A check that began now would not be answered before the next pause.
    proxy.freeze();
    await sql`SELECT pg_sleep(0.6)`.execute(trx);
    proxy.thaw();
    block(3500);
    return { asked: answer };
  });
  expect((await asked).status).toBe(200);
});

it('repeats the check of the database when this process was blocked during it', async () => {
  await ask('/api/journal');
  const before = proxy.opened();
  proxy.freeze();
  const answer = ask('/api/journal');
  await expect.poll(() => proxy.opened(), { timeout: 10_000 }).toBe(before + 1);
  proxy.thaw();
  block(3500);
  expect((await answer).status).toBe(200);
});

it('answers no 500 while the database is killed under load', async () => {
  const seen = new Map<number, number>();
  let isOver = false;
  let n = 10;
  const load = async () => {
    while (!isOver) {
      n += 1;
      const { status } = await (n % 3 === 0 ? invite(n) : ask(n % 3 === 1 ? '/api/journal' : '/api/home'));
      seen.set(status, (seen.get(status) ?? 0) + 1);
    }
  };
  lines.length = 0;
  const workers = Array.from({ length: 20 }, load);
  for (let round = 0; round < 10; round += 1) {
    const before = seen.get(200) ?? 0;
    await expect.poll(() => (seen.get(200) ?? 0) - before, { timeout: 15_000 }).toBeGreaterThan(20);
    await proxy.kill();
    await proxy.start();
  }
  isOver = true;
  await Promise.all(workers);
  expect([...seen.keys()].filter((status) => status !== 200).sort()).toEqual([503]);
  expect(lines.join('')).not.toContain('unexpected error');
});
