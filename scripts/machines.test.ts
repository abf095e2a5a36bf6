// @module-tag slow
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { createDatabase, type Database } from '@regie/api/lib/db.ts';
import { migrate } from '@regie/api/lib/migrate.ts';
import { createStorage } from '@regie/api/lib/open-storage.ts';
import { deriveAppPassword, hashToken, newToken, sign } from '@regie/api/lib/secrets.ts';
import { createLineStore } from '@regie/api/modules/income/lines/lines.service.ts';
import { createAdminWithAllCapabilities } from '@regie/api/modules/people/staff/staff.service.ts';
import { verifyLedger } from '@regie/api/modules/platform/verify/verify.service.ts';
import { deepCount, isDeep } from '@regie/api/test/deep.ts';
import { buildAccount, buildTrack } from '@regie/api/test/factories.ts';
import { distrokidFile } from '@regie/api/test/statements.ts';
import { statementChunkBytes } from '@regie/contract/statements.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@regie/embedded-postgres/embedded-postgres.ts';
import { freePort } from '@regie/embedded-postgres/server.ts';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import S3rver from 's3rver';
import { afterAll, beforeAll, expect, test } from 'vitest';

/**
 * Two web processes and two workers with nothing in common but a database and a bucket, behind a proxy that gives each call to
 * the next one. Any of them is killed at any point between the first chunk of a statement and the posting of its month:
 * whoever sends goes on, and nothing is lost, doubled or stuck.
 */
const secret = 'un secret pour ces essais seulement';
const token = newToken();
const rounds = deepCount(20, 7);
const rowsOfFile = isDeep() ? 1_900_000 : 90_000;
const tracks = 200;

let folder: string;
let postgres: EmbeddedPostgres;
let s3: S3rver;
let storageUrl: string;
let owner: Database;
let proxy: Server;
let origin: string;
const machines: Machine[] = [];

interface Machine {
  role: 'web' | 'worker';
  port: number;
  child: ChildProcess;
  /** What the proxy last heard from /readyz; until `watchReadiness` asks, always. */
  isReady: boolean;
  restart: () => Promise<void>;
}

async function startMachine(name: string, role: Machine['role']): Promise<Machine> {
  const port = await freePort();
  const url = new URL(postgres.url());
  if (role === 'web') Object.assign(url, { username: '', password: '' });
  const spawnIt = async () => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'serve.ts')], {
      env: {
        PATH: process.env.PATH,
        ...{ DATA_DIR: join(folder, name), PORT: String(port), ROLE: role, LOG_LEVEL: 'error', PUBLIC_URL: origin },
        ...{ SESSION_SECRET: secret, DATABASE_URL: url.href, STORAGE_URL: storageUrl },
        DRAIN_SECONDS: '1',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // It says one line once it serves; the build of the interface, if any, says others.
    for await (const line of createInterface(child.stdout)) if (line.startsWith('Régie: ')) break;
    child.stdout.resume();
    return child;
  };
  const machine: Machine = {
    role,
    port,
    child: await spawnIt(),
    isReady: true,
    restart: async () => {
      machine.child = await spawnIt();
    },
  };
  return machine;
}

/** Passes each call to the next web process; to another one only while the first cannot have seen it. */
async function startProxy(): Promise<void> {
  let turn = 0;
  proxy = createServer((incoming, outgoing) => {
    const webs = machines.filter(({ role, isReady }) => role === 'web' && isReady);
    const ask = (left: number) => {
      turn += 1;
      const { port } = webs[turn % webs.length] ?? { port: 0 };
      const { method, url, headers } = incoming;
      const asked = request({ host: '127.0.0.1', port, method, path: url, headers, agent: false }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.on('error', () => outgoing.destroy());
        answer.pipe(outgoing);
      });
      asked.on('error', (error) => {
        if ('code' in error && error.code === 'ECONNREFUSED' && left > 0) ask(left - 1);
        else if (outgoing.headersSent) outgoing.destroy();
        else outgoing.writeHead(502).end();
      });
      asked.once('socket', (socket) => socket.once('connect', () => incoming.pipe(asked)));
      outgoing.once('close', () => asked.destroy());
    };
    ask(1);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'regie-machines-'));
  await chmod(folder, 0o755);
  postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), settings: { fsync: 'off' } });
  await migrate({ ownerUrl: postgres.url(), appPassword: deriveAppPassword(secret) });
  const options = { directory: join(folder, 's3'), address: '127.0.0.1', port: 0, silent: true };
  s3 = new S3rver({ ...options, configureBuckets: [{ name: 'regie-files' }] });
  const { port } = await s3.run();
  storageUrl = `s3://S3RVER:S3RVER@127.0.0.1:${port}/regie-files?region=eu-west-3&protocol=http`;
  owner = createDatabase(postgres.url(), { max: 3 });
  const adminId = await createAdminWithAllCapabilities(owner, {
    ...{ email: 'deux@machines.example', password: 'quatre chevaux violets', fname: 'Deux', lname: 'Machines' },
  });
  await owner
    .insertInto('sessions')
    .values({ tokenHash: hashToken(token), adminId })
    .execute();
  await sql`INSERT INTO settings (key, value) VALUES ('secondFactor', '"optional"')`.execute(owner);
  await sql`INSERT INTO exchange_rates (month, currency, rate) SELECT (date '2020-01-01' + m * interval '1 month')::date, 'USD', 1.25
              FROM generate_series(0, 100) m ON CONFLICT DO NOTHING`.execute(owner);
  const account = await buildAccount(owner);
  for (let track = 0; track < tracks; track += 1) await buildTrack(owner, account, { isrc: isrcOf(track) });
  await startProxy();
  machines.push(
    ...(await Promise.all(
      (['web', 'web', 'worker', 'worker'] as const).map((role, index) => startMachine(`machine-${index}`, role)),
    )),
  );
}, 180_000);

afterAll(async () => {
  for (const { child } of machines) child.kill('SIGKILL');
  proxy?.closeAllConnections();
  proxy?.close();
  await owner?.destroy();
  await s3?.close();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

const isrcOf = (track: number) => `FRMAC25${String(track).padStart(5, '0')}`;
const monthOf = (round: number) => `202${1 + Math.floor(round / 12)}-${String((round % 12) + 1).padStart(2, '0')}`;

interface Answer {
  status: number;
  data: Record<string, unknown>;
}

/** A call through the proxy. @throws TypeError when no answer comes */
async function call(
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const isForm = body instanceof FormData;
  const response = await fetch(`${origin}/api${path}`, {
    method,
    headers: {
      cookie: `regie=${token}`,
      'x-csrf-token': sign(secret, 'csrf-session', token),
      ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  });
  const { data } = (await response.json()) as { data: Record<string, unknown> };
  return { status: response.status, data };
}

/** Asks again while no machine answers, as the interface does. */
async function insist(ask: () => Promise<Answer>): Promise<Answer> {
  for (let left = 200; ; left -= 1) {
    const answer = await ask().catch(() => undefined);
    if (answer && answer.status < 500) return answer;
    if (left === 0) throw new Error(`no machine answers: ${answer?.status}`);
    await delay(100);
  }
}

/** Sends a file from where the machines have it, until it is a statement. */
async function send(fileName: string, bytes: Buffer): Promise<number> {
  const key = randomUUID();
  for (;;) {
    const begun = await insist(() =>
      call('POST', '/reporting/statements/uploads', { fileName, sizeBytes: bytes.length }),
    );
    let received = Number(begun.data.received);
    for (;;) {
      const form = new FormData();
      form.append(
        'chunk',
        new Blob([new Uint8Array(bytes.subarray(received, received + statementChunkBytes))]),
        'blob',
      );
      const isLast = received + statementChunkBytes >= bytes.length;
      const headers = { 'x-file-start': String(received), ...(isLast ? { 'idempotency-key': key } : {}) };
      const ask = () => call('PUT', `/reporting/statements/uploads/${begun.data.id}`, form, headers);
      // The last one under the same key: its statement may exist already.
      const sent = isLast ? await insist(ask) : await ask().catch(() => undefined);
      if (sent?.status !== 200) break;
      if (sent.data.statementId !== null) return Number(sent.data.statementId);
      received = Number(sent.data.received);
    }
  }
}

async function untilStatus(id: number, status: string): Promise<Answer> {
  for (;;) {
    const found = await insist(() => call('GET', `/reporting/statements/${id}`));
    if (found.data.status === status) return found;
    await delay(100);
  }
}

/** Validates a statement and posts its month, each once, whichever answers are lost. */
async function close(id: number, month: string): Promise<void> {
  const { data } = await untilStatus(id, 'loaded');
  await insist(() => call('POST', `/reporting/statements/${id}/check`, { version: data.version, confirmRates: true }));
  await untilStatus(id, 'checked');
  const body = { fromDate: monthToMs(month), confirmRates: true };
  const key = randomUUID();
  const preview = await insist(() =>
    call('POST', '/reporting/automatic', { ...body, dryRun: true }, { 'idempotency-key': randomUUID() }),
  );
  const version = preview.data.version;
  for (;;) {
    const posted = await insist(() =>
      call('POST', '/reporting/automatic', { ...body, version }, { 'idempotency-key': key }),
    );
    if (posted.status === 200) return;
    // The first one still holds its key.
    expect(posted.status).toBe(409);
    await delay(200);
  }
}

function fileOf(month: string): Buffer {
  const rows = Array.from({ length: rowsOfFile }, (_, row) => ({
    isrc: isrcOf(row % tracks),
    month,
    store: ['Deezer', 'Spotify', 'Qobuz'][row % 3] ?? '',
    country: ['FR', 'BE', 'CH', 'CA'][row % 4] ?? '',
    quantity: row % 7,
    amount: `0.00${String((row * 7919) % 99_991).padStart(5, '0')}`,
  }));
  return Buffer.from(distrokidFile(rows));
}

/** Hears of the reading of a statement through whichever machine the proxy chose. */
async function hear(statement: { id: number | undefined }, signal: AbortSignal): Promise<boolean> {
  const response = await fetch(`${origin}/api/reporting/statements/events`, {
    headers: { cookie: `regie=${token}` },
    signal,
  });
  let text = '';
  for await (const part of response.body ?? []) {
    text += Buffer.from(part).toString();
    if (statement.id !== undefined && text.includes(`"statementId":${statement.id}`)) return true;
  }
  return false;
}

test('any of two web processes and two workers may be killed between a first chunk and a posting', async () => {
  const listening = new AbortController();
  const first = { id: undefined as number | undefined };
  const heard = hear(first, listening.signal);
  const began = performance.now();
  first.id = await send('releve-0.tsv', fileOf(monthOf(0)));
  await close(first.id, monthOf(0));
  const wholeMs = performance.now() - began;
  expect(await Promise.race([heard, delay(10_000)])).toBe(true);
  listening.abort();

  let longestMs = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const month = monthOf(round);
    const victim = machines[(round + 1) % machines.length];
    if (!victim) throw new Error('no machines');
    const killed = (async () => {
      await delay((wholeMs * round) / (rounds + 1));
      const gone = once(victim.child, 'exit');
      victim.child.kill('SIGKILL');
      await gone;
      return performance.now();
    })();
    await close(await send(`releve-${round}.tsv`, fileOf(month)), month);
    longestMs = Math.max(longestMs, performance.now() - (await killed));
    await victim.restart();
  }
  // What a dead worker had under way is taken over within a minute; the rest is the work itself.
  expect(longestMs).toBeLessThan(60_000 + 3 * wholeMs + 30_000);

  const count = async (query: ReturnType<typeof sql<{ n: number }>>) => (await query.execute(owner)).rows[0]?.n;
  expect(
    await count(sql`SELECT count(*) AS n FROM statements WHERE status = 'checked' AND counted_rows = ${rowsOfFile}`),
  ).toBe(rounds + 1);
  expect(await count(sql`SELECT count(*) AS n FROM statements`)).toBe(rounds + 1);
  expect(await count(sql`SELECT count(*) AS n FROM imports WHERE reversed_at IS NULL`)).toBe(rounds + 1);
  expect(await count(sql`SELECT count(DISTINCT amount) AS n FROM statement_months`)).toBe(1);
  expect(
    await count(
      sql`SELECT count(DISTINCT gross_usd) AS n FROM (SELECT sum(gross_usd) AS gross_usd FROM reports GROUP BY import_id) r`,
    ),
  ).toBe(1);
  expect(await count(sql`SELECT count(*) AS n FROM statement_sums WHERE import_id IS NULL`)).toBe(0);
  expect(await count(sql`SELECT count(*) AS n FROM uploads`)).toBe(0);
  expect(await count(sql`SELECT count(*) AS n FROM upload_parts`)).toBe(0);
  const lines = createLineStore({ storage: createStorage(storageUrl), folder: join(folder, 'read') });
  expect(await verifyLedger(owner, lines)).toEqual([]);
  await lines.close();
}, 3_600_000);

/** Asks every web process whether it is ready, as a load balancer does. */
async function watchReadiness(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const machine of machines.filter(({ role }) => role === 'web')) {
      machine.isReady = await fetch(`http://127.0.0.1:${machine.port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    }
    await delay(100);
  }
}

test('web processes are restarted one after the other without a call that fails', async () => {
  const over = new AbortController();
  const watching = watchReadiness(over.signal);
  const failures: unknown[] = [];
  let calls = 0;
  const calling = (async () => {
    while (!over.signal.aborted) {
      const answer = await call('GET', '/reporting/statements?limit=10').catch((error: unknown) => error);
      if (!(answer instanceof Object && 'status' in answer && answer.status === 200)) failures.push(answer);
      calls += 1;
    }
  })();
  for (const machine of machines.filter(({ role }) => role === 'web')) {
    const gone = once(machine.child, 'exit');
    machine.child.kill('SIGTERM');
    expect(await gone).toEqual([0, null]);
    expect(machine.isReady).toBe(false);
    await machine.restart();
    await expect.poll(() => machine.isReady, { timeout: 30_000 }).toBe(true);
  }
  over.abort();
  await Promise.all([watching, calling]);
  expect(failures).toEqual([]);
  expect(calls).toBeGreaterThan(10);
}, 300_000);
