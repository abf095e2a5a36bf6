import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { statementMessages } from '@regie/contract/statements.ts';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createDatabase, type Database } from '#src/lib/db.ts';
import type { ByteRange } from '#src/lib/file-answer.ts';
import { createFolderStorage, type Storage, StorageUnavailable } from '#src/lib/storage.ts';
import { useDatabase } from '#test/database.ts';
import { deepCount } from '#test/deep.ts';
import { readLines } from '#test/lines.ts';
import { buildReceived, distrokidFile } from '#test/statements.ts';
import { createLineStore, type LineStore } from './lines.service.ts';
import { helpLoad, loadStatement } from './load.service.ts';
import type { Slicing } from './slices.service.ts';
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

async function startWorker(id: number, ...slicing: string[]): Promise<Worker> {
  const child = fork(new URL('load-process.ts', import.meta.url), [
    database.ownerUrl,
    filesDir,
    String(id),
    ...slicing,
  ]);
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

const readHere = (id: number, slicing?: Slicing, store = lines) =>
  readStatementJob({ lines: store, ownerUrl: database.ownerUrl, slicing })({ statementId: id }, { db: owner, log });

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

it('reads a statement whole or not at all whenever its worker is killed', { timeout: 900_000 }, async () => {
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

it('is read by one of two workers', { timeout: 120_000 }, async () => {
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

it('records the error of its thread', { timeout: 120_000 }, async () => {
  const id = await receive(500, 10);
  await storage.remove(await storageKeyOf(id));
  const worker = await startWorker(id);
  worker.go();
  expect(await worker.end()).toBe(true);
  expect(await failureOf(id)).toMatchObject({ message: statementMessages.fileMissing, attempts: 1 });
});

it('leaves nothing of a statement deleted while it is read', { timeout: 120_000 }, async () => {
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

it('records a full disk, leaves nothing, and reads the whole file once there is space', async () => {
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

const inSlices = { fromBytes: 0, sliceBytes: 250_000 };
const slicesOf = (id: number) =>
  owner
    .selectFrom('statementSlices')
    .select(['startByte', 'seen', 'storageKey', 'isUnfit'])
    .where('statementId', '=', id)
    .execute();
/** Digests of the files of a statement's lines. */
async function fileDigests(id: number): Promise<string[]> {
  const { rows } = await sql<{ sha256: Buffer }>`
    SELECT f.sha256 FROM statement_line_files l JOIN files f ON f.id = l.file_id WHERE l.statement_id = ${id} ORDER BY l.month`.execute(
    owner,
  );
  return rows.map(({ sha256 }) => sha256.toString('hex'));
}

/** Loads a statement in slices that two others read too. @returns how many they read */
async function readWithHelp(id: number, help = helpLoad): Promise<number> {
  let isDone = false;
  let readElsewhere = 0;
  const key = await storageKeyOf(id);
  const sizeBytes = (await storage.find(key))?.sizeBytes ?? 0;
  const open = (ofKey: string, range?: ByteRange) => {
    if (range && range.start > 0) readElsewhere += 1;
    return storage.open(ofKey, range);
  };
  const file = { sizeBytes, open: (range?: ByteRange) => open(key, range) };
  const target = { statementId: id, file, lines: { ...lines, storage: { ...storage, open } }, chosen: undefined };
  const helping = [0, 1].map(async () => {
    while (!isDone) {
      await help(database.ownerUrl, target);
      await delay(5);
    }
  });
  await readHere(id, inSlices);
  isDone = true;
  await Promise.all(helping);
  return readElsewhere;
}

/** Texts of compressed files in the storage. */
async function storedTexts(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list()) if (key.startsWith('lines/') && key.endsWith('.txt')) keys.push(key);
  return keys;
}

it('reads a file in slices, alone or with others, into the same files and the sums of a whole', async () => {
  const whole = await receive(600, 12_000);
  await readHere(whole);
  const alone = await receive(601, 12_000);
  await readHere(alone, inSlices);
  const shared = await receive(602, 12_000);
  const readElsewhere = await readWithHelp(shared);
  expect(readElsewhere).toBeGreaterThan(0);
  expect(await fileDigests(shared)).toEqual(await fileDigests(alone));
  expect(await digest(shared)).toBe(await digest(alone));
  const totals = ['rows', 'countedRows', 'findings'] as const;
  const told = (id: number) =>
    owner.selectFrom('statements').select(totals).where('id', '=', id).executeTakeFirstOrThrow();
  expect(await told(shared)).toEqual(await told(whole));
  const sumsOf = (id: number) =>
    owner
      .selectFrom('statementSums')
      .select(['month', 'item', 'kind', 'currency', 'quantity', 'amount', 'rows'])
      .where('statementId', '=', id)
      .orderBy('item')
      .orderBy('month')
      .orderBy('kind')
      .execute();
  expect(await sumsOf(shared)).toEqual(await sumsOf(whole));
  expect(await slicesOf(shared)).toEqual([]);
  // Each row is in the line of its place in the file.
  const rows = await readLines(owner, shared, lines);
  expect(rows.reduce((sum, line) => sum + line.rows, 0)).toBe(12_000);
  expect(new Set(rows.map(({ firstLine }) => firstLine)).size).toBe(rows.length);
});

it('reads a compressed file in slices like its text, and finds its lines from its start', async () => {
  const plain = await receive(610, 12_000);
  await readHere(plain, inSlices);
  const packed = await receive(610, 12_000, gzipSync);
  expect(await readWithHelp(packed)).toBeGreaterThan(0);
  expect(await fileDigests(packed)).toEqual(await fileDigests(plain));
  expect(await digest(packed)).toBe(await digest(plain));
  expect(await statusOf(packed)).toMatchObject({ status: 'loaded', countedRows: 12_000 });
  expect(await slicesOf(packed)).toEqual([]);
  expect(await storedTexts()).toEqual([]);
  const offsets = owner.selectFrom('statementLineOffsets').select('line').where('statementId', '=', packed);
  expect(await offsets.execute()).toEqual([]);
});

it('unpacks a file once for a load that is killed and the next one', { timeout: 120_000 }, async () => {
  const id = await receive(710, 30_000, gzipSync);
  const worker = await startWorker(id, String(inSlices.sliceBytes));
  worker.go();
  while ((await slicesOf(id)).filter(({ seen }) => seen !== null).length < 2) await delay(5);
  worker.child.kill('SIGKILL');
  expect(await worker.end()).toBe(false);
  await waitForRelease(id);
  const texts = await storedTexts();
  expect(texts).toHaveLength(1);
  const put: string[] = [];
  const watching: Storage = {
    ...storage,
    put: (key, source, sizeBytes) => {
      put.push(key);
      return storage.put(key, source, sizeBytes);
    },
  };
  await readHere(id, inSlices, { ...lines, storage: watching });
  expect(await statusOf(id)).toMatchObject({ status: 'loaded', countedRows: 30_000 });
  expect(put).toEqual([]);
  expect(await storedTexts()).toEqual([]);
});

it.each<[string, (of: { texts: number }) => Partial<Storage>]>([
  [
    'its text finds no space',
    () => ({
      put: async (key, source, sizeBytes) => {
        if (key.endsWith('.txt')) throw new StorageUnavailable('full');
        await storage.put(key, source, sizeBytes);
      },
    }),
  ],
  [
    'its text leaves none for its slices',
    (of) => ({
      put: async (key, source, sizeBytes) => {
        await storage.put(key, source, sizeBytes);
        if (key.endsWith('.txt')) of.texts += 1;
      },
      remove: async (key) => {
        await storage.remove(key);
        if (key.endsWith('.txt')) of.texts -= 1;
      },
      putFile: async (...file) => {
        if (of.texts > 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
        await storage.putFile(...file);
      },
    }),
  ],
])('reads a compressed file as a whole where %s', async (why, changed) => {
  const id = await receive(why.length, 12_000, gzipSync);
  await readHere(id, inSlices, { ...lines, storage: { ...storage, ...changed({ texts: 0 }) } });
  expect(await statusOf(id)).toMatchObject({ status: 'loaded', countedRows: 12_000 });
  expect(await slicesOf(id)).toEqual([]);
  expect(await storedTexts()).toEqual([]);
  const plain = await receive(why.length, 12_000);
  await readHere(plain);
  expect(await digest(id)).toBe(await digest(plain));
});

it('refuses a compressed file that is cut as a whole would be, and leaves no text', async () => {
  const findings: unknown[] = [];
  for (const slicing of [undefined, inSlices]) {
    const id = await receive(720, 12_000, (bytes) => gzipSync(bytes).subarray(0, slicing ? -30_001 : -30_000));
    await readHere(id, slicing);
    expect(await statusOf(id)).toMatchObject({ status: 'refused' });
    const ended = owner.selectFrom('statements').select('findings').where('id', '=', id);
    findings.push((await ended.executeTakeFirstOrThrow()).findings);
  }
  expect(findings[0]).toMatchObject({ refusal: { message: 'Le fichier compressé est abîmé ou coupé' } });
  expect(findings[1]).toEqual(findings[0]);
  expect(await storedTexts()).toEqual([]);
});

it('keeps the slices of a killed load for the next one', { timeout: 120_000 }, async () => {
  const id = await receive(700, 30_000);
  const worker = await startWorker(id, String(inSlices.sliceBytes));
  worker.go();
  for (;;) {
    const read = (await slicesOf(id)).filter(({ seen }) => seen !== null);
    if (read.length > 2) break;
    await delay(5);
  }
  worker.child.kill('SIGKILL');
  expect(await worker.end()).toBe(false);
  await waitForRelease(id);
  const kept = (await slicesOf(id)).filter(({ seen }) => seen !== null);
  const opened: number[] = [];
  const watched = {
    ...lines,
    storage: {
      ...storage,
      open: (key: string, range?: ByteRange) => {
        if (range && range.end - range.start > inSlices.sliceBytes / 2) opened.push(range.start);
        return storage.open(key, range);
      },
    },
  };
  await readHere(id, inSlices, watched);
  expect(await statusOf(id)).toMatchObject({ status: 'loaded', countedRows: 30_000 });
  expect(opened.length).toBeGreaterThan(2);
  expect(opened.filter((start) => kept.some(({ startByte }) => startByte === start && start > 0))).toEqual([]);
  const undisturbed = await receive(701, 30_000);
  await readHere(undisturbed, inSlices);
  expect(await fileDigests(id)).toEqual(await fileDigests(undisturbed));
  expect(await digest(id)).toBe(await digest(undisturbed));
  for (const { storageKey } of kept) expect(await storage.find(storageKey ?? '')).toBeUndefined();
});

/** Ends as if its process did, once it has read some slices. */
async function readSome(id: number, most: number, load = loadStatement): Promise<void> {
  const key = await storageKeyOf(id);
  const sizeBytes = (await storage.find(key))?.sizeBytes ?? 0;
  let left = most;
  const putFile: typeof storage.putFile = async (...file) => {
    left -= 1;
    if (left < 0) throw new Error('ended');
    await storage.putFile(...file);
  };
  await load(database.ownerUrl, {
    statementId: id,
    file: { sizeBytes, open: (range) => storage.open(key, range) },
    lines: { ...lines, storage: { ...storage, putFile } },
    chosen: undefined,
    slicing: inSlices,
  });
}

it('reads no slice together with another version, which may read it otherwise', { timeout: 120_000 }, async () => {
  vi.resetModules();
  vi.doMock('#package.json', () => ({ default: { version: '0.0.0' } }));
  const former = await import('./load.service.ts');
  vi.doUnmock('#package.json');
  const id = await receive(703, 12_000);
  await expect(readSome(id, 2, former.loadStatement)).rejects.toThrow('ended');
  const ofFormer = (await slicesOf(id)).flatMap(({ storageKey }) => storageKey ?? []);
  expect(ofFormer).toHaveLength(2);
  await expect(readSome(id, 1)).rejects.toThrow('ended');
  const ofPresent = (await slicesOf(id)).flatMap(({ storageKey }) => storageKey ?? []);
  expect(ofPresent).toHaveLength(1);
  expect(ofFormer).not.toContain(ofPresent[0]);
  expect(await readWithHelp(id, former.helpLoad)).toBe(0);
  expect(await statusOf(id)).toMatchObject({ status: 'loaded', countedRows: 12_000 });
});

it('goes on however often it is ended, unless nothing more is read', { timeout: 120_000 }, async () => {
  const id = await receive(702, 30_000);
  for (const most of [1, 1, 1, 1, 1]) await expect(readSome(id, most)).rejects.toThrow('ended');
  expect(await statusOf(id)).toMatchObject({ status: 'reading' });
  expect((await slicesOf(id)).filter(({ seen }) => seen !== null)).toHaveLength(5);
  for (const most of [0, 0]) await expect(readSome(id, most)).rejects.toThrow('ended');
  await readSome(id, 0);
  expect(await statusOf(id)).toMatchObject({ status: 'refused' });
  expect(await slicesOf(id)).toEqual([]);
});

it('gives up a file that no slices can be read of and whose whole ends its reader', async () => {
  const row = (number: number) => ({
    isrc: `FRX99${String(number).padStart(7, '0')}`,
    amount: number === 2400 ? 'x' : '0.1',
  });
  const bytes = Buffer.from(distrokidFile(Array.from({ length: 3000 }, (_, number) => row(number))).concat('  '));
  const id = await buildReceived(owner, bytes);
  const key = await storageKeyOf(id);
  await storage.put(key, bytes, bytes.length);
  let read = 0;
  const putFile: Storage['putFile'] = async (...file) => {
    read += 1;
    await storage.putFile(...file);
  };
  const makeFolder: LineStore['makeFolder'] = async () => {
    if ((await slicesOf(id)).every(({ isUnfit }) => isUnfit)) throw new Error('ended');
    return lines.makeFolder();
  };
  const readOnce = () =>
    loadStatement(database.ownerUrl, {
      statementId: id,
      file: { sizeBytes: bytes.length, open: (range) => storage.open(key, range) },
      lines: { ...lines, storage: { ...storage, putFile }, makeFolder },
      chosen: undefined,
      slicing: { fromBytes: 0, sliceBytes: 60_000 },
    });
  await expect(readOnce()).rejects.toThrow('ended');
  const readFirst = read;
  expect(readFirst).toBeGreaterThan(0);
  for (const _ of [2, 3]) await expect(readOnce()).rejects.toThrow('ended');
  await readOnce();
  expect(read).toBe(readFirst);
  expect(await statusOf(id)).toMatchObject({ status: 'refused' });
  expect(await slicesOf(id)).toEqual([]);
});

it('refuses in slices what is refused as a whole, with its line, and leaves no slice', async () => {
  const row = (amount: string, number: number) => ({ isrc: `FRX99${String(number).padStart(7, '0')}`, amount });
  const content = distrokidFile(
    Array.from({ length: 3000 }, (_, number) => row(number === 2400 ? 'x' : '0.1', number)),
  );
  const refusals: unknown[] = [];
  for (const slicing of [undefined, inSlices]) {
    const bytes = Buffer.from(`${content}${slicing ? ' ' : ''}`);
    const id = await buildReceived(owner, bytes);
    await storage.put(await storageKeyOf(id), bytes, bytes.length);
    await readHere(id, slicing);
    expect(await statusOf(id)).toMatchObject({ status: 'refused' });
    const { findings } = await owner
      .selectFrom('statements')
      .select('findings')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    refusals.push(findings);
    expect(await slicesOf(id)).toEqual([]);
  }
  expect(refusals[0]).toMatchObject({ refusal: { line: 2402 } });
  expect(refusals[1]).toEqual(refusals[0]);
});

it('leaves no slice of a statement deleted while it is read', { timeout: 120_000 }, async () => {
  const id = await receive(800);
  const worker = await startWorker(id, String(inSlices.sliceBytes));
  worker.go();
  while ((await slicesOf(id)).length === 0) await delay(5);
  await sql`
    UPDATE statements SET status = 'removed', ended_at = now() WHERE id = ${id} AND status IN ('received', 'reading')`.execute(
    owner,
  );
  expect(await worker.end()).toBe(true);
  expect((await statusOf(id))?.status).toBe('removed');
  expect(await slicesOf(id)).toEqual([]);
  expect(await digest(id)).toBe(await digest(0));
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
