// @module-tag slow
import { monthToMs } from '@regie/values/month.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type Database, type Trx } from '#src/lib/db.ts';
import { AppError } from '#src/lib/errors.ts';
import type { Caller } from '#src/lib/route.ts';
import { refreshAnalytics } from '#src/modules/income/analytics/refresh.service.ts';
import { checkStatement, uncheckStatement } from '#src/modules/income/statements/statement-checks.service.ts';
import { editStatement } from '#src/modules/income/statements/statement-readings.service.ts';
import { getStatement } from '#src/modules/income/statements/statement-views.service.ts';
import { deleteStatement, replaceStatement } from '#src/modules/income/statements/statements.service.ts';
import { assignTrack, sumUnmatched, unassignTrack } from '#src/modules/income/unmatched/unmatched.service.ts';
import { listMonths, postAutomaticReport } from '#src/modules/money/months/months.service.ts';
import { deleteReport, reverseImport } from '#src/modules/money/reports/reversals.service.ts';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { useDatabase } from './database.ts';
import { deepCount } from './deep.ts';
import { buildAccount, buildActor, buildReferral, buildTrack, setRate } from './factories.ts';
import { testLines } from './lines.ts';
import { index, pick, pickImport, toText } from './model.ts';
import { buildReceived, distrokidFile, readReceived } from './statements.ts';

/**
 * Random loads, matches, checks, moves, postings, reversals, replacements and deletions of files in three currencies,
 * while rates, ISRCs and releases change. Posted and waiting income together equal the files of the live statements, to
 * the last decimal and in each currency, against a model in integers.
 */
const database = useDatabase();
let db: Database;
let owner: Database;
let caller: Caller & { adminId: number };
let tracks: { id: number; isrc: string }[];

beforeAll(async () => {
  db = createDatabase(database.appUrl, { max: 3 });
  owner = createDatabase(database.ownerUrl, { max: 2 });
  caller = { ...(await buildActor(db)), session: undefined, can: () => true };
  const [one, two] = [await buildAccount(db), await buildAccount(db)];
  await buildReferral(db, { referrerId: one, referredId: two, percentile: '7.5' });
  tracks = [];
  await sql`INSERT INTO exchange_rates (currency, month, rate) VALUES ('GBP', '2023-12-01', 0.87)`.execute(owner);
  for (let n = 0; n < 4; n += 1) tracks.push(await buildTrack(db, n % 2 === 0 ? one : two));
});
afterAll(() => Promise.all([db.destroy(), owner.destroy()]));

const months = ['2024-01', '2024-01', '2024-02'];
const decimals = 12;

/** What the files of a run say: currency, and the sum of the amounts in 10^-12. */
type FileSums = Map<number, { currency: string; units: bigint }>;
type Command = (told: FileSums) => Promise<void>;

const inTransaction = <Result>(run: (trx: Trx) => Promise<Result>) => db.transaction().execute(run);
/** True unless the call is refused with an AppError; other errors fail the test. */
async function attempt<Result>(run: (trx: Trx) => Promise<Result>): Promise<Result | undefined> {
  try {
    return await inTransaction(run);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

interface Row {
  track: number;
  month: string;
  units: bigint;
}
let files = 0;

/** A statement in euros or pounds with decimal commas. */
function believeFile(currency: string, rows: readonly { isrc: string; month: string; amount: string }[]): string {
  const header =
    'Reporting month;Sales Month;Platform;Country / Region;Label Name;Artist Name;Release title;Track title;UPC;ISRC;Release Catalog nb;Streaming Subscription Type;Release type;Sales Type;Quantity;Client Payment Currency;Unit Price;Mechanical Fee;Gross Revenue;Client share rate;Net Revenue';
  const lines = rows.map(({ isrc, month, amount }) => {
    const day = `01/${month.slice(5)}/${month.slice(0, 4)}`;
    const net = amount.replace('.', ',');
    return `${day};${day};Deezer;France;;Artiste;Album;Titre;;${isrc};;;;Stream;${files};${currency};0,1;0;${net};100;${net}`;
  });
  return `${[header, ...lines].join('\n')}\n`;
}

async function loadFile(told: FileSums, currency: string, rows: readonly Row[], replaces?: number): Promise<number> {
  files += 1;
  const written = rows.map(({ track, month, units }) => ({
    // The last two have no track: one without an ISRC, one with an unknown ISRC.
    isrc: tracks[track]?.isrc ?? (track === tracks.length ? '' : 'FRMDL2400009'),
    month,
    amount: toText(units, decimals),
    quantity: files,
  }));
  const content = currency === 'USD' ? distrokidFile(written) : believeFile(currency, written);
  const id = await buildReceived(owner, content, `releve-${files}`);
  if (replaces !== undefined) await owner.updateTable('statements').set({ replaces }).where('id', '=', id).execute();
  await readReceived(database.ownerUrl, id, content);
  told.set(id, { currency, units: rows.reduce((sum, row) => sum + row.units, 0n) });
  return id;
}

const row: fc.Arbitrary<Row> = fc.record({
  track: fc.nat({ max: 5 }),
  month: fc.constantFrom(...months),
  // Never 0: otherwise two files are equal.
  units: fc.bigInt({ min: -(10n ** 13n), max: 10n ** 16n }).filter((units) => units !== 0n),
});
const rows = fc.array(row, { minLength: 1, maxLength: 6 });
const currency = fc.constantFrom('USD', 'EUR', 'GBP');

const check = (id: number) =>
  attempt(async (trx) => {
    const { version } = await getStatement(trx, id);
    return checkStatement(trx, caller, id, { version, confirmRates: true, confirmDuplicates: true });
  });
const load: fc.Arbitrary<Command> = fc.tuple(currency, rows).map(([of, list]) => async (told) => {
  const id = await loadFile(told, of, list);
  await check(id);
});
const loadUnchecked: fc.Arbitrary<Command> = fc.tuple(currency, rows).map(([of, list]) => async (told) => {
  await loadFile(told, of, list);
});
const replace: fc.Arbitrary<Command> = fc.tuple(index, currency, rows).map(([which, of, list]) => async (told) => {
  const former = pick([...told.keys()], which);
  if (former === undefined) return;
  const id = await loadFile(told, of, list, former);
  if (await attempt((trx) => replaceStatement(trx, caller, id, { isDryRun: false }))) told.delete(former);
  await check(id);
});
const remove: fc.Arbitrary<Command> = index.map((which) => async (told) => {
  const id = pick([...told.keys()], which);
  if (id !== undefined && (await attempt((trx) => deleteStatement(trx, caller, id)))) told.delete(id);
});
const keys = async () =>
  (await owner.selectFrom('incomeItems').select('key').orderBy('key').execute()).map(({ key }) => key);
const alias: fc.Arbitrary<Command> = fc.tuple(index, fc.nat({ max: 3 })).map(([item, track]) => async () => {
  const key = pick(await keys(), item);
  const trackId = tracks[track]?.id;
  if (key !== undefined && trackId !== undefined) await attempt((trx) => assignTrack(trx, caller, { key, trackId }));
});
const undo: fc.Arbitrary<Command> = index.map((item) => async () => {
  const key = pick(await keys(), item);
  if (key !== undefined) await attempt((trx) => unassignTrack(trx, caller, key));
});
/** The dry run equals the posting, to the last decimal. */
const post: fc.Arbitrary<Command> = fc.constantFrom(...months).map((month) => async () => {
  const run = (isDryRun: boolean) =>
    attempt((trx) =>
      postAutomaticReport(trx, caller, {
        monthMs: monthToMs(month),
        isDryRun,
        confirmRates: true,
        confirmDuplicates: true,
      }),
    );
  const [told, posted] = [await run(true), await run(false)];
  expect(posted && { ...posted.data, importId: null }).toEqual(told?.data);
});
/** Posts a part of a statement, then assigns more tracks. */
const postLate: fc.Arbitrary<Command> = fc.tuple(load, post, alias, alias, post).map((steps) => async (told) => {
  for (const step of steps) await step(told);
});
const reverse: fc.Arbitrary<Command> = index.map((which) => async () => {
  const id = await pickImport(owner, which);
  if (id !== undefined) await attempt((trx) => reverseImport(trx, caller, id));
});
const removeReport: fc.Arbitrary<Command> = index.map((which) => async () => {
  const reports = await owner
    .selectFrom('reports')
    .select('id')
    .where('reversedAt', 'is', null)
    .orderBy('id')
    .execute();
  const id = pick(reports, which)?.id;
  if (id !== undefined) await attempt((trx) => deleteReport(trx, caller, id));
});

/** Late rates change waiting income, not posted income. */
const changeRate: fc.Arbitrary<Command> = fc
  .tuple(fc.constantFrom('USD', 'GBP'), fc.constantFrom('2023-12', ...months), fc.integer({ min: 5000, max: 20_000 }))
  .map(([of, month, units]) => async () => {
    await setRate(db, of, month, units / 10_000);
  });
/** All of a statement in one month, or each line in its own. */
const move: fc.Arbitrary<Command> = fc
  .tuple(index, fc.constantFrom(null, ...months))
  .map(([which, month]) => async (told) => {
    const id = pick([...told.keys()], which);
    if (id === undefined) return;
    await attempt((trx) => uncheckStatement(trx, caller, id));
    const accountingMonth = month === null ? null : monthToMs(month);
    await attempt((trx) =>
      editStatement(trx, caller, id, { accountingMonth, declaredAmount: null, declaredCurrency: null }),
    );
    await check(id);
  });
/** A track gets another one's ISRC or its own again: held by two accounts, or by two tracks of one. */
const editIsrc: fc.Arbitrary<Command> = fc
  .tuple(fc.nat({ max: 3 }), fc.nat({ max: 3 }))
  .map(([of, like]) => async () => {
    const isrc = tracks[like]?.isrc ?? null;
    await db
      .updateTable('tracks')
      .set({ isrc })
      .where('id', '=', tracks[of]?.id ?? 0)
      .execute();
  });
const deliver: fc.Arbitrary<Command> = fc
  .tuple(fc.nat({ max: 3 }), fc.constantFrom('pending', 'delivered', 'closed', 'cancelled'))
  .map(([which, status]) => async () => {
    await sql`UPDATE releases SET status = ${status} WHERE id = (SELECT release_id FROM tracks WHERE id = ${tracks[which]?.id ?? 0})`.execute(
      db,
    );
  });

/** The month board equals the reports and the unmatched totals, within half a micro-euro of rounding per report. */
async function expectSameFigures(): Promise<void> {
  const period = { from: monthToMs('2024-01'), to: monthToMs('2024-02') };
  const { cells } = await inTransaction((trx) => listMonths(trx, period));
  for (const month of new Set(months)) {
    const own = cells.filter((cell) => cell.month === monthToMs(month));
    const { posted, reports } = await owner
      .selectFrom('reports')
      .innerJoin('imports', 'imports.id', 'reports.importId')
      .where('imports.month', '=', `${month}-01`)
      .where('reports.reversedAt', 'is', null)
      .select(({ fn }) => [
        fn.coalesce(fn.sum<string>('reports.grossEur'), sql<string>`0`).as('posted'),
        fn.countAll<number>().as('reports'),
      ])
      .executeTakeFirstOrThrow();
    const shown = (of: 'postedEur' | 'unmatchedEur') => own.reduce((sum, cell) => sum + cell[of], 0);
    expect(Math.abs(shown('postedEur') - Number(posted))).toBeLessThan(0.000_001 * (reports + 1));
    const inbox = await inTransaction((trx) => sumUnmatched(trx, { month: monthToMs(month) }));
    expect(Math.abs(shown('unmatchedEur') - inbox.amountEur)).toBeLessThan(0.000_01);
  }
}

/** Posted and waiting sums by statement, in 10^-12. */
async function readSums(): Promise<Map<number, { currency: string; units: bigint }>> {
  const found = await sql<{ id: number; currency: string; amount: string }>`
    SELECT s.statement_id AS id, s.currency, sum(s.amount) AS amount
      FROM statement_sums s JOIN statements st ON st.id = s.statement_id AND st.status IN ('loaded', 'checked')
     GROUP BY s.statement_id, s.currency`.execute(owner);
  return new Map(
    found.rows.map(({ id, currency: of, amount }) => {
      const [whole = '', fraction = ''] = amount.replace('-', '').split('.');
      const units = BigInt(whole + fraction.padEnd(decimals, '0'));
      expect(fraction.length).toBeLessThanOrEqual(decimals);
      return [id, { currency: of, units: amount.startsWith('-') ? -units : units }];
    }),
  );
}

const runs = deepCount(200, 40);
it(`posts and stores exactly the amounts of the files, in ${runs} histories`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          { arbitrary: load, weight: 3 },
          { arbitrary: post, weight: 3 },
          { arbitrary: postLate, weight: 3 },
          ...[
            loadUnchecked,
            replace,
            remove,
            alias,
            undo,
            reverse,
            removeReport,
            changeRate,
            move,
            editIsrc,
            deliver,
          ].map((arbitrary) => ({
            arbitrary,
            weight: 1,
          })),
        ),
        { minLength: 10, maxLength: 20 },
      ),
      async (commands) => {
        const told: FileSums = new Map();
        for (const command of commands) await command(told);
        expect(await readSums()).toEqual(told);
        // Months that the commands did not mark must be up to date.
        await refreshAnalytics(owner);
        expect(await verifyLedger(owner, testLines)).toEqual([]);
        await expectSameFigures();
        // The next run starts with nothing waiting or posted.
        for (const { id } of await owner.selectFrom('imports').select('id').where('reversedAt', 'is', null).execute()) {
          await inTransaction((trx) => reverseImport(trx, caller, id));
        }
        expect(await readSums()).toEqual(told);
        await sql`TRUNCATE statement_sums, statement_line_files, statement_months, statement_rollups, statement_postings, unmatched_totals, unmatched_counts, income_items, analytics_sums, analytics_marks`.execute(
          owner,
        );
        await sql`UPDATE statements SET status = 'removed', ended_at = now() WHERE ended_at IS NULL`.execute(owner);
      },
    ),
    { numRuns: runs, endOnFailure: true },
  );
}, 1_200_000);
