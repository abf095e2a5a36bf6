import type { AccountingMonths, AccountingReport, AccountingStats } from '@regie/contract/routes/stats.ts';
import { sumAmounts } from '@regie/values/formats.ts';
import { monthOfInstant, monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { deleteMonth, deleteReport } from '#src/modules/money/reports/reversals.service.ts';
import { createReport, createYoutubeReport } from '#src/modules/money/reports/single-reports.service.ts';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildActor, buildReferral, buildTrack } from '#test/factories.ts';
import { buildBilling, credit } from '#test/payouts.ts';

const app = useApp();
let client: TestClient;
let actor: { adminId: number; requestId: null };

beforeAll(async () => {
  client = await app.signInWith(['read_platforms_stats', 'read_youtube_stats', 'edit_pending_payout']);
  actor = await buildActor(app.db);
});

const stats = async (type: string) =>
  (await client.get(`/api/accounting/stats/common?type=${type}`)).data as AccountingStats;
const reports = async (query: string) =>
  (await client.get(`/api/accounting/reports?${query}`)).data as AccountingReport[];
const months = async (query = '') => (await client.get(`/api/accounting/months${query}`)).data as AccountingMonths;

// 113 USD are 100 EUR in 2025; an account gets 80% of platform income and 70% of video-platform income.
async function platformReport(userId: number, month: string, incomeUsd: number): Promise<number> {
  const track = await buildTrack(app.db, userId);
  const { data } = await app.db.transaction().execute((trx) =>
    createReport(trx, actor, {
      ...{ trackId: track.id, userId, fromDate: monthToMs(month), numOfStreams: 10, incomeOfStreams: incomeUsd },
      ...{ numOfDownloads: 0, incomeOfDownloads: 0, numOfYoutube: 0, incomeOfYoutube: 0 },
    }),
  );
  return data.id;
}
const videoReport = (userId: number, month: string, incomeOfYoutube: number) =>
  app.db
    .transaction()
    .execute((trx) => createYoutubeReport(trx, actor, { userId, fromDate: monthToMs(month), incomeOfYoutube }));

/** The same figures computed from postings. */
async function sumPostings(type: string): Promise<Omit<AccountingStats, 'remainingIncome'>> {
  const { rows } = await sql<{ total: string; accounts: number }>`
    WITH sums AS (
      SELECT p.account, sum(p.amount) AS amount FROM ledger_postings p
        JOIN ledger_transactions t ON t.id = p.transaction_id JOIN imports i ON i.id = t.import_id
       WHERE p.account LIKE 'account:%' AND i.type = ${type} GROUP BY 1
    )
    SELECT coalesce(sum(amount), 0) AS total, count(*) FILTER (WHERE amount > 0) AS accounts FROM sums`.execute(app.db);
  return { totalIncome: Number(rows[0]?.total), nombreOfCustomers: rows[0]?.accounts ?? 0 };
}

describe('the figures and months', () => {
  it('are zero at first', async () => {
    expect(await stats('platform')).toEqual({ totalIncome: 0, remainingIncome: 0, nombreOfCustomers: 0 });
    expect(await reports('type=youtube')).toEqual([]);
    expect(await months()).toEqual({ income: [], payouts: [] });
  });

  it('equal the ledger, including referrers and reversals', async () => {
    const [referrer, first, second] = [
      await buildAccount(app.db),
      await buildAccount(app.db),
      await buildAccount(app.db),
    ];
    await buildReferral(app.db, { referrerId: referrer, referredId: first, percentile: '10' });
    await platformReport(first, '2025-03', 113);
    const taken = await platformReport(second, '2025-03', 226);
    await platformReport(second, '2025-05', 0.0113);
    await videoReport(second, '2025-05', 11.3);
    // 80 and the referrer's 8, 160, 0.008.
    expect(await stats('platform')).toEqual({ totalIncome: 248.008, remainingIncome: 255.008, nombreOfCustomers: 3 });
    expect(await stats('youtube')).toEqual({ totalIncome: 7, remainingIncome: 255.008, nombreOfCustomers: 1 });
    expect(await reports('type=platform')).toEqual([
      { fromDate: monthToMs('2025-05'), totalIncome: 0.008, type: 'platform' },
      { fromDate: monthToMs('2025-03'), totalIncome: 248, type: 'platform' },
    ]);

    await app.db.transaction().execute((trx) => deleteReport(trx, actor, taken));
    expect(await stats('platform')).toEqual({ totalIncome: 88.008, remainingIncome: 95.008, nombreOfCustomers: 3 });
    for (const type of ['platform', 'youtube']) expect(await stats(type)).toMatchObject(await sumPostings(type));
    expect(await months(`?from=${monthToMs('2025-01')}`)).toMatchObject({
      income: [
        { fromDate: monthToMs('2025-03'), platform: 88, youtube: 0 },
        { fromDate: monthToMs('2025-04'), platform: 0, youtube: 0 },
        { fromDate: monthToMs('2025-05'), platform: 0.008, youtube: 7 },
      ],
    });

    // A fully reversed month disappears; the account it credited no longer counts for that type.
    await app.db
      .transaction()
      .execute((trx) => deleteMonth(trx, actor, { monthMs: monthToMs('2025-05'), type: 'youtube', isDryRun: false }));
    expect(await stats('youtube')).toMatchObject({ totalIncome: 0, nombreOfCustomers: 0 });
    expect(await reports('type=youtube')).toEqual([]);
    expect(await verifyLedger(app.db, app.deps.lines)).toEqual([]);
  });

  it('separate debts from amounts owed, and paid from pending', async () => {
    const payee = await buildAccount(app.db);
    const billing = await buildBilling(app.db, payee, { type: 'paypal', iban: null });
    const before = await stats('platform');
    await credit(app.db, payee, '30');
    await credit(app.db, await buildAccount(app.db), '-50');
    expect(await stats('platform')).toEqual({ ...before, remainingIncome: before.remainingIncome + 30 });

    const now = monthToMs(monthOfInstant(Date.now()));
    // 88.008 was owed before.
    const request = { userId: payee, account: billing, amount: 10 };
    const { payoutId } = (await client.post('/api/payouts/request', request)).data as { payoutId: number };
    expect((await months()).payouts.at(-1)).toEqual({ fromDate: now, paid: 0, owed: 68.008 });
    expect((await client.put(`/api/payouts/edit/${payoutId}`, { status: 'PAID' })).status).toBe(200);
    expect((await months()).payouts.at(-1)).toEqual({ fromDate: now, paid: 9.4, owed: 58.008 });
    expect(await verifyLedger(app.db, app.deps.lines)).toEqual([]);
  });

  it('are updated when the database owner changes the date of postings', async () => {
    const earlier = '2025-12-31T23:30:00Z';
    await sql`
      SELECT backdate_transactions(array_agg(id), array_agg(${earlier}::timestamptz)) FROM ledger_transactions
       WHERE kind = 'report'`.execute(app.owner);
    // 00:30 in Paris: January.
    expect((await months(`?from=${monthToMs('2025-12')}`)).payouts[0]?.fromDate).toBe(monthToMs('2026-01'));
    expect(await verifyLedger(app.db, app.deps.lines)).toEqual([]);
  });
});

describe('a manipulated sum', () => {
  it.each([
    ['income_months', 'credited_eur', "type = 'platform'", /^income of an account, month or type.*2025-03, platform/m],
    ['ledger_months', 'paid_eur', 'true', /^the amounts owed or paid in a month/m],
    ['ledger_balances', 'youtube_income', "account = 'platform'", /^income of an account.*platform, youtube/m],
  ])('is named: %s', async (table, column, where, name) => {
    const add = (amount: number) =>
      sql`UPDATE ${sql.table(table)} SET ${sql.ref(column)} = ${sql.ref(column)} + ${amount} WHERE ${sql.raw(where)}`.execute(
        app.owner,
      );
    await add(1);
    expect((await verifyLedger(app.db, app.deps.lines)).join('\n')).toMatch(name);
    await add(-1);
    expect(await verifyLedger(app.db, app.deps.lines)).toEqual([]);
  });

  it('can only be written by the trigger', async () => {
    for (const table of ['income_months', 'ledger_months'])
      await expect(sql`DELETE FROM ${sql.table(table)}`.execute(app.db)).rejects.toThrow(/permission denied/);
  });
});

describe('the list of months', () => {
  it('is filtered by months, sorted, and paged', async () => {
    const account = await buildAccount(app.db);
    for (const [index, month] of ['2024-01', '2024-02', '2024-03'].entries())
      await platformReport(account, month, 100 - index);
    const span = `from=${monthToMs('2024-01')}&to=${monthToMs('2024-02')}`;
    expect((await reports(span)).map(({ fromDate }) => fromDate)).toEqual([monthToMs('2024-02'), monthToMs('2024-01')]);
    const year = `from=${monthToMs('2024-01')}&to=${monthToMs('2024-12')}`;
    const first = await client.get(`/api/accounting/reports?${year}&sort=income&order=desc&limit=2`);
    expect(first.meta).toMatchObject({ total: 3, totalIsExact: true });
    const next = await reports(`${year}&sort=income&order=desc&limit=2&cursor=${first.meta?.nextCursor}`);
    const incomes = [...(first.data as AccountingReport[]), ...next].map(({ totalIncome }) => totalIncome);
    expect(incomes).toHaveLength(3);
    expect(first.meta?.sums).toEqual([{ currency: 'EUR', amount: sumAmounts(incomes) }]);
    expect(incomes).toEqual(incomes.toSorted((a, b) => b - a));
    expect((await client.get('/api/accounting/reports?from=1234')).status).toBe(422);
    expect((await client.get('/api/accounting/reports?type=radio')).status).toBe(422);
  });
});

describe('capabilities', () => {
  it.each([
    ['read_platforms_stats', 'platform', 'youtube'],
    ['read_youtube_stats', 'youtube', 'platform'],
  ] as const)('%s reads %s, not %s', async (capability, own, other) => {
    const reader = await app.signInWith([capability]);
    expect((await reader.get(`/api/accounting/stats/common?type=${own}`)).status).toBe(200);
    expect((await reader.get(`/api/accounting/reports?type=${own}`)).status).toBe(200);
    const ofOwn = await reader.get(`/api/accounting/stats/common?type=${own}`);
    expect((await reader.get('/api/accounting/stats/common')).data).toEqual(ofOwn.data);
    expect((await reader.get(`/api/accounting/stats/common?type=${other}`)).status).toBe(403);
    expect((await reader.get(`/api/accounting/reports?type=${other}`)).status).toBe(403);
    const { income } = (await reader.get(`/api/accounting/months?from=${monthToMs('2024-01')}`))
      .data as AccountingMonths;
    expect(income.length).toBeGreaterThan(0);
    for (const month of income) {
      expect(month[own]).not.toBeNull();
      expect(month[other]).toBeNull();
    }
  });

  it('other capabilities read neither', async () => {
    const reader = await app.signInWith(['read_reports']);
    for (const path of ['stats/common', 'reports', 'months'])
      expect((await reader.get(`/api/accounting/${path}?type=platform`)).status).toBe(403);
  });
});
