import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ColumnEngine, createColumnEngine, EngineFailure, literal } from './column-engine.ts';

let folder: string;
let engine: ColumnEngine;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'regie-engine-'));
  engine = createColumnEngine({
    folders: [folder],
    tempFolder: join(folder, 'spilled'),
    memoryMb: 64,
    threads: 1,
  });
});
afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});

it('answers with exact decimals', async () => {
  const sum =
    'SELECT sum(a) AS sum FROM (VALUES (99999999999999.999999999999999999::DECIMAL(38,18)), (0.000000000000000002)) v (a)';
  expect(await engine.run([sum])).toEqual([{ sum: '100000000000000.000000000000000001' }]);
});

it('reads and writes only in its folders, and refuses to change that setting', async () => {
  const path = join(folder, 'a.csv');
  await writeFile(path, '1\n');
  expect(await engine.run([`SELECT * FROM read_csv(${literal(path)}, header = false)`])).toEqual([{ column0: '1' }]);
  await expect(engine.run([`SELECT * FROM read_csv('/etc/passwd')`])).rejects.toThrow(EngineFailure);
  await expect(engine.run([`COPY (SELECT 1) TO ${literal(join(tmpdir(), 'regie-outside.csv'))}`])).rejects.toThrow(
    EngineFailure,
  );
  await expect(engine.run([`SET enable_external_access = true`])).rejects.toThrow(EngineFailure);
});

it('stops a cancelled query, and answers the others', async () => {
  const long = 'SELECT count(*) FROM range(100_000_000_000) WHERE hash(range) = 1';
  const other = engine.run([`SELECT 1 AS one`]);
  await expect(engine.run([long], { signal: AbortSignal.timeout(100) })).rejects.toThrow(/timeout/i);
  expect(await other).toEqual([{ one: 1 }]);
});

it('refuses a query that exceeds its memory and disk, and answers the next', async () => {
  const large = engine.run([`SELECT list(range) FROM range(100_000_000)`]);
  await expect(large).rejects.toMatchObject({ name: 'EngineFailure', limit: 'size' });
  await expect(engine.run(['SELECT nothing'])).rejects.toMatchObject({ name: 'EngineFailure', limit: undefined });
  expect(await engine.run([`SELECT 1 AS one`])).toEqual([{ one: 1 }]);
});

it('starts again when its process has ended', { tags: ['slow'] }, async () => {
  const long = engine.run(['SELECT count(*) FROM range(100_000_000_000) WHERE hash(range) = 1']);
  await engine.run(['SELECT 1']);
  await engine.close();
  await expect(long).rejects.toThrow(EngineFailure);
  expect(await engine.run(['SELECT 1 AS one'])).toEqual([{ one: 1 }]);
});

it('starts again when a query is cancelled while its process ends', async () => {
  const long = 'SELECT count(*) FROM range(100_000_000_000) WHERE hash(range) = 1';
  const stop = new AbortController();
  const cancelled = expect(engine.run([long], { signal: stop.signal })).rejects.toThrow();
  await engine.run(['SELECT 1']);
  const closing = engine.close();
  await Promise.resolve();
  await Promise.resolve();
  // Until the process is gone, and before this one is told.
  const until = performance.now() + 100;
  while (performance.now() < until);
  stop.abort();
  await cancelled;
  await closing;
  expect(await engine.run(['SELECT 1 AS one'])).toEqual([{ one: 1 }]);
});

it('does not end the process that was started while the former one ended', async () => {
  await engine.run(['SELECT 1']);
  const closing = engine.close();
  using _held = engine.hold();
  await engine.run(['CREATE TABLE kept AS SELECT 1 AS one']);
  await closing;
  expect(await engine.run(['SELECT one FROM kept'])).toEqual([{ one: 1 }]);
});

it('ends and drops its tables once it is idle and not held', { tags: ['slow'] }, async () => {
  const short = createColumnEngine(
    { folders: [folder], tempFolder: join(folder, 'short'), memoryMb: 64, threads: 1 },
    50,
  );
  {
    using _held = short.hold();
    await short.run(['CREATE TABLE kept AS SELECT 1 AS one']);
    // Waits to see that nothing ends it.
    await delay(200);
    expect(await short.run(['SELECT one FROM kept'])).toEqual([{ one: 1 }]);
  }
  // Each question starts the idle time again.
  const kept = () => short.run(['SELECT one FROM kept']);
  await expect.poll(() => kept().catch((error: unknown) => error), { interval: 200 }).toBeInstanceOf(EngineFailure);
  await short.close();
});
