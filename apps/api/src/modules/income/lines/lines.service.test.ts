import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import S3rver from 's3rver';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLocalCopies } from '#src/lib/local-copies.ts';
import { createStorage } from '#src/lib/open-storage.ts';
import { newStorageKey } from '#src/lib/storage.ts';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { useApp } from '#test/app.ts';
import { readLines, testLines } from '#test/lines.ts';
import { buildReceived, buildStatement, distrokidFile, readReceived } from '#test/statements.ts';
import { createLineStore, listPlaces } from './lines.service.ts';

const app = useApp();
const test = () => ({ owner: app.owner, ownerUrl: app.database.ownerUrl });
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'regie-lines-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

const decimals = '0.123456789012345678901234567890123456789012345678';
const texts = { store: 'Q\\N "d\'or"', country: '' };

it('stores texts and decimals unchanged, and adds the decimals up exactly', { tags: ['slow'] }, async () => {
  const isrc = 'FRLIN2500001';
  const id = await buildStatement(test(), [
    { isrc, ...texts, amount: `99999${decimals.slice(1)}`, quantity: '0.5' },
    { isrc, ...texts, store: 'Deezer', amount: `-${decimals}`, quantity: -2 },
    { isrc, ...texts, month: '2025-02', amount: '0.000000000000000000000000000000000000000000000001' },
  ]);
  expect(await readLines(app.owner, id)).toMatchObject([
    {
      month: '2025-01-01',
      ...texts,
      item: isrc,
      currency: 'USD',
      quantity: '0.5',
      amount: `99999${decimals.slice(1)}`,
    },
    { month: '2025-01-01', store: 'Deezer', quantity: '-2', amount: `-${decimals}` },
    { month: '2025-02-01', ...texts, quantity: '1', amount: '0.000000000000000000000000000000000000000000000001' },
  ]);
  const { rows: sums } = await sql`
    SELECT month, amount, quantity FROM statement_sums WHERE statement_id = ${id} ORDER BY month`.execute(app.owner);
  expect(sums).toEqual([
    { month: '2025-01-01', amount: '99999', quantity: '-1.5' },
    { month: '2025-02-01', amount: '0.000000000000000000000000000000000000000000000001', quantity: '1' },
  ]);
  const keys = [{ item: isrc, month: '2025-01-01', kind: 'stream', currency: 'USD' }];
  expect(await app.owner.transaction().execute((trx) => listPlaces(trx, testLines, id, keys))).toMatchObject({
    places: [
      { ...texts, amount: `99999${decimals.slice(1)}`, firstLines: [2] },
      { store: 'Deezer', amount: `-${decimals}` },
    ],
    total: 2,
  });
  expect(await verifyLedger(app.owner, testLines)).toEqual([]);
});

it('writes one file per month, named in the database, and moves it to the bin with the statement', async () => {
  const id = await buildStatement(test(), [
    { isrc: 'FRLIN2500002', month: '2025-03', amount: '1' },
    { isrc: 'FRLIN2500002', month: '2025-04', amount: '2' },
    { isrc: 'FRLIN2500002', month: '2025-04', amount: '3', country: 'BE' },
  ]);
  const files = () =>
    sql`SELECT l.month, l.lines, f.kind, f.original_name, f.size_bytes > 0 AS has_size, f.binned_at IS NULL AS is_used
          FROM statement_line_files l JOIN files f ON f.id = l.file_id WHERE l.statement_id = ${id} ORDER BY l.month`
      .execute(app.owner)
      .then(({ rows }) => rows);
  const common = { kind: 'lines', hasSize: true, isUsed: true };
  expect(await files()).toEqual([
    { ...common, month: '2025-03-01', lines: 1, originalName: `${id}-2025-03.parquet` },
    { ...common, month: '2025-04-01', lines: 2, originalName: `${id}-2025-04.parquet` },
  ]);
  const staff = await app.signInWith(['edit_reports']);
  expect(await staff.delete(`/api/reporting/statements/${id}`)).toMatchObject({ status: 200 });
  await app.runJobs();
  expect(await files()).toEqual([]);
  const { rows } = await sql`
    SELECT FROM files WHERE original_name LIKE ${`${id}-%`} AND binned_at IS NOT NULL`.execute(app.owner);
  expect(rows).toHaveLength(2);
});

it('ledger:verify reports lines that differ from their sums, or are missing', async () => {
  const id = await buildStatement(test(), [{ isrc: 'FRLIN2500003', amount: '5' }]);
  const difference = expect.stringContaining(`statement ${id}, 2025-01, by sums: 6, lines 5 USD`);
  await sql`UPDATE statement_sums SET amount = 6 WHERE statement_id = ${id}`.execute(app.owner);
  expect(await verifyLedger(app.owner, testLines)).toContainEqual(difference);
  await sql`UPDATE statement_sums SET amount = 5 WHERE statement_id = ${id}`.execute(app.owner);
  expect(await verifyLedger(app.owner, testLines)).toEqual([]);
  const { rows } = await sql<{ storageKey: string }>`
    SELECT f.storage_key FROM statement_line_files l JOIN files f ON f.id = l.file_id WHERE l.statement_id = ${id}`.execute(
    app.owner,
  );
  const path = await testLines.pathOf(rows[0]?.storageKey ?? '');
  await rename(path, `${path}.gone`);
  const lost = `a statement's sums differ from its lines: statement ${id}: a file of its lines cannot be read`;
  expect(await verifyLedger(app.owner, testLines)).toEqual([lost]);
  // Of a bucket's files a night reads the recent ones, and a thirtieth of the others.
  expect(await verifyLedger(app.owner, testLines, { isShare: true })).toEqual([lost]);
  await sql`UPDATE statements SET loaded_at = now() - interval '50 days' WHERE id = ${id}`.execute(app.owner);
  const isTonight = Math.floor(Date.now() / 86_400_000) % 30 === id % 30;
  expect(await verifyLedger(app.owner, testLines, { isShare: true })).toEqual(isTonight ? [lost] : []);
  await rename(`${path}.gone`, path);
});

it('reads the lines of a bucket through local copies, and evicts the older copies', { tags: ['slow'] }, async () => {
  const s3 = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: join(folder, 's3'),
    configureBuckets: [{ name: 'regie-lines' }],
  });
  const { port } = await s3.run();
  const storage = createStorage(`s3://S3RVER:S3RVER@127.0.0.1:${port}/regie-lines?region=eu-west-3&protocol=http`);
  const lines = createLineStore({ storage, folder: join(folder, 'work') });
  try {
    const file = distrokidFile([{ isrc: 'FRLIN2500004', amount: '7' }]);
    const id = await buildReceived(app.owner, file);
    await readReceived(app.database.ownerUrl, id, file, { lines });
    expect(await readLines(app.owner, id, lines)).toMatchObject([{ item: 'FRLIN2500004', amount: '7' }]);
    expect(await readdir(join(folder, 'work', 'copies'))).toHaveLength(1);
    const copies = createLocalCopies(storage, join(folder, 'few'), { maxBytes: 20, inUseMs: -1 });
    for (const size of [9, 10, 11]) {
      const key = newStorageKey('lines', 'parquet');
      await storage.put(key, Buffer.alloc(size), size);
      await Promise.all([copies.pathOf(key), copies.pathOf(key)]);
    }
    expect(await readdir(join(folder, 'few'))).toHaveLength(1);
    await sql`UPDATE statements SET status = 'removed', ended_at = now() WHERE id = ${id}`.execute(app.owner);
  } finally {
    await lines.close();
    await s3.close();
  }
});
