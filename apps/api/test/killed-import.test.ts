// @module-tag slow
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { monthToMs } from '@regie/values/month.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type Database } from '#src/lib/db.ts';
import { hashToken, newToken, sign } from '#src/lib/secrets.ts';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { useDatabase } from './database.ts';
import { deepCount } from './deep.ts';
import { buildAccount, buildActor, buildReferral, buildTrack } from './factories.ts';
import { testLines } from './lines.ts';

/**
 * Kills the server with SIGKILL at random points of an import, then imports again: each batch counts completely or not
 * at all, and never twice, before or after its commit.
 */
const database = useDatabase();
const secret = newToken();
const token = newToken();
const batchCount = 6;
const rowsPerBatch = 300;
let db: Database;
let accounts: number[];
let isrcs: string[];

beforeAll(async () => {
  db = createDatabase(database.appUrl, { max: 2 });
  const { adminId } = await buildActor(db);
  await db.insertInto('adminCapabilities').values({ adminId, capability: 'edit_reports' }).execute();
  await db
    .insertInto('sessions')
    .values({ tokenHash: hashToken(token), adminId })
    .execute();
  accounts = [];
  isrcs = [];
  for (let index = 0; index < 20; index += 1) accounts.push(await buildAccount(db));
  const [referrer = 0, referred = 0] = accounts;
  await buildReferral(db, { referrerId: referrer, referredId: referred, percentile: '12.5' });
  for (let index = 0; index < 100; index += 1) isrcs.push((await buildTrack(db, accounts[index % 20] ?? 0)).isrc);
});
afterAll(() => db.destroy());

interface Server {
  address: string;
  kill: () => Promise<void>;
}

async function startServer(): Promise<Server> {
  const child: ChildProcess = fork(new URL('server-process.ts', import.meta.url), [database.appUrl, secret]);
  const [{ address }] = (await once(child, 'message')) as [{ address: string }];
  return {
    address,
    kill: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Every track is in several batches, so that later ones add to existing reports. */
const rowsOf = (batch: number) =>
  Array.from({ length: rowsPerBatch }, (_, row) => ({
    isrc: isrcs[(batch * 37 + row) % isrcs.length],
    numOfStreams: row,
    incomeOfStreams: `${batch}.${String(row * 7919).padStart(8, '0')}`,
  }));

async function sendBatch(
  server: Server,
  file: string,
  batch: number,
  more: { batches?: string } = {},
): Promise<{ alreadyCounted: boolean }> {
  const query = new URLSearchParams({
    date: String(monthToMs('2025-02')),
    import: file,
    batch: String(batch),
    ...more,
  });
  const response = await fetch(`${server.address}/api/reporting/csv?${query}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      cookie: `regie=${token}`,
      'x-csrf-token': sign(secret, 'csrf-session', token),
      'idempotency-key': `${file}-${batch}`,
    },
    body: JSON.stringify(rowsOf(batch)),
  });
  const { code, data } = (await response.json()) as { code: string; data: { alreadyCounted: boolean } };
  expect(code).toBe('success');
  return data;
}

async function countedBatches(file: string): Promise<number[]> {
  const rows = await db
    .selectFrom('importBatches as b')
    .innerJoin('imports as i', 'i.id', 'b.importId')
    .select('b.batch')
    .where('i.fileKey', '=', file)
    .orderBy('b.batch')
    .execute();
  return rows.map((row) => row.batch);
}

async function balances(): Promise<Map<string, bigint>> {
  const rows = await db.selectFrom('ledgerBalances').select(['account', 'amount']).orderBy('account').execute();
  return new Map(rows.map((row) => [row.account, BigInt(row.amount.replace('.', ''))]));
}

const gained = (before: Map<string, bigint>, after: Map<string, bigint>) =>
  [...after].map(([account, amount]) => [account, amount - (before.get(account) ?? 0n)] as const);

it('counts every batch once whenever the server is killed', { timeout: 900_000 }, async () => {
  let server = await startServer();
  const beforeWhole = await balances();
  const start = performance.now();
  for (let batch = 0; batch < batchCount; batch += 1) await sendBatch(server, 'uninterrupted', batch);
  const batchMs = (performance.now() - start) / batchCount;
  const expected = gained(beforeWhole, await balances());

  const sides = { beforeCommit: 0, afterCommit: 0 };
  const kills = Math.max(6, deepCount(50));
  for (let round = 0; round < kills; round += 1) {
    const file = `killed-${round}`;
    const before = await balances();
    const victim = Math.floor(Math.random() * batchCount);
    for (let batch = 0; batch < victim; batch += 1) await sendBatch(server, file, batch);
    const lost = sendBatch(server, file, victim).catch(() => undefined);
    // Odd rounds kill during the batch, half of them early; even ones after its commit, while the answer is sent or
    // lost.
    if (round % 2 === 1) await delay(Math.random() * batchMs * (round % 4 === 1 ? 0.3 : 1));
    else while (!(await countedBatches(file)).includes(victim)) await delay(1);
    await server.kill();
    await lost;

    const counted = await countedBatches(file);
    if (counted.includes(victim)) sides.afterCommit += 1;
    else sides.beforeCommit += 1;
    expect(counted.filter((batch) => batch !== victim)).toEqual(Array.from({ length: victim }, (_, batch) => batch));
    expect(await verifyLedger(db, testLines)).toEqual([]);

    server = await startServer();
    for (let batch = 0; batch < batchCount; batch += 1) await sendBatch(server, file, batch);
    expect(gained(before, await balances())).toEqual(expected);
  }
  await server.kill();
  expect(await verifyLedger(db, testLines)).toEqual([]);
  expect(sides.beforeCommit).toBeGreaterThan(0);
  expect(sides.afterCommit).toBeGreaterThan(0);
});

it('posts a file of several batches completely or not at all whenever the server is killed', {
  timeout: 900_000,
}, async () => {
  const batches = String(batchCount);
  const last = batchCount - 1;
  const isPosted = async (file: string) =>
    (await db.selectFrom('imports').select('postedAt').where('fileKey', '=', file).executeTakeFirst())?.postedAt !=
    null;
  const send = async (server: Server, file: string, from: number, to: number) => {
    for (let batch = from; batch <= to; batch += 1) await sendBatch(server, file, batch, { batches });
  };
  let server = await startServer();
  const beforeWhole = await balances();
  await send(server, 'whole', 0, last - 1);
  expect(gained(beforeWhole, await balances()).every(([, amount]) => amount === 0n)).toBe(true);
  const start = performance.now();
  await send(server, 'whole', last, last);
  const lastMs = performance.now() - start;
  const expected = gained(beforeWhole, await balances());
  expect(expected.some(([, amount]) => amount !== 0n)).toBe(true);

  const sides = { staged: 0, posted: 0 };
  const kills = Math.max(6, deepCount(50));
  for (let round = 0; round < kills; round += 1) {
    const file = `whole-killed-${round}`;
    const before = await balances();
    await send(server, file, 0, last - 1);
    const lost = send(server, file, last, last).catch(() => undefined);
    if (round % 2 === 1) await delay(Math.random() * lastMs * (round % 4 === 1 ? 0.3 : 1));
    else while (!(await isPosted(file))) await delay(1);
    await server.kill();
    await lost;

    const moved = gained(before, await balances());
    if (await isPosted(file)) {
      sides.posted += 1;
      expect(moved).toEqual(expected);
    } else {
      sides.staged += 1;
      expect(moved.every(([, amount]) => amount === 0n)).toBe(true);
      expect(await countedBatches(file)).toEqual(Array.from({ length: last }, (_, batch) => batch));
    }
    expect(await verifyLedger(db, testLines)).toEqual([]);

    server = await startServer();
    await send(server, file, 0, last);
    expect(gained(before, await balances())).toEqual(expected);
  }
  await server.kill();
  expect(await verifyLedger(db, testLines)).toEqual([]);
  expect(sides.staged).toBeGreaterThan(0);
  expect(sides.posted).toBeGreaterThan(0);
});
