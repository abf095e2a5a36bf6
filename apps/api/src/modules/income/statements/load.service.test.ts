import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { useApp } from '#test/app.ts';
import { untilBlocked } from '#test/blocked.ts';
import { buildAccount, buildTrack } from '#test/factories.ts';
import { readLines, testLines } from '#test/lines.ts';
import { buildReceived, buildStatement, distrokidFile, readReceived } from '#test/statements.ts';
import { openLoader } from './load.service.ts';

const app = useApp();
const test = () => ({ owner: app.owner, ownerUrl: app.database.ownerUrl });

async function statement(id: number) {
  return app.owner.selectFrom('statements').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

it('adds a file up to lines, sums, months and rollups exactly', async () => {
  const track = await buildTrack(app.db, await buildAccount(app.db));
  const id = await buildStatement(test(), [
    { isrc: track.isrc, amount: '0.1', quantity: 3 },
    { isrc: track.isrc, amount: '0.2', quantity: 4 },
    { isrc: track.isrc.toLowerCase(), amount: '0.00000000000001', country: 'BE' },
    { isrc: track.isrc, amount: '-0.05', month: '2024-12', quantity: -1 },
    { isrc: 'FRZZZ2500001', amount: '7', store: 'YouTube (Ads)' },
    { upc: '3700000000017', title: 'Album', amount: '9.99', store: 'iTunes' },
  ]);
  expect(await statement(id)).toMatchObject({
    status: 'loaded',
    source: 'DistroKid',
    rows: 6,
    countedRows: 6,
    lines: 5,
  });
  const lines = await readLines(app.owner, id);
  expect(
    lines.map((line) => [
      line.month,
      line.store,
      line.country,
      line.kind,
      line.quantity,
      line.amount,
      line.rows,
      line.firstLine,
    ]),
  ).toEqual([
    ['2025-01-01', 'Deezer', 'FR', 'stream', '7', '0.3', 2, 2],
    ['2025-01-01', 'Deezer', 'BE', 'stream', '1', '0.00000000000001', 1, 4],
    ['2024-12-01', 'Deezer', 'FR', 'stream', '-1', '-0.05', 1, 5],
    ['2025-01-01', 'YouTube (Ads)', 'FR', 'video', '1', '7', 1, 6],
    ['2025-01-01', 'iTunes', 'FR', 'download', '1', '9.99', 1, 7],
  ]);
  const sums = await app.owner
    .selectFrom('statementSums')
    .selectAll()
    .where('statementId', '=', id)
    .orderBy('amount')
    .execute();
  expect(sums.map((sum) => [sum.month, sum.kind, sum.quantity, sum.amount, sum.rows, sum.trackId])).toEqual([
    ['2024-12-01', 'stream', '-1', '-0.05', 1, track.id],
    ['2025-01-01', 'stream', '8', '0.30000000000001', 3, track.id],
    ['2025-01-01', 'video', '1', '7', 1, null],
    ['2025-01-01', 'download', '1', '9.99', 1, null],
  ]);
  const months = await app.owner
    .selectFrom('statementMonths')
    .selectAll()
    .where('statementId', '=', id)
    .orderBy('month')
    .execute();
  expect(
    months.map((month) => [month.month, month.amount, month.unmatchedAmount, month.postedAmount, month.unmatchedSums]),
  ).toEqual([
    ['2024-12-01', '-0.05', '0', '0', 0],
    ['2025-01-01', '17.29000000000001', '16.99', '0', 2],
  ]);
  const rollups = await sql<{ dimension: string; amount: string }>`
    SELECT dimension, sum(amount) AS amount FROM statement_rollups WHERE statement_id = ${id} GROUP BY dimension ORDER BY 1`.execute(
    app.owner,
  );
  expect(rollups.rows).toEqual([
    { dimension: 'country', amount: '17.24000000000001' },
    { dimension: 'store', amount: '17.24000000000001' },
  ]);
});

it('counts nothing of a file with one unreadable row, and names the row', async () => {
  const content = distrokidFile([
    { isrc: 'FRZZZ2500011', amount: '1' },
    { isrc: 'FRZZZ2500011', amount: '1,5x' },
  ]);
  const id = await buildReceived(app.owner, content);
  expect(await readReceived(app.database.ownerUrl, id, content)).toBe(true);
  const { status, findings } = await statement(id);
  expect(status).toBe('refused');
  expect(findings).toEqual({ refusal: { message: expect.stringContaining('1,5x'), line: 3, asksSheets: false } });
  expect(await readLines(app.owner, id)).toEqual([]);
});

it('matches an ISRC to its track, whichever is added first, and does not change the posted track', async () => {
  const account = await buildAccount(app.db);
  const id = await buildStatement(test(), [{ isrc: 'FRZZZ2500021', amount: '5' }]);
  const trackOf = async () =>
    (
      await app.owner
        .selectFrom('statementSums')
        .select(['trackId'])
        .where('statementId', '=', id)
        .executeTakeFirstOrThrow()
    ).trackId;
  expect(await trackOf()).toBeNull();
  const track = await buildTrack(app.db, account, { isrc: 'FRZZZ2500021' });
  expect(await trackOf()).toBe(track.id);
  // An ISRC held by two accounts matches no track.
  const other = await buildTrack(app.db, await buildAccount(app.db), { isrc: 'FRZZZ2500021' });
  expect(await trackOf()).toBeNull();
  const item = await app.owner
    .selectFrom('incomeItems')
    .select('unmatched')
    .where('key', '=', 'FRZZZ2500021')
    .executeTakeFirstOrThrow();
  expect(item.unmatched).toBe('doubled');
  await app.owner.updateTable('tracks').set({ isrc: null }).where('id', '=', other.id).execute();
  expect(await trackOf()).toBe(track.id);
});

it('reads a statement once, however many workers try', async () => {
  const content = distrokidFile([{ isrc: 'FRZZZ2500041', amount: '1' }]);
  const id = await buildReceived(app.owner, content);
  const done = await Promise.all([1, 2].map(() => readReceived(app.database.ownerUrl, id, content)));
  expect(done).toContain(true);
  expect(await readLines(app.owner, id)).toHaveLength(1);
});

it('reads a file as it is asked for when the reading starts, not when its job was queued', async () => {
  const content = distrokidFile([{ isrc: 'FRZZZ2500042', amount: '1' }]);
  const id = await buildReceived(app.owner, content);
  const asking = await app.owner.startTransaction().execute();
  await asking.updateTable('statements').set({ preset: 'believe' }).where('id', '=', id).execute();
  const loading = readReceived(app.database.ownerUrl, id, content);
  await untilBlocked(app.owner, 1);
  await asking.commit().execute();
  await loading;
  expect(await statement(id)).toMatchObject({ status: 'unrecognised', preset: 'believe' });
});

it.each([
  ['adds its ISRC', 'FRZZZ2500051', { before: null, after: 'FRZZZ2500051' }, true],
  ['removes its ISRC', 'FRZZZ2500052', { before: 'FRZZZ2500052', after: null }, false],
])('waits for a concurrent transaction that %s', async (_, isrc, { before, after }, isMatched) => {
  const account = await buildAccount(app.db);
  const track = await buildTrack(app.db, account, { isrc: before });
  // Uncommitted: neither transaction can see the other.
  const coming = await app.owner.startTransaction().execute();
  await coming.updateTable('tracks').set({ isrc: after }).where('id', '=', track.id).execute();
  const loading = buildStatement(test(), [{ isrc, amount: '2' }]);
  try {
    await untilBlocked(app.owner, 1);
  } finally {
    await coming.commit().execute();
  }
  const { trackId } = await app.owner
    .selectFrom('statementSums')
    .select('trackId')
    .where('statementId', '=', await loading)
    .executeTakeFirstOrThrow();
  expect(trackId).toBe(isMatched ? track.id : null);
});

it('waits for a second track with the same ISRC added at the same time', async () => {
  const isrc = 'FRZZZ2500053';
  await buildTrack(app.db, await buildAccount(app.db), { isrc });
  const other = await buildTrack(app.db, await buildAccount(app.db), { isrc: null });
  const coming = await app.owner.startTransaction().execute();
  await coming.updateTable('tracks').set({ isrc }).where('id', '=', other.id).execute();
  const loading = buildStatement(test(), [{ isrc, amount: '2' }]);
  try {
    await untilBlocked(app.owner, 1);
  } finally {
    await coming.commit().execute();
  }
  const sums = app.owner
    .selectFrom('statementSums')
    .select('trackId')
    .where('statementId', '=', await loading);
  expect(await sums.execute()).toEqual([{ trackId: null }]);
  const item = app.owner.selectFrom('incomeItems').select('unmatched').where('key', '=', isrc);
  expect(await item.execute()).toEqual([{ unmatched: 'doubled' }]);
});

it('can be cancelled at once while its lines are added up', async () => {
  const staff = await app.signInWith(['edit_reports']);
  const content = distrokidFile([{ isrc: 'FRZZZ2500054', amount: '1' }]);
  const id = await buildReceived(app.owner, content);
  const other = await app.owner.startTransaction().execute();
  await sql`SELECT pg_advisory_xact_lock_shared(hashtext('match_items'))`.execute(other);
  const loading = readReceived(app.database.ownerUrl, id, content);
  try {
    await untilBlocked(app.owner, 1);
    expect(await staff.delete(`/api/reporting/statements/${id}`)).toMatchObject({ status: 200 });
  } finally {
    await other.commit().execute();
  }
  await loading;
  expect(await statement(id)).toMatchObject({ status: 'removed', rows: 0 });
  expect(await app.owner.selectFrom('statementSums').select('item').where('statementId', '=', id).execute()).toEqual(
    [],
  );
});

const threeRows = (mark: number) =>
  distrokidFile(['1', '2', '3'].map((amount, index) => ({ isrc: `FRZZZ26${mark}00${index}`, amount })));

it('counts nothing when the engine stores fewer lines than it receives', async () => {
  const file = threeRows(14);
  const id = await buildReceived(app.owner, file);
  const { engine } = testLines;
  const run: typeof engine.run = (statements, options) =>
    engine.run(
      statements.map((text) => (text.startsWith('INSERT') ? `${text} LIMIT 2` : text)),
      options,
    );
  const lines = { ...testLines, engine: { ...engine, run } };
  await expect(readReceived(app.database.ownerUrl, id, file, { lines })).rejects.toThrow(
    'the engine took 2 of 3 lines',
  );
  expect(await statement(id)).toMatchObject({ status: 'reading', rows: 0, lines: 0 });
  await readReceived(app.database.ownerUrl, id, file);
  expect(await statement(id)).toMatchObject({ status: 'loaded', rows: 3, lines: 3 });
});

it('counts nothing when the database stores fewer sums than it receives', async () => {
  const { owner } = app;
  await sql`CREATE FUNCTION lose_one() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN CASE WHEN NEW.amount = 2 THEN NULL ELSE NEW END; END'`.execute(
    owner,
  );
  await sql`CREATE TRIGGER lose_one BEFORE INSERT ON statement_sums FOR EACH ROW EXECUTE FUNCTION lose_one()`.execute(
    owner,
  );
  const file = threeRows(15);
  const id = await buildReceived(owner, file);
  try {
    await expect(readReceived(app.database.ownerUrl, id, file)).rejects.toThrow(
      '3 rows were read, 2 are added up, or to other amounts than by place',
    );
    expect(await statement(id)).toMatchObject({ status: 'reading', rows: 0, lines: 0 });
  } finally {
    await sql`DROP FUNCTION lose_one CASCADE`.execute(owner);
  }
  await readReceived(app.database.ownerUrl, id, file);
  expect(await statement(id)).toMatchObject({ status: 'loaded', rows: 3, lines: 3 });
});

it('loads a statement on the connections of a refused one, and leaves both to other workers', async () => {
  const files = ['douze', '12'].map((amount) => distrokidFile([{ isrc: 'FRZZZ2500077', amount }]));
  const ids: number[] = [];
  await using loader = await openLoader(app.database.ownerUrl);
  for (const content of files) {
    const id = await buildReceived(app.owner, content);
    expect(await readReceived(app.database.ownerUrl, id, content, loader)).toBe(true);
    ids.push(id);
  }
  expect(await Promise.all(ids.map(async (id) => (await statement(id)).status))).toEqual(['refused', 'loaded']);
  for (const [index, content] of files.entries())
    expect(await readReceived(app.database.ownerUrl, ids[index] ?? 0, content)).toBe(true);
});
