import type { MonthDetail, MonthPayments } from '@regie/contract/routes/months.ts';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildReferral, setRate } from '#test/factories.ts';
import { buildPayee, credit } from '#test/payouts.ts';

const app = useApp();
let staff: TestClient;
beforeAll(async () => {
  staff = await app.signInWith();
  await setRate(app.db, 'USD', '2024-01', 1);
});

/** A video income of which the account has all. */
async function earn(account: number, month: string, amount: number) {
  const body = { userId: account, fromDate: monthToMs(month), incomeOfYoutube: amount };
  expect((await staff.post('/api/reporting/youtube/create', body)).status).toBe(200);
}
async function buildEarner(amounts: Record<string, number>) {
  const { accountId, billingId } = await buildPayee(app.owner, '0');
  await sql`UPDATE accounts SET youtube_percentile = 100 WHERE id = ${accountId}`.execute(app.owner);
  for (const [month, amount] of Object.entries(amounts)) await earn(accountId, month, amount);
  return { account: accountId, billing: billingId };
}
const read = async (month: string, by = staff) =>
  (await by.get(`/api/reporting/month/payments?month=${monthToMs(month)}`)).data as MonthPayments;

it('tells what of a month is paid, requested, payable and blocked, the oldest credits first', async () => {
  const paid = await buildEarner({ '2024-01': 100, '2024-02': 50 });
  const { payoutId } = (
    await staff.post('/api/payouts/request', { userId: paid.account, account: paid.billing, amount: 120 })
  ).data as { payoutId: number };
  const waiting = async () => ({ first: await read('2024-01'), second: await read('2024-02') });
  expect(await waiting()).toMatchObject({
    first: { creditedEur: 100, paidEur: 0, pendingEur: 100, payableEur: 0, blocked: [] },
    second: { creditedEur: 50, paidEur: 0, pendingEur: 20, payableEur: 30, blocked: [] },
  });
  const batch = async () => (await read('2024-01')).pendingBatch;
  expect(await batch()).toBeNull();
  const { rows } = await sql<{ id: number }>`
    INSERT INTO payout_batches (message_id, created_by, payouts_count, total_eur)
    SELECT 'ESSAI', min(id), 1, 120 FROM admins RETURNING id`.execute(app.owner);
  await sql`UPDATE payouts SET batch_id = ${rows[0]?.id} WHERE id = ${payoutId}`.execute(app.owner);
  expect(await batch()).toBe(rows[0]?.id);
  await sql`UPDATE payouts SET state = 'paid', paid_at = now() WHERE id = ${payoutId}`.execute(app.owner);
  expect(await waiting()).toMatchObject({
    first: { paidEur: 100, pendingEur: 0 },
    second: { paidEur: 20, pendingEur: 0, payableEur: 30 },
  });
  await credit(app.db, paid.account, '-12');
  expect(await read('2024-02')).toMatchObject({ paidEur: 20, adjustedEur: 12, payableEur: 18 });

  const blocked = await buildEarner({ '2024-02': 7.777 });
  await sql`UPDATE accounts SET state = 'disabled' WHERE id = ${blocked.account}`.execute(app.owner);
  const tiny = await buildEarner({ '2024-02': 0.05 });
  const referrer = await buildAccount(app.db);
  await buildReferral(app.db, { referrerId: referrer, referredId: tiny.account, percentile: '0' });
  const second = await read('2024-02');
  expect(second).toMatchObject({ creditedEur: 57.827, paidEur: 20, adjustedEur: 12, payableEur: 18, payouts: 1 });
  expect(second.blocked.map(({ accounts, amountEur }) => [accounts, amountEur])).toEqual([
    [1, 7.78],
    [1, 0.05],
  ]);
  // The largest first, and none that is less than a cent.
  await buildEarner({ '2024-03': 0.09, '2024-04': 0.004 });
  await sql`UPDATE accounts SET state = 'disabled' WHERE id = ${(await buildEarner({ '2024-03': 9 })).account}`.execute(
    app.owner,
  );
  expect((await read('2024-03')).blocked.map(({ amountEur }) => amountEur)).toEqual([9, 0.09]);
  expect((await read('2024-04')).blocked).toEqual([]);
  const { postings } = (await staff.get(`/api/reporting/month?month=${monthToMs('2024-02')}`)).data as MonthDetail;
  expect(postings.map(({ source, accountsEur }) => [source, accountsEur])).toEqual([['Vidéo', 57.827]]);
});

it('is read by those who pay', async () => {
  const reader = await app.signInWith(['read_reports']);
  expect((await reader.get(`/api/reporting/month/payments?month=${monthToMs('2024-01')}`)).status).toBe(403);
  const payer = await app.signInWith(['read_unpaid_accounts']);
  expect((await read('2024-05', payer)).creditedEur).toBe(0);
});
