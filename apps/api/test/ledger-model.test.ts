// @module-tag slow
import { monthToMs } from '@regie/values/month.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type Database, type Trx } from '#src/lib/db.ts';
import { postAdjustment } from '#src/modules/money/ledger/ledger.service.ts';
import { discardImport, importBatch, postImport } from '#src/modules/money/reports/import-batches.service.ts';
import { deleteMonth, deleteReport, reverseImport } from '#src/modules/money/reports/reversals.service.ts';
import { createReport, createYoutubeReport } from '#src/modules/money/reports/single-reports.service.ts';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { useDatabase } from './database.ts';
import { deepCount } from './deep.ts';
import { buildAccount, buildActor, buildTrack } from './factories.ts';
import { testLines } from './lines.ts';
import { divide, index, pick, toText } from './model.ts';

/**
 * Random imports, deletions, adjustments, referrals and percentage changes against a model without SQL: integers only,
 * with shares computed from the rules (product §33.7, §33.8, §33.9).
 */
const database = useDatabase();
let db: Database;
let actor: { adminId: number; requestId: null };
let accounts: number[];
let tracks: { id: number; isrc: string; account: number }[];
const months = ['2024-01', '2025-06'];
const rates: Record<string, bigint> = { '2024-01': 10_824_000_000n, '2025-06': 11_300_000_000n };

beforeAll(async () => {
  db = createDatabase(database.appUrl, { max: 4 });
  actor = await buildActor(db);
  accounts = [];
  tracks = [];
  for (let index = 0; index < 4; index += 1) {
    const account = await buildAccount(db, { libraryPercentile: '80', youtubePercentile: '70' });
    accounts.push(account);
    for (let n = 0; n < 3; n += 1) tracks.push({ ...(await buildTrack(db, account)), account });
  }
});
afterAll(() => db.destroy());

const inTransaction = <Result>(run: (trx: Trx) => Promise<Result>) => db.transaction().execute(run);

interface ModelReferral {
  referrer: number;
  referred: number;
  percent: bigint;
}
interface ModelReport {
  id: number | undefined;
  track: number | undefined;
  account: number;
  /** 1e-10 USD. */
  usd: bigint;
}
interface ModelImport {
  id: number;
  key: string | undefined;
  month: string;
  type: 'platform' | 'youtube';
  percents: Map<number, bigint>;
  referrals: ModelReferral[];
  batches: Set<number>;
  /** Rows waiting for the rest of their file. */
  staged: { track: number; usd: bigint }[];
  isPosted: boolean;
  reports: ModelReport[];
}
interface Model {
  library: Map<number, bigint>;
  youtube: Map<number, bigint>;
  referrals: (ModelReferral & { id: number })[];
  imports: ModelImport[];
  adjusted: Map<number, bigint>;
  run: number;
}

/** The expected micro-euros of each account from live reports and adjustments. */
function expectedBalances(model: Model): Map<number, bigint> {
  const balances = new Map(accounts.map((id) => [id, model.adjusted.get(id) ?? 0n]));
  const add = (id: number, amount: bigint) => balances.set(id, (balances.get(id) ?? 0n) + amount);
  for (const one of model.imports) {
    for (const report of one.reports) {
      const net = divide(
        report.usd * (one.percents.get(report.account) ?? 0n) * 1_000_000n,
        10_000n * (rates[one.month] ?? 1n),
      );
      add(report.account, net);
      for (const referral of one.referrals) {
        if (referral.referred === report.account) add(referral.referrer, divide(net * referral.percent, 10_000n));
      }
    }
  }
  return balances;
}

let run = 0;

type Command = (model: Model) => Promise<void>;

function postRows(target: ModelImport, rows: readonly { track: number; usd: bigint }[]): void {
  for (const row of rows) {
    const track = tracks[row.track];
    if (!track) throw new Error('no such track');
    const report = target.reports.find((one) => one.track === track.id);
    if (report) report.usd += row.usd;
    else target.reports.push({ id: undefined, track: track.id, account: track.account, usd: row.usd });
  }
  target.isPosted = true;
}

const percent = fc.integer({ min: 0, max: 10_000 }).map(BigInt);
const usd = fc.bigInt({ min: -9_999_999_999_999n, max: 9_999_999_999_999n }).filter((units) => units !== 0n);

const importRows: fc.Arbitrary<Command> = fc
  .record({
    file: fc.nat({ max: 3 }),
    batch: fc.nat({ max: 2 }),
    month: fc.constantFrom(...months),
    rows: fc.array(fc.record({ track: fc.nat({ max: 11 }), usd, column: fc.nat({ max: 2 }) }), {
      minLength: 1,
      maxLength: 8,
    }),
  })
  .map(({ file, batch, month, rows }) => async (model) => {
    const key = `run-${model.run}-file-${file}`;
    let target = model.imports.find((one) => one.key === key && one.month === month);
    if (target?.batches.has(batch)) return;
    // Half of the files announce their number of batches.
    const batches = file % 2 === 0 ? undefined : 3;
    const columns = ['incomeOfStreams', 'incomeOfDownloads', 'incomeOfYoutube'];
    const answer = await inTransaction((trx) =>
      importBatch(trx, actor, {
        monthMs: monthToMs(month),
        toMs: undefined,
        fileKey: key,
        fileName: key,
        batch,
        batches,
        rows: rows.map((row) => ({ isrc: tracks[row.track]?.isrc, [columns[row.column] ?? '']: toText(row.usd, 10) })),
      }),
    );
    if (!target) {
      target = {
        id: answer.importId,
        key,
        month,
        type: 'platform',
        percents: new Map(model.library),
        referrals: [...model.referrals],
        batches: new Set(),
        ...{ staged: [], isPosted: false, reports: [] },
      };
      model.imports.push(target);
    }
    target.batches.add(batch);
    if (batches === undefined) postRows(target, rows);
    else {
      target.staged.push(...rows);
      if (target.batches.size === batches) postRows(target, target.staged.splice(0));
    }
    expect(answer).toMatchObject({
      ...{ importId: target.id, saved: rows.length, alreadyCounted: false },
      isPosted: target.staged.length === 0,
    });
  });

const finish: fc.Arbitrary<Command> = index.map((which) => async (model) => {
  const waiting = model.imports.filter(({ staged }) => staged.length > 0);
  const target = pick(waiting, which);
  if (!target) return;
  await inTransaction((trx) => postImport(trx, actor, target.id, { rows: target.staged.length }));
  postRows(target, target.staged.splice(0));
});

const discard: fc.Arbitrary<Command> = index.map((which) => async (model) => {
  const target = pick(
    model.imports.filter(({ isPosted }) => !isPosted),
    which,
  );
  if (!target) return;
  await inTransaction((trx) => discardImport(trx, actor, target.id));
  model.imports = model.imports.filter((one) => one !== target);
});

/** Adds the import of a report made by hand. */
async function addImport(
  model: Model,
  type: 'youtube' | 'platform',
  month: string,
  { cents, ...report }: { id: number; track: number | undefined; account: number; cents: number },
): Promise<void> {
  const { importId } = await db
    .selectFrom('reports')
    .select('importId')
    .where('id', '=', report.id)
    .executeTakeFirstOrThrow();
  model.imports.push({
    id: importId,
    key: undefined,
    month,
    type,
    percents: new Map(type === 'youtube' ? model.youtube : model.library),
    referrals: [...model.referrals],
    batches: new Set([0]),
    ...{ staged: [], isPosted: true },
    reports: [{ ...report, usd: BigInt(cents) * 100_000_000n }],
  });
}

const youtubeReport: fc.Arbitrary<Command> = fc
  .record({ account: index, month: fc.constantFrom(...months), cents: fc.integer({ min: -100_000, max: 100_000 }) })
  .map(({ account, month, cents }) => async (model) => {
    const userId = pick(accounts, account) ?? 0;
    const { data } = await inTransaction((trx) =>
      createYoutubeReport(trx, actor, {
        ...{ userId, fromDate: monthToMs(month), incomeOfYoutube: cents / 100, again: true },
      }),
    );
    await addImport(model, 'youtube', month, { id: data.id, track: undefined, account: userId, cents });
  });

const singleReport: fc.Arbitrary<Command> = fc
  .record({
    track: fc.nat({ max: 11 }),
    month: fc.constantFrom(...months),
    cents: fc.integer({ min: -100_000, max: 100_000 }),
  })
  .map(({ track, month, cents }) => async (model) => {
    const { id: trackId, account } = tracks[track] ?? { id: 0, account: 0 };
    const { data } = await inTransaction((trx) =>
      createReport(trx, actor, {
        trackId,
        userId: account,
        fromDate: monthToMs(month),
        numOfStreams: 1,
        incomeOfStreams: cents / 100,
        numOfDownloads: 0,
        incomeOfDownloads: 0,
        numOfYoutube: 0,
        incomeOfYoutube: 0,
        again: true,
      }),
    );
    await addImport(model, 'platform', month, { id: data.id, track: trackId, account, cents });
  });

const removeReport: fc.Arbitrary<Command> = fc.tuple(index, index).map(([which, report]) => async (model) => {
  const from = pick(model.imports, which);
  const removed = from && pick(from.reports, report);
  if (!from || !removed) return;
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM reports WHERE import_id = ${from.id} AND reversed_at IS NULL
       AND track_id IS NOT DISTINCT FROM ${removed.track ?? null}::bigint`.execute(db);
  await inTransaction((trx) => deleteReport(trx, actor, rows[0]?.id ?? 0));
  from.reports = from.reports.filter((one) => one !== removed);
  if (from.key === undefined) model.imports = model.imports.filter((one) => one !== from);
});

const reverse: fc.Arbitrary<Command> = index.map((which) => async (model) => {
  const target = pick(
    model.imports.filter(({ isPosted }) => isPosted),
    which,
  );
  if (!target) return;
  await inTransaction((trx) => reverseImport(trx, actor, target.id));
  model.imports = model.imports.filter((one) => one !== target);
});

const removeMonth: fc.Arbitrary<Command> = fc
  .record({ month: fc.constantFrom(...months), type: fc.constantFrom('platform' as const, 'youtube' as const) })
  .map(({ month, type }) => async (model) => {
    await inTransaction((trx) => deleteMonth(trx, actor, { monthMs: monthToMs(month), type, isDryRun: false }));
    model.imports = model.imports.filter((one) => one.month !== month || one.type !== type || !one.isPosted);
  });

const adjust: fc.Arbitrary<Command> = fc
  .record({
    account: index,
    micro: fc.bigInt({ min: -1_000_000_000n, max: 1_000_000_000n }).filter((value) => value !== 0n),
  })
  .map(({ account, micro }) => async (model) => {
    const accountId = pick(accounts, account) ?? 0;
    await inTransaction((trx) =>
      postAdjustment(trx, { accountId, amountEur: toText(micro, 6), adminId: actor.adminId, reason: 'essai' }),
    );
    model.adjusted.set(accountId, (model.adjusted.get(accountId) ?? 0n) + micro);
  });

const changePercents: fc.Arbitrary<Command> = fc
  .tuple(index, percent, percent)
  .map(([account, library, youtube]) => async (model) => {
    const id = pick(accounts, account) ?? 0;
    await sql`
    UPDATE accounts SET library_percentile = ${toText(library, 2)}::numeric, youtube_percentile = ${toText(youtube, 2)}::numeric
     WHERE id = ${id}`.execute(db);
    model.library.set(id, library);
    model.youtube.set(id, youtube);
  });

const addReferral: fc.Arbitrary<Command> = fc.tuple(index, index, percent).map(([from, to, share]) => async (model) => {
  const [referrer, referred] = [pick(accounts, from) ?? 0, pick(accounts, to) ?? 0];
  if (referrer === referred) return;
  if (model.referrals.some((one) => one.referrer === referrer && one.referred === referred)) return;
  const { id } = await db
    .insertInto('referrals')
    .values({ referrerId: referrer, referredId: referred, percentile: toText(share, 2) })
    .returning('id')
    .executeTakeFirstOrThrow();
  model.referrals = [...model.referrals, { id, referrer, referred, percent: share }];
});

const endReferral = async (id: number) => {
  await sql`UPDATE referrals SET deleted_at = now(), deleted_version = lock_terms() WHERE id = ${id}`.execute(db);
};

const removeReferral: fc.Arbitrary<Command> = index.map((which) => async (model) => {
  const removed = pick(model.referrals, which);
  if (!removed) return;
  await endReferral(removed.id);
  model.referrals = model.referrals.filter((one) => one !== removed);
});

const commands = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: importRows },
    { weight: 1, arbitrary: youtubeReport },
    { weight: 1, arbitrary: singleReport },
    { weight: 2, arbitrary: removeReport },
    { weight: 1, arbitrary: finish },
    { weight: 1, arbitrary: discard },
    { weight: 1, arbitrary: reverse },
    { weight: 1, arbitrary: removeMonth },
    { weight: 2, arbitrary: adjust },
    { weight: 1, arbitrary: changePercents },
    { weight: 1, arbitrary: addReferral },
    { weight: 1, arbitrary: removeReferral },
  ),
  { minLength: 100, maxLength: 100, size: 'max' },
);

async function readBalances(): Promise<Map<string, bigint>> {
  const rows = await db.selectFrom('ledgerBalances').select(['account', 'amount']).execute();
  return new Map(rows.map((row) => [row.account, BigInt(row.amount.replace('.', ''))]));
}

const seconds = 1000;

it(
  'balances equal those of the model, and are restored by reversals',
  async () => {
    await fc.assert(
      fc.asyncProperty(commands, async (list) => {
        run += 1;
        const before = await readBalances();
        await sql`UPDATE accounts SET library_percentile = 80, youtube_percentile = 70`.execute(db);
        const model: Model = {
          library: new Map(accounts.map((id) => [id, 8000n])),
          youtube: new Map(accounts.map((id) => [id, 7000n])),
          referrals: [],
          imports: [],
          adjusted: new Map(),
          run,
        };
        try {
          for (const [step, command] of list.entries()) {
            await command(model);
            if (step % 10 !== 9) continue;
            const balances = await readBalances();
            for (const [id, expected] of expectedBalances(model)) {
              const name = `account:${id}`;
              expect((balances.get(name) ?? 0n) - (before.get(name) ?? 0n)).toBe(expected);
            }
            // All balances add up to zero.
            expect([...balances.values()].reduce((sum, amount) => sum + amount, 0n)).toBe(0n);
          }
        } finally {
          for (const month of months) {
            for (const type of ['platform', 'youtube'] as const) {
              await inTransaction((trx) =>
                deleteMonth(trx, actor, { monthMs: monthToMs(month), type, isDryRun: false }),
              );
            }
          }
          for (const [accountId, micro] of model.adjusted) {
            if (micro === 0n) continue;
            await inTransaction((trx) =>
              postAdjustment(trx, {
                accountId,
                amountEur: toText(-micro, 6),
                adminId: actor.adminId,
                reason: 'retour',
              }),
            );
          }
          for (const referral of model.referrals) await endReferral(referral.id);
        }
        for (const [name, amount] of await readBalances())
          expect([name, amount]).toEqual([name, before.get(name) ?? 0n]);
      }),
      { numRuns: deepCount(1000, 80), endOnFailure: true },
    );
    expect(await verifyLedger(db, testLines)).toEqual([]);
  },
  1800 * seconds,
);
