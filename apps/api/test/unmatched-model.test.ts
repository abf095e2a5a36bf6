// @module-tag slow
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type Database, type Trx } from '#src/lib/db.ts';
import { AppError } from '#src/lib/errors.ts';
import { assignTrack, unassignTrack } from '#src/modules/income/unmatched/unmatched.service.ts';
import { useDatabase } from './database.ts';
import { deepCount } from './deep.ts';
import { buildAccount, buildActor, buildRelease } from './factories.ts';
import { index, pick, pickImport } from './model.ts';
import { buildStatement } from './statements.ts';

/**
 * Random loads, assignments and their undoing, changes of ISRC and account, postings and reversals. After each: an item
 * has its assigned track, or else the track of its ISRC; waiting income follows its item, posted income keeps its track;
 * and a statement's months equal a recount.
 */
const database = useDatabase();
let db: Database;
let owner: Database;
let actor: { adminId: number; requestId: null };

beforeAll(async () => {
  db = createDatabase(database.appUrl, { max: 2 });
  owner = createDatabase(database.ownerUrl, { max: 2 });
  actor = await buildActor(db);
});
afterAll(() => Promise.all([db.destroy(), owner.destroy()]));

const isrcs = ['FRMOD2400001', 'FRMOD2400002', 'FRMOD2400003'];
const months = ['2024-01', '2024-02'];
const trackCount = 4;

interface World {
  accounts: number[];
  tracks: number[];
  releases: number[];
}
type Command = (world: World) => Promise<void>;

const inTransaction = <Result>(run: (trx: Trx) => Promise<Result>) => db.transaction().execute(run);
/** True unless the call is refused with an AppError; other errors fail the test. */
async function attempt(run: (trx: Trx) => Promise<unknown>): Promise<void> {
  try {
    await inTransaction(run);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}
const itemKeys = async () => {
  const { rows } = await sql<{ key: string }>`SELECT key FROM income_items ORDER BY key`.execute(owner);
  return rows.map(({ key }) => key);
};

const track = fc.nat({ max: trackCount - 1 });

let loads = 0;
const load: fc.Arbitrary<Command> = fc
  .array(
    fc.record({
      isrc: fc.constantFrom('', ...isrcs),
      month: fc.constantFrom(...months),
      cents: fc.integer({ min: -500, max: 5000 }),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((rows) => async () => {
    loads += 1;
    await buildStatement(
      { owner, ownerUrl: database.ownerUrl },
      // Makes each file's bytes unique.
      rows.map(({ isrc, month, cents }) => ({
        isrc,
        month,
        amount: (cents / 100).toFixed(2),
        title: 'Modèle',
        quantity: loads,
      })),
    );
  });
const alias: fc.Arbitrary<Command> = fc.tuple(index, track).map(([item, which]) => async ({ tracks }) => {
  const key = pick(await itemKeys(), item);
  const trackId = tracks[which];
  if (key !== undefined && trackId !== undefined) await attempt((trx) => assignTrack(trx, actor, { key, trackId }));
});
const undo: fc.Arbitrary<Command> = index.map((item) => async () => {
  const key = pick(await itemKeys(), item);
  if (key !== undefined) await attempt((trx) => unassignTrack(trx, actor, key));
});
const editIsrc: fc.Arbitrary<Command> = fc
  .tuple(track, fc.constantFrom(null, ...isrcs))
  .map(([which, isrc]) => async ({ tracks }) => {
    await db
      .updateTable('tracks')
      .set({ isrc })
      .where('id', '=', tracks[which] ?? 0)
      .execute();
  });
const editManyIsrcs: fc.Arbitrary<Command> = fc.constantFrom(null, ...isrcs).map((isrc) => async ({ tracks }) => {
  await db.updateTable('tracks').set({ isrc }).where('id', 'in', tracks).execute();
});
const changeHands: fc.Arbitrary<Command> = fc.tuple(track, fc.nat({ max: 1 })).map(([which, to]) => async (world) => {
  await db
    .updateTable('releases')
    .set({ accountId: world.accounts[to] ?? 0 })
    .where('id', '=', world.releases[which] ?? 0)
    .execute();
});
const post: fc.Arbitrary<Command> = fc.constantFrom(...months).map((month) => async () => {
  const { id } = await owner
    .insertInto('imports')
    .values({
      kind: 'automatic',
      type: 'platform',
      month: `${month}-01`,
      toDate: '2024-03-01',
      rate: '1.1',
      termsVersion: 1,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await sql`
    UPDATE statement_sums SET import_id = ${id}
     WHERE month = ${`${month}-01`}::date AND import_id IS NULL AND track_id IS NOT NULL`.execute(db);
});
const reverse: fc.Arbitrary<Command> = index.map((which) => async () => {
  const id = await pickImport(owner, which);
  if (id !== undefined) await db.updateTable('imports').set({ reversedAt: new Date() }).where('id', '=', id).execute();
});

/** Named violations of the rules. */
async function findContradictions(): Promise<string[]> {
  const { rows } = await sql<{ what: string }>`
    SELECT 'months' AS what
      FROM (SELECT statement_id, month, currency, sum(amount) AS amount, count(*) AS sums,
                   coalesce(sum(amount) FILTER (WHERE track_id IS NULL), 0) AS unmatched_amount, count(*) FILTER (WHERE track_id IS NULL) AS unmatched_sums,
                   coalesce(sum(amount) FILTER (WHERE import_id IS NOT NULL), 0) AS posted_amount, count(import_id) AS posted_sums
              FROM statement_sums GROUP BY statement_id, month, currency) s
      FULL JOIN statement_months m USING (statement_id, month, currency)
     WHERE (s.amount, s.sums, s.unmatched_amount, s.unmatched_sums, s.posted_amount, s.posted_sums)
           IS DISTINCT FROM (m.amount, m.sums, m.unmatched_amount, m.unmatched_sums, m.posted_amount, m.posted_sums)
    UNION ALL
    SELECT 'item ' || i.key FROM income_items i
      LEFT JOIN LATERAL (
        SELECT CASE WHEN count(DISTINCT t.account_id) = 1
                    THEN (array_agg(t.id ORDER BY r.status IN ('delivered', 'closed') DESC, t.created_at, t.id))[1] END AS track_id
          FROM tracks t JOIN releases r ON r.id = t.release_id WHERE t.isrc = i.isrc) h ON true
     WHERE i.track_id IS DISTINCT FROM coalesce(i.alias_track_id, h.track_id)
    UNION ALL
    SELECT 'waiting ' || s.item FROM statement_sums s JOIN income_items i ON i.key = s.item
     WHERE s.import_id IS NULL AND s.track_id IS DISTINCT FROM i.track_id`.execute(owner);
  return rows.map(({ what }) => what);
}

/** All sums of statements, with their tracks and imports. */
const readSums = async () => {
  const { rows } = await sql<{ total: string; posted: string }>`
    SELECT coalesce(sum(amount), 0) AS total,
           coalesce(string_agg(told, ',' ORDER BY told) FILTER (WHERE import_id IS NOT NULL), '') AS posted
      FROM (SELECT *, concat_ws('/', statement_id, item, month, kind, currency, track_id) AS told FROM statement_sums) s`.execute(
    owner,
  );
  return rows[0] ?? { total: '0', posted: '' };
};

it('keeps the unmatched totals equal to a recount', async () => {
  const commands = fc.array(
    fc.oneof(
      { weight: 2, arbitrary: load.map((run) => ({ run, movesPosted: false })) },
      { weight: 4, arbitrary: alias.map((run) => ({ run, movesPosted: false })) },
      { weight: 2, arbitrary: undo.map((run) => ({ run, movesPosted: false })) },
      { weight: 3, arbitrary: editIsrc.map((run) => ({ run, movesPosted: false })) },
      { weight: 1, arbitrary: editManyIsrcs.map((run) => ({ run, movesPosted: false })) },
      { weight: 1, arbitrary: changeHands.map((run) => ({ run, movesPosted: false })) },
      { weight: 1, arbitrary: post.map((run) => ({ run, movesPosted: true })) },
      { weight: 1, arbitrary: reverse.map((run) => ({ run, movesPosted: true })) },
    ),
    { minLength: 5, maxLength: 25 },
  );
  await fc.assert(
    fc.asyncProperty(load, commands, async (first, rest) => {
      await sql`TRUNCATE statement_line_files, statement_sums, statement_months, statement_rollups, unmatched_totals, unmatched_counts, income_items, statements, imports, tracks CASCADE`.execute(
        owner,
      );
      const accounts = [await buildAccount(db), await buildAccount(db)];
      const world: World = { accounts, tracks: [], releases: [] };
      for (let i = 0; i < trackCount; i += 1) {
        const accountId = accounts[i % 2] ?? 0;
        const releaseId = await buildRelease(db, accountId, i < 2 ? 'delivered' : 'pending');
        const { id } = await db
          .insertInto('tracks')
          .values({ releaseId, accountId, position: 1, title: `Titre ${i}`, isrc: isrcs[i] ?? null })
          .returning('id')
          .executeTakeFirstOrThrow();
        world.tracks.push(id);
        world.releases.push(releaseId);
      }
      await first(world);
      for (const { run, movesPosted } of rest) {
        const before = await readSums();
        await run(world);
        expect(await findContradictions()).toEqual([]);
        if (!movesPosted) expect((await readSums()).posted).toBe(before.posted);
      }
    }),
    { numRuns: deepCount(200) },
  );
}, 600_000);
