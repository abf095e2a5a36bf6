// @module-tag slow
import { monthToMs } from '@regie/values/month.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type Database, queryRows, queryValue, type Trx } from '#src/lib/db.ts';
import { postAdjustment } from '#src/modules/money/ledger/ledger.service.ts';
import { importBatch } from '#src/modules/money/reports/import-batches.service.ts';
import { reverseImport } from '#src/modules/money/reports/reversals.service.ts';
import { publishRun } from '#src/modules/money/royalty-statements/publish-run.service.ts';
import { useDatabase } from './database.ts';
import { deepCount } from './deep.ts';
import { buildAccount, buildActor, buildReferral, buildTrack } from './factories.ts';
import { testLines, useLines } from './lines.ts';
import { pick, toText } from './model.ts';

/** Random postings between and during runs: each statement leads from the former one's closing to its own. */
const database = useDatabase();
useLines();
let db: Database;
let main: Client;
let actor: { adminId: number; requestId: null };
const accounts: number[] = [];
const tracks: string[] = [];
let month = 0;
let file = 0;
let part = 0;

beforeAll(async () => {
  db = createDatabase(database.appUrl, { max: 6 });
  main = new Client({ connectionString: database.ownerUrl });
  await main.connect();
  actor = await buildActor(db);
  for (let n = 0; n < 4; n += 1) {
    const account = await buildAccount(db, { libraryPercentile: ['70.5', '80', '100', '0.01'][n] ?? '' });
    accounts.push(account);
    for (let k = 0; k < 3; k += 1) tracks.push((await buildTrack(db, account)).isrc);
  }
  const [first = 0, second = 0, third = 0] = accounts;
  await buildReferral(db, { referrerId: second, referredId: first, percentile: '12.5' });
  await buildReferral(db, { referrerId: third, referredId: first, percentile: '3.33' });
});
afterAll(async () => {
  await main.end();
  await db.destroy();
});

const inTransaction = (run: (trx: Trx) => Promise<unknown>) => db.transaction().execute(run);
type Step = () => Promise<unknown>;

const usd = fc.bigInt({ min: -9_999_999_999_999n, max: 9_999_999_999_999n }).filter((units) => units !== 0n);
const income: fc.Arbitrary<Step> = fc
  .record({
    /** A file posted in parts, perhaps in several statements. */
    isNextPart: fc.boolean(),
    rows: fc.array(fc.record({ track: fc.nat({ max: 11 }), usd }), { minLength: 1, maxLength: 8 }),
  })
  .map(({ isNextPart, rows }) => () => {
    if (!isNextPart) file += 1;
    part += 1;
    const options = { monthMs: monthToMs('2025-06'), toMs: undefined, fileKey: `${file}`, fileName: `${file}.csv` };
    return inTransaction((trx) =>
      importBatch(trx, actor, {
        ...{ ...options, batch: part, batches: undefined },
        rows: rows.map((row) => ({ isrc: tracks[row.track], incomeOfStreams: toText(row.usd, 10) })),
      }),
    );
  });
const adjustment: fc.Arbitrary<Step> = fc
  .record({ account: fc.nat({ max: 3 }), micro: fc.bigInt({ min: 1n, max: 1_000_000_000n }) })
  .map(
    ({ account, micro }) =>
      () =>
        inTransaction((trx) =>
          postAdjustment(trx, {
            ...{ accountId: pick(accounts, account) ?? 0, adminId: actor.adminId },
            ...{ amountEur: toText(micro, 6), reason: 'essai' },
          }),
        ),
  );
const reversal: fc.Arbitrary<Step> = fc.nat().map((which) => async () => {
  const imports = await queryRows<{ id: number }>(db)`SELECT id FROM imports WHERE reversed_at IS NULL ORDER BY id`;
  const target = pick(imports, which);
  if (target) await inTransaction((trx) => reverseImport(trx, actor, target.id));
});
const step = fc.oneof(
  { weight: 5, arbitrary: income },
  { weight: 2, arbitrary: adjustment },
  { weight: 2, arbitrary: reversal },
);

const publish = async () => {
  month += 1;
  const day = await queryValue<string>(
    db,
  )`SELECT (month_in_paris(now()) + make_interval(months => ${month}))::date::text`;
  const { id } = await db.insertInto('royaltyRuns').values({ month: day }).returning('id').executeTakeFirstOrThrow();
  expect(await publishRun(main, testLines, id)).toBeDefined();
};

async function expectSound(): Promise<void> {
  // `publishRun` refuses a statement whose movements do not lead to its closing.
  const broken = await queryRows(db)`
    SELECT s.account_id, s.number FROM royalty_statements s
      JOIN royalty_statements former ON former.account_id = s.account_id AND former.number = s.number - 1
     WHERE s.opening_eur <> former.closing_eur OR s.sha256 <> sha256(convert_to(s.record::text, 'UTF8'))`;
  expect(broken).toEqual([]);
  const last = await queryRows<{ closing: string; balance: string }>(db)`
    SELECT s.closing_eur AS closing, coalesce(b.amount, 0) AS balance
      FROM (SELECT DISTINCT ON (account_id) * FROM royalty_statements ORDER BY account_id, number DESC) s
      LEFT JOIN ledger_balances b ON b.account_id = s.account_id AND b.currency = 'EUR'`;
  for (const { closing, balance } of last) expect(Number(closing)).toBe(Number(balance));
  const files = await queryRows<{ id: number; storageKey: string; income: string }>(db)`
    SELECT r.id, f.storage_key, (SELECT sum(s.income_eur) FROM royalty_statements s WHERE s.run_id = r.id) AS income
      FROM royalty_runs r JOIN files f ON f.id = r.file_id ORDER BY r.id DESC LIMIT 1`;
  for (const { storageKey, income } of files) {
    const [lines] = await testLines.engine.run<{ net: string }>([
      `SELECT sum(net_eur) AS net FROM read_parquet('${await testLines.pathOf(storageKey)}')`,
    ]);
    expect(Number(lines?.net)).toBe(Number(income));
  }
}

it('leads from opening to closing in any history', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ before: fc.array(step, { maxLength: 5 }), during: fc.array(step, { maxLength: 3 }) }), {
        minLength: 1,
        maxLength: 3,
      }),
      async (runs) => {
        for (const { before, during } of runs) {
          for (const one of before) await one();
          const all = async () => {
            for (const one of during) await one();
          };
          await Promise.all([publish(), all()]);
        }
        await publish();
        await expectSound();
      },
    ),
    { numRuns: deepCount(200), endOnFailure: true },
  );
  expect(await queryValue<number>(db)`SELECT count(*) FROM royalty_statements`).toBeGreaterThan(20);
  expect(await sql`SELECT FROM royalty_statements WHERE record = '{}'`.execute(db)).toMatchObject({ rows: [] });
});
