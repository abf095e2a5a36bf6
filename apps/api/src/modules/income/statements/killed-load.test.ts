// @module-tag slow
import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { statementMessages } from '@regie/contract/statements.ts';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type Database } from '#src/lib/db.ts';
import { createFolderStorage, type Storage } from '#src/lib/storage.ts';
import { createLineStore, type LineStore } from '#src/modules/income/lines/lines.service.ts';
import { useDatabase } from '#test/database.ts';
import { deepCount } from '#test/deep.ts';
import { readLines } from '#test/lines.ts';
import { buildReceived, distrokidFile } from '#test/statements.ts';
import { readStatementJob, resumeStatements } from './statements.jobs.ts';

/**
 * Kills the worker with SIGKILL at any point of a load: nothing is stored, and the next load gives the same result as
 * an undisturbed one.
 */
const database = useDatabase();
const log = pino({ level: 'silent' });
const rowCount = deepCount(60_000, 6);
let owner: Database;
let storage: Storage;
let folder: string;
let filesDir: string;
let lines: LineStore;

beforeAll(async () => {
  owner = createDatabase(database.ownerUrl, { max: 3 });
  folder = await mkdtemp(join(tmpdir(), 'regie-killed-load-'));
  filesDir = join(folder, 'files');
  storage = createFolderStorage(filesDir);
  lines = createLineStore({ storage, folder: join(folder, 'lines') });
});
afterAll(async () => {
  await lines.close();
  await owner.destroy();
  await rm(folder, { recursive: true, force: true });
});

async function storageKeyOf(id: number): Promise<string> {
  const { storageKey } = await owner
    .selectFrom('files as f')
    .innerJoin('statements as s', 's.fileId', 'f.id')
    .select('f.storageKey')
    .where('s.id', '=', id)
    .executeTakeFirstOrThrow();
  return storageKey;
}

/** A statement of many rows; each `mark` makes a distinct file. */
async function receive(mark: number, length = rowCount, pack = (bytes: Buffer) => bytes): Promise<number> {
  const file = distrokidFile(
    Array.from({ length }, (_, row) => ({
      isrc: `FRX99${String(row % 3000).padStart(7, '0')}`,
      month: `2025-0${1 + (row % 3)}`,
      store: ['Deezer', 'Spotify', 'Qobuz', 'YouTube (Ads)'][row % 4] ?? '',
      country: ['FR', 'BE', 'CH'][row % 3] ?? '',
      quantity: row % 7,
      amount: `0.00${String((row * 7919) % 99_991).padStart(5, '0')}`,
    })),
  );
  // Trailing spaces form a blank last line, counted as such.
  const bytes = pack(Buffer.from(`${file}${' '.repeat(mark)}\r\n`));
  const id = await buildReceived(owner, bytes, `releve-${mark}.tsv`);
  await storage.put(await storageKeyOf(id), bytes, bytes.length);
  return id;
}

interface Worker {
  child: ChildProcess;
  go: () => void;
  /** True when the load completed, false when it was killed before. */
  end: () => Promise<boolean>;
}

async function startWorker(id: number): Promise<Worker> {
  const child = fork(new URL('load-process.ts', import.meta.url), [database.ownerUrl, filesDir, String(id)]);
  await once(child, 'message');
  let hasRead = false;
  child.on('message', () => {
    hasRead = true;
  });
  const exited = once(child, 'exit');
  return { child, go: () => child.send('go'), end: () => exited.then(() => hasRead) };
}

/** Other test files use databases on the same server. */
const ownLocks = sql`(
  SELECT l.objid FROM pg_locks l JOIN pg_database d ON d.oid = l.database
   WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.granted) AS own_locks`;

const readHere = (id: number, store = lines) =>
  readStatementJob({ lines: store, ownerUrl: database.ownerUrl })({ statementId: id }, { db: owner, log });

/** A digest of everything a load writes. */
async function digest(id: number): Promise<string> {
  const { rows } = await sql<{ text: string }>`
    SELECT string_agg(text, E'\n' ORDER BY text COLLATE "C") AS text FROM (
      SELECT concat_ws('|', 'sum', month, item, kind, currency, quantity, amount, rows) AS text FROM statement_sums WHERE statement_id = ${id}
      UNION ALL SELECT concat_ws('|', 'month', month, currency, amount, unmatched_amount, posted_amount, sums) FROM statement_months WHERE statement_id = ${id}
      UNION ALL SELECT concat_ws('|', dimension, value, month, kind, currency, quantity, amount, rows) FROM statement_rollups WHERE statement_id = ${id}
    ) AS parts`.execute(owner);
  return createHash('sha256')
    .update(rows[0]?.text ?? '')
    .update(JSON.stringify(await readLines(owner, id, lines)))
    .digest('hex');
}
const statusOf = async (id: number) =>
  await owner
    .selectFrom('statements')
    .select(['status', 'rows', 'countedRows'])
    .where('id', '=', id)
    .executeTakeFirst();
/** Waits until the killed process's connections, and with them its locks, are gone. */
async function waitForRelease(id: number): Promise<void> {
  const free = sql<{ isFree: boolean }>`
    SELECT NOT EXISTS (SELECT FROM ${ownLocks} WHERE objid::bigint = ${id}) AS is_free`;
  while (!(await free.execute(owner)).rows[0]?.isFree) await delay(5);
}

it('reads a statement completely or not at all whenever its worker is killed', { timeout: 900_000 }, async () => {
  const whole = await receive(0);
  const undisturbed = await startWorker(whole);
  const start = performance.now();
  undisturbed.go();
  expect(await undisturbed.end()).toBe(true);
  const wholeMs = performance.now() - start;
  expect(await statusOf(whole)).toMatchObject({ status: 'loaded', countedRows: rowCount });
  const expected = await digest(whole);
  const nothing = await digest(0);

  let killed = 0;
  const kills = Math.max(4, deepCount(25));
  for (let round = 1; round <= kills; round += 1) {
    const id = await receive(round);
    const worker = await startWorker(id);
    worker.go();
    await delay((wholeMs * round) / (kills + 1));
    worker.child.kill('SIGKILL');
    if (await worker.end()) continue;
    killed += 1;
    await waitForRelease(id);
    if ((await statusOf(id))?.status !== 'loaded') {
      expect(await digest(id)).toBe(nothing);
      // No worker holds it, so it is queued again within a minute.
      expect(await resumeStatements({ db: owner, log }, new Date(Date.now() + 31_000))).toContain(id);
      await readHere(id);
    }
    expect(await statusOf(id)).toMatchObject({ status: 'loaded', countedRows: rowCount });
    expect(await digest(id)).toBe(expected);
  }
  expect(killed).toBeGreaterThan(0);
});

it('only one of two workers reads a statement', { timeout: 120_000 }, async () => {
  const id = await receive(100);
  const [one, other] = await Promise.all([startWorker(id), startWorker(id)]);
  one.go();
  other.go();
  await waitUntilHeld(id);
  expect(await resumeStatements({ db: owner, log }, new Date(Date.now() + 31_000))).not.toContain(id);
  await Promise.all([one.end(), other.end()]);
  expect(await statusOf(id)).toMatchObject({ status: 'loaded', countedRows: rowCount });
  expect((await readLines(owner, id, lines)).reduce((sum, { rows }) => sum + rows, 0)).toBe(rowCount);
});

it('records the error of the reading thread', { timeout: 120_000 }, async () => {
  const id = await receive(500, 10);
  await storage.remove(await storageKeyOf(id));
  const worker = await startWorker(id);
  worker.go();
  expect(await worker.end()).toBe(true);
  expect(await failureOf(id)).toMatchObject({ message: statementMessages.fileMissing, attempts: 1 });
});

it('stores nothing of a statement deleted while it is read', { timeout: 120_000 }, async () => {
  const id = await receive(300);
  const worker = await startWorker(id);
  worker.go();
  await waitUntilHeld(id);
  await sql`
    UPDATE statements SET status = 'removed', ended_at = now() WHERE id = ${id} AND status IN ('received', 'reading')`.execute(
    owner,
  );
  expect(await worker.end()).toBe(true);
  expect((await statusOf(id))?.status).toBe('removed');
  expect(await digest(id)).toBe(await digest(0));
});

it('records a lost database connection and reads again', { timeout: 120_000 }, async () => {
  const id = await receive(200);
  const worker = await startWorker(id);
  worker.go();
  await waitUntilHeld(id);
  await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = 'regie statement' AND datname = current_database()`.execute(owner);
  await worker.end();
  const { findings } = await owner
    .selectFrom('statements')
    .select('findings')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(findings).toMatchObject({ failure: { message: statementMessages.databaseGone, attempts: 1 } });
  await readHere(id);
  expect(await statusOf(id)).toMatchObject({ status: 'loaded', countedRows: rowCount });
});

it('records a full disk, stores nothing, and reads the whole file once there is space', async () => {
  const rows = 2000;
  const id = await receive(400, rows);
  // Its own tablespace file, with no space left.
  await sql`TRUNCATE statement_sums`.execute(owner);
  const found = await sql<{ path: string }>`
    SELECT current_setting('data_directory') || '/' || pg_relation_filepath('statement_sums') AS path`.execute(owner);
  const path = found.rows[0]?.path ?? '';
  // The sums hit the full disk; by then the lines are written.
  await rename(path, `${path}.kept`);
  await symlink('/dev/full', path);
  try {
    await readHere(id);
    expect(await failureOf(id)).toMatchObject({ message: statementMessages.diskFull, attempts: 1 });
    await readHere(id);
    expect(await failureOf(id)).toMatchObject({ message: statementMessages.diskFull, attempts: 2 });
  } finally {
    await rename(`${path}.kept`, path);
  }
  expect(await statusOf(id)).toMatchObject({ status: 'reading', countedRows: 0 });
  expect(await digest(id)).toBe(await digest(0));
  // Retried after half a minute, then one: freeing space is enough.
  expect(await resumeStatements({ db: owner, log }, new Date(Date.now() + 130_000))).toContain(id);
  await readHere(id);
  expect(await statusOf(id)).toMatchObject({ status: 'loaded', countedRows: rows });
  const other = await receive(401, rows);
  await readHere(other);
  expect(await digest(id)).toBe(await digest(other));
});

async function failureOf(id: number) {
  const { findings } = await owner
    .selectFrom('statements')
    .select('findings')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return (findings as { failure?: { message: string; attempts: number } }).failure;
}

async function waitUntilHeld(id: number): Promise<void> {
  const held = sql<{ isHeld: boolean }>`
    SELECT EXISTS (SELECT FROM ${ownLocks} WHERE objid::bigint = ${id})
        OR EXISTS (SELECT FROM statements WHERE id = ${id} AND status = 'loaded') AS is_held`;
  while (!(await held.execute(owner)).rows[0]?.isHeld) await delay(2);
}
