import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type Database, type Trx } from '#src/lib/db.ts';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { useDatabase } from '#test/database.ts';
import { buildAccount, buildActor, buildReferral, buildRelease, buildTrack, setRate } from '#test/factories.ts';
import { testLines } from '#test/lines.ts';
import { importBatch } from './import-batches.service.ts';
import { reasons } from './report-rows.rules.ts';
import { deleteMonth, deleteReport, reverseImport } from './reversals.service.ts';
import { createReport, createYoutubeReport } from './single-reports.service.ts';

const database = useDatabase();
let db: Database;
let owner: Database;
let actor: { adminId: number; requestId: null };

beforeAll(async () => {
  db = createDatabase(database.appUrl, { max: 6 });
  owner = createDatabase(database.ownerUrl, { max: 1 });
  actor = await buildActor(db);
});
afterAll(() => Promise.all([db.destroy(), owner.destroy()]));

const inTransaction = <Result>(run: (trx: Trx) => Promise<Result>) => db.transaction().execute(run);

async function balance(account: string): Promise<string> {
  const row = await db.selectFrom('ledgerBalances').select('amount').where('account', '=', account).executeTakeFirst();
  return row?.amount ?? '0.000000';
}

let files = 0;
const newFile = () => {
  files += 1;
  return `file-${files}`;
};

const month = monthToMs('2025-03');
const batch = (
  fileKey: string | undefined,
  rows: readonly unknown[],
  more: { batch?: number; monthMs?: number } = {},
) =>
  inTransaction((trx) =>
    importBatch(trx, actor, {
      monthMs: month,
      toMs: undefined,
      fileKey,
      fileName: 'mars.csv',
      batch: 0,
      batches: undefined,
      rows,
      ...more,
    }),
  );

describe('a report posts', () => {
  it("the account's net, the referrer's part of the platform share, and the rest to the platform", async () => {
    // 2025: 1.13 USD per EUR. 113 USD = 100 EUR; 80% = 80 EUR; referrer 5% of 80 = 4 EUR; platform 16 EUR.
    const account = await buildAccount(db);
    const referrer = await buildAccount(db);
    await buildReferral(db, { referrerId: referrer, referredId: account, percentile: '5' });
    const track = await buildTrack(db, account);
    const platformBefore = await balance('platform');
    const answer = await batch(newFile(), [
      {
        isrc: track.isrc,
        numOfStreams: 1000,
        incomeOfStreams: '100',
        numOfDownloads: 3,
        incomeOfDownloads: '10,5',
        incomeOfYoutube: 2.5,
      },
    ]);
    expect(answer).toMatchObject({ saved: 1, unsaved: [], grossUsd: 113, accountsEur: 80, alreadyCounted: false });
    expect(await balance(`account:${account}`)).toBe('80.000000');
    expect(await balance(`account:${referrer}`)).toBe('4.000000');
    const { rows } = await sql<{
      d: string;
    }>`SELECT ${await balance('platform')}::numeric - ${platformBefore}::numeric AS d`.execute(db);
    expect(rows[0]?.d).toBe('16.000000');
  });

  it('shares rounded to six decimals per report and added up exactly', async () => {
    const account = await buildAccount(db, { libraryPercentile: '33.33' });
    const tracks = await Promise.all(Array.from({ length: 7 }, () => buildTrack(db, account)));
    await batch(
      newFile(),
      tracks.map((track) => ({ isrc: track.isrc, incomeOfStreams: '0.0123456789' })),
    );
    // 0.0123456789 x 33.33 / (100 x 1.13) = 0.003641412..., rounded 0.003641, seven times.
    expect(await balance(`account:${account}`)).toBe('0.025487');
  });

  it('a video-platform report at its own percentage', async () => {
    const account = await buildAccount(db);
    await inTransaction((trx) =>
      createYoutubeReport(trx, actor, { userId: account, fromDate: month, incomeOfYoutube: 113 }),
    );
    expect(await balance(`account:${account}`)).toBe('70.000000');
  });

  it('a negative income, even below a balance of zero', async () => {
    const account = await buildAccount(db);
    const track = await buildTrack(db, account);
    await batch(newFile(), [{ isrc: track.isrc, incomeOfStreams: '-11.3' }]);
    expect(await balance(`account:${account}`)).toBe('-8.000000');
  });
});

describe('matching', () => {
  it('finds an ISRC in any spelling, in releases of any status, including deleted ones', async () => {
    const account = await buildAccount(db);
    const release = await buildRelease(db, account, 'cancelled');
    await buildTrack(db, account, { isrc: 'FRABC2500001', releaseId: release });
    await sql`UPDATE tracks SET deleted_at = now() WHERE isrc = 'FRABC2500001'`.execute(db);
    const answer = await batch(newFile(), [
      { isrc: 'fr-abc-25-00001', incomeOfStreams: '1' },
      { isrc: 'ISRC FRABC2500001', incomeOfStreams: '1' },
      { isrc: ' FR ABC 25 00001', incomeOfStreams: '1' },
    ]);
    expect(answer).toMatchObject({ saved: 3, unsaved: [], grossUsd: 3 });
    const reports = await db.selectFrom('reports').select('grossUsd').where('accountId', '=', account).execute();
    expect(reports).toEqual([{ grossUsd: '3.0000000000' }]);
  });

  it('returns unknown ISRCs and ISRCs of two accounts unsaved with the reason', async () => {
    const [first, second] = [await buildAccount(db), await buildAccount(db)];
    await buildTrack(db, first, { isrc: 'FRDBL2500001' });
    await buildTrack(db, second, { isrc: 'FRDBL2500001' });
    const answer = await batch(newFile(), [
      { isrc: 'FRDBL2500001', incomeOfStreams: '5' },
      { isrc: 'FRNOP2500001', incomeOfStreams: '5' },
      { isrc: 'pas un isrc', incomeOfStreams: '5' },
    ]);
    expect(answer.saved).toBe(0);
    expect(answer.unsaved).toEqual([
      { row: 1, isrc: 'FRDBL2500001', reason: reasons.doubledIsrc },
      { row: 2, isrc: 'FRNOP2500001', reason: reasons.unknownIsrc },
      { row: 3, isrc: 'pas un isrc', reason: reasons.badIsrc },
    ]);
    expect(answer.unsavedISRC).toEqual(['FRDBL2500001', 'FRNOP2500001', 'pas un isrc']);
  });

  it('matches an ISRC that two tracks of one account share to the oldest delivered track', async () => {
    const account = await buildAccount(db);
    const pending = await buildTrack(db, account, {
      isrc: 'FRTWO2500001',
      releaseId: await buildRelease(db, account, 'pending'),
    });
    const delivered = await buildTrack(db, account, { isrc: 'FRTWO2500001' });
    await buildTrack(db, account, { isrc: 'FRTWO2500001' });
    await batch(newFile(), [{ isrc: 'FRTWO2500001', incomeOfStreams: '1' }]);
    const reports = await db.selectFrom('reports').select('trackId').where('accountId', '=', account).execute();
    expect(reports).toEqual([{ trackId: delivered.id }]);
    expect(pending.id).toBeLessThan(delivered.id);
  });
});

describe('an import', () => {
  it('counts a batch once, even when another admin sends it again', async () => {
    const account = await buildAccount(db);
    const track = await buildTrack(db, account);
    const file = newFile();
    const rows = [{ isrc: track.isrc, incomeOfStreams: '11.3' }, { isrc: 'FRNOP2500009' }];
    const first = await batch(file, rows);
    const again = await batch(file, rows);
    expect(again).toEqual({ ...first, alreadyCounted: true });
    expect(await balance(`account:${account}`)).toBe('8.000000');
    await expect(batch(file, [{ isrc: track.isrc, incomeOfStreams: '12' }])).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('counts a batch once when it arrives twenty times at once', async () => {
    const account = await buildAccount(db);
    const track = await buildTrack(db, account);
    const file = newFile();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => batch(file, [{ isrc: track.isrc, incomeOfStreams: '11.3' }])),
    );
    expect(answers.filter((answer) => !answer.alreadyCounted)).toHaveLength(1);
    expect(await balance(`account:${account}`)).toBe('8.000000');
  });

  it('adds later batches to the report of the same track, to the same cent in any order', async () => {
    const balances = [];
    for (const order of [
      [0, 1, 2],
      [2, 0, 1],
    ]) {
      const account = await buildAccount(db, { libraryPercentile: '66.67' });
      const referrer = await buildAccount(db);
      await buildReferral(db, { referrerId: referrer, referredId: account, percentile: '3.33' });
      const track = await buildTrack(db, account);
      const file = newFile();
      const incomes = ['0.0000123456', '0.1111111111', '7.7777777777'];
      for (const index of order)
        await batch(file, [{ isrc: track.isrc, incomeOfStreams: incomes[index] }], { batch: index });
      balances.push([await balance(`account:${account}`), await balance(`account:${referrer}`)]);
      expect(await db.selectFrom('reports').select('id').where('accountId', '=', account).execute()).toHaveLength(1);
    }
    expect(balances[0]).toEqual(balances[1]);
  });

  it('freezes rate, percentages and referrals at the first batch', async () => {
    const account = await buildAccount(db);
    const referrer = await buildAccount(db);
    const referral = await buildReferral(db, { referrerId: referrer, referredId: account, percentile: '10' });
    const [one, two] = [await buildTrack(db, account), await buildTrack(db, account)];
    const file = newFile();
    const april = { monthMs: monthToMs('2025-04') };
    await batch(file, [{ isrc: one.isrc, incomeOfStreams: '11.3' }], april);
    await sql`UPDATE accounts SET library_percentile = 10 WHERE id = ${account}`.execute(db);
    await sql`UPDATE referrals SET deleted_at = now(), deleted_version = lock_terms() WHERE id = ${referral}`.execute(
      db,
    );
    await buildReferral(db, { referrerId: referrer, referredId: account, percentile: '50' });
    await setRate(db, 'USD', '2025-04', 2);
    await batch(file, [{ isrc: two.isrc, incomeOfStreams: '11.3' }], { ...april, batch: 1 });
    // Both batches: 10 EUR gross, 80% = 8, referrer 10% = 0.8.
    expect(await balance(`account:${account}`)).toBe('16.000000');
    expect(await balance(`account:${referrer}`)).toBe('1.600000');

    // A file opened now uses current values: 5.65 EUR gross, 10% = 0.565, referrer 50% = 0.2825.
    await batch(newFile(), [{ isrc: one.isrc, incomeOfStreams: '11.3' }], april);
    expect(await balance(`account:${account}`)).toBe('16.565000');
    expect(await balance(`account:${referrer}`)).toBe('1.882500');
    await sql`DELETE FROM exchange_rates WHERE month = '2025-04-01'`.execute(owner);
  });

  it('refuses a month without a rate, and posts nothing', async () => {
    const account = await buildAccount(db);
    const track = await buildTrack(db, account);
    await sql`UPDATE exchange_rates SET currency = 'ZZZ' WHERE month = '2020-01-01'`.execute(owner);
    const january = { monthMs: monthToMs('2020-01') };
    await expect(batch(newFile(), [{ isrc: track.isrc, incomeOfStreams: '1' }], january)).rejects.toMatchObject({
      code: 'validation_failed',
    });
    await sql`UPDATE exchange_rates SET currency = 'USD' WHERE currency = 'ZZZ'`.execute(owner);
    expect(await balance(`account:${account}`)).toBe('0.000000');
  });
});

describe('a report that grows', () => {
  it('has the same account and percentage after its track changes account between two batches', async () => {
    const before = await buildAccount(db);
    const after = await buildAccount(db, { libraryPercentile: '50' });
    const releaseId = await buildRelease(db, before);
    const track = await buildTrack(db, before, { releaseId });
    const file = newFile();
    const rows = [{ isrc: track.isrc, incomeOfStreams: '11.3' }];
    const { importId } = await batch(file, rows);
    await sql`UPDATE releases SET account_id = ${after} WHERE id = ${releaseId}`.execute(db);
    await batch(file, rows, { batch: 1 });
    expect(await balance(`account:${before}`)).toBe('16.000000');
    expect(await balance(`account:${after}`)).toBe('0.000000');
    // A file opened afterwards pays the new account.
    await batch(newFile(), rows);
    expect(await balance(`account:${after}`)).toBe('5.000000');
    await inTransaction((trx) => reverseImport(trx, actor, importId));
    expect(await balance(`account:${before}`)).toBe('0.000000');
  });
});

describe('reversal', () => {
  it('reverses one of two reports whose difference posted nothing', async () => {
    const account = await buildAccount(db);
    const [income, correction] = [await buildTrack(db, account), await buildTrack(db, account)];
    const { importId } = await batch(newFile(), [
      { isrc: income.isrc, incomeOfStreams: '11.3' },
      { isrc: correction.isrc, incomeOfStreams: '-11.3' },
    ]);
    const report = await db
      .selectFrom('reports')
      .select('id')
      .where('importId', '=', importId)
      .where('trackId', '=', correction.id)
      .executeTakeFirstOrThrow();
    await inTransaction((trx) => deleteReport(trx, actor, report.id));
    expect(await balance(`account:${account}`)).toBe('8.000000');
    await inTransaction((trx) => reverseImport(trx, actor, importId));
    expect(await balance(`account:${account}`)).toBe('0.000000');
  });

  it('restores every balance to the last decimal and allows the file to be loaded again', async () => {
    const account = await buildAccount(db, { libraryPercentile: '77.77' });
    const referrer = await buildAccount(db);
    await buildReferral(db, { referrerId: referrer, referredId: account, percentile: '7.77' });
    const tracks = await Promise.all(Array.from({ length: 5 }, () => buildTrack(db, account)));
    const before = [await balance('store'), await balance('platform')];
    const file = newFile();
    const rows = tracks.map((track, index) => ({ isrc: track.isrc, incomeOfStreams: `${index}.123456789` }));
    const { importId } = await batch(file, rows);
    await batch(file, rows, { batch: 1 });
    const [report] = await db
      .selectFrom('reports')
      .select('id')
      .where('importId', '=', importId)
      .orderBy('id')
      .execute();
    await inTransaction((trx) => deleteReport(trx, actor, report?.id ?? 0));
    const reversed = await inTransaction((trx) => reverseImport(trx, actor, importId));
    expect(reversed.deleted).toBe(4);
    expect(await balance(`account:${account}`)).toBe('0.000000');
    expect(await balance(`account:${referrer}`)).toBe('0.000000');
    expect([await balance('store'), await balance('platform')]).toEqual(before);
    await expect(inTransaction((trx) => reverseImport(trx, actor, importId))).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await batch(file, rows)).toMatchObject({ saved: 5, alreadyCounted: false });
  });

  it('deletes exactly what the preview of a month showed', async () => {
    const account = await buildAccount(db);
    const track = await buildTrack(db, account);
    const may = monthToMs('2024-05');
    await batch(newFile(), [{ isrc: track.isrc, incomeOfStreams: '10' }], { monthMs: may });
    await inTransaction((trx) =>
      createReport(trx, actor, {
        trackId: track.id,
        userId: account,
        fromDate: may,
        numOfStreams: 1,
        incomeOfStreams: 5,
        numOfDownloads: 0,
        incomeOfDownloads: 0,
        numOfYoutube: 0,
        incomeOfYoutube: 0,
      }),
    );
    await inTransaction((trx) =>
      createYoutubeReport(trx, actor, { userId: account, fromDate: may, incomeOfYoutube: 1.0824 }),
    );
    const wanted = { monthMs: may, type: 'platform' as const };
    const dry = await inTransaction((trx) => deleteMonth(trx, actor, { ...wanted, isDryRun: true }));
    expect(dry.deleted).toBe(2);
    const done = await inTransaction((trx) => deleteMonth(trx, actor, { ...wanted, isDryRun: false }));
    expect(done).toEqual(dry);
    expect(await balance(`account:${account}`)).toBe('0.700000');
    const journal = await db.selectFrom('auditLog').select('action').where('entityId', '=', '2024-05').execute();
    expect(journal).toEqual([{ action: 'report.delete_month' }]);
  });

  it('refuses a track of another account', async () => {
    const [one, other] = [await buildAccount(db), await buildAccount(db)];
    const track = await buildTrack(db, one);
    const form = {
      trackId: track.id,
      userId: other,
      fromDate: month,
      numOfStreams: 0,
      incomeOfStreams: 0,
      numOfDownloads: 0,
      incomeOfDownloads: 0,
      numOfYoutube: 0,
      incomeOfYoutube: 0,
    };
    await expect(inTransaction((trx) => createReport(trx, actor, form))).rejects.toMatchObject({
      code: 'validation_failed',
    });
  });
});

describe('the ledger', () => {
  it('refuses postings that do not sum to zero', async () => {
    await expect(
      inTransaction(async (trx) => {
        const { id } = await trx
          .insertInto('ledgerTransactions')
          .values({ kind: 'adjustment' })
          .returning('id')
          .executeTakeFirstOrThrow();
        await trx
          .insertInto('ledgerPostings')
          .values([
            { transactionId: id, account: 'platform', currency: 'EUR', amount: '1' },
            { transactionId: id, account: 'adjustment', currency: 'EUR', amount: '-0.999999' },
          ])
          .execute();
      }),
    ).rejects.toMatchObject({ constraint: 'ledger_postings_sum_to_zero' });
  });

  it.each([
    ['UPDATE ledger_postings SET amount = amount'],
    ['DELETE FROM ledger_postings'],
    ['UPDATE ledger_transactions SET memo = memo'],
    ['DELETE FROM ledger_transactions'],
    ["INSERT INTO ledger_balances (account, currency, amount) VALUES ('platform', 'USD', 1)"],
    ['UPDATE ledger_balances SET amount = 0'],
    ['TRUNCATE ledger_postings CASCADE'],
    ['DELETE FROM audit_log'],
    ['UPDATE audit_log SET action = action'],
    ['DELETE FROM reports'],
    ['UPDATE reports SET account_id = account_id'],
    ['UPDATE reports SET percentile = 0'],
    ['UPDATE report_referral_shares SET percentile = 0'],
    ['UPDATE imports SET rate = 1'],
    ['UPDATE imports SET terms_version = 0'],
    ['UPDATE referrals SET percentile = 0'],
    ['UPDATE account_terms SET library_percentile = 0'],
    ['ALTER TABLE ledger_postings DISABLE TRIGGER ALL'],
    ['SET session_replication_role = replica'],
  ])('refuses the application role: %s', async (statement) => {
    await expect(sql.raw(statement).execute(db)).rejects.toMatchObject({ code: '42501' });
  });

  it.each([
    ['reports', "an import's count of reports is wrong"],
    ['accounts_eur', "an import's credited amount differs from its batches' postings"],
  ])('verify reports an import with a wrong %s', async (column, difference) => {
    const track = await buildTrack(db, await buildAccount(db));
    const { importId } = await batch(newFile(), [{ isrc: track.isrc, incomeOfStreams: '11.3' }]);
    const platform = column === 'accounts_eur' ? sql`, platform_eur = platform_eur - 1` : sql``;
    const name = sql.ref(column);
    await sql`UPDATE imports SET ${name} = ${name} + 1 ${platform} WHERE id = ${importId}`.execute(db);
    expect(await verifyLedger(db, testLines)).toEqual([expect.stringContaining(`${difference}: import ${importId}`)]);
    const back = column === 'accounts_eur' ? sql`, platform_eur = platform_eur + 1` : sql``;
    await sql`UPDATE imports SET ${name} = ${name} - 1 ${back} WHERE id = ${importId}`.execute(db);
    expect(await verifyLedger(db, testLines)).toEqual([]);
  });

  it('updates the balances although the connection has temporary tables of the same names', async () => {
    const before = await balance('adjustment');
    await expect(
      inTransaction(async (trx) => {
        await sql`CREATE TEMP TABLE ledger_balances (LIKE public.ledger_balances INCLUDING ALL) ON COMMIT DROP`.execute(
          trx,
        );
        const { id } = await trx
          .insertInto('ledgerTransactions')
          .values({ kind: 'adjustment' })
          .returning('id')
          .executeTakeFirstOrThrow();
        await sql`INSERT INTO ledger_postings (transaction_id, account, currency, amount)
                  VALUES (${id}, 'platform', 'EUR', 1), (${id}, 'adjustment', 'EUR', -1)`.execute(trx);
      }),
    ).resolves.toBeUndefined();
    const { rows } = await sql<{ moved: string }>`
      SELECT ${await balance('adjustment')}::numeric - ${before}::numeric AS moved`.execute(db);
    expect(rows[0]?.moved).toBe('-1.000000');
  });

  it('verifies without differences after all tests above', async () => {
    expect(await verifyLedger(db, testLines)).toEqual([]);
  });
});
