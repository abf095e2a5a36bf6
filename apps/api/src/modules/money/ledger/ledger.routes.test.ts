import type { Capability } from '@regie/contract/capabilities.ts';
import { formatPayoutNumber } from '@regie/contract/payouts.ts';
import type { LedgerTransaction } from '@regie/contract/routes/reports.ts';
import { monthToMs } from '@regie/values/month.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestAdmin, type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildTrack } from '#test/factories.ts';
import { buildBilling, credit } from '#test/payouts.ts';

const app = useApp();
let client: TestClient & { admin: TestAdmin };

beforeAll(async () => {
  client = await app.signInWith(['manage_profiles']);
});

describe('a ledger transaction', () => {
  it('shows its postings, the account first, with the current balances', async () => {
    const account = await buildAccount(app.db, { firstName: 'Rosalie', lastName: 'Quai' });
    await credit(app.db, account, '12.345678');
    const { id } = await app.db
      .selectFrom('ledgerPostings')
      .select('transactionId as id')
      .where('account', '=', `account:${account}`)
      .executeTakeFirstOrThrow();
    await credit(app.db, account, '-2.000000');
    const { status, data } = await client.get(`/api/ledger/transactions/${id}`);
    const { postings, ...transaction } = data as LedgerTransaction;
    expect(status).toBe(200);
    expect(transaction).toMatchObject({ id, kind: 'adjustment', importId: null, reverses: null, reversedBy: [] });
    expect(postings).toMatchObject([
      { account: `account:${account}`, label: 'Rosalie Quai', currency: 'EUR', amount: 12.345678, balance: 10.345678 },
      { account: 'adjustment', label: 'Régularisations', amount: -12.345678 },
    ]);
  });

  it('of a payout or an adjustment needs more than read_reports', async () => {
    const account = await buildAccount(app.db, { firstName: 'Rosalie', lastName: 'Quai' });
    await credit(app.db, account, '700');
    const { id } = await app.db
      .selectFrom('ledgerPostings')
      .select('transactionId as id')
      .where('account', '=', `account:${account}`)
      .executeTakeFirstOrThrow();
    const reader = await app.signInWith(['read_reports']);
    expect(await reader.get(`/api/ledger/transactions/${id}`)).toMatchObject({ status: 403, data: {} });
    const billing = await buildBilling(app.db, account);
    const payer = await app.signInWith(['edit_pending_payout']);
    const asked = await payer.post('/api/payouts/request', { userId: account, account: billing, amount: 5 });
    const { payoutId } = asked.data as { payoutId: number };
    const ofPayout = await app.db
      .selectFrom('ledgerTransactions')
      .select('id')
      .where('payoutId', '=', payoutId)
      .executeTakeFirstOrThrow();
    const { data } = await client.get(`/api/ledger/transactions/${ofPayout.id}`);
    expect(data).toMatchObject({
      payoutId,
      postings: [
        { account: `account:${account}`, label: 'Rosalie Quai' },
        { account: `payout:${payoutId}`, label: `Versement ${formatPayoutNumber(payoutId)}, Rosalie Quai` },
      ],
    });
    const statusFor = async (...capabilities: Capability[]) =>
      (await (await app.signInWith(capabilities)).get(`/api/ledger/transactions/${ofPayout.id}`)).status;
    expect([await statusFor('read_reports'), await statusFor('read_reports', 'read_pending_payout')]).toEqual([
      403, 200,
    ]);
  });

  it('of a report needs read_reports', async () => {
    const account = await buildAccount(app.db);
    const { id: trackId } = await buildTrack(app.db, account);
    const editor = await app.signInWith(['edit_reports']);
    const made = await editor.post('/api/reporting/create', {
      ...{ trackId, userId: account, fromDate: monthToMs('2025-07'), numOfStreams: 1, incomeOfStreams: 10 },
      ...{ numOfDownloads: 0, incomeOfDownloads: 0, numOfYoutube: 0, incomeOfYoutube: 0 },
    });
    expect(made.status).toBe(200);
    const { id } = await app.db
      .selectFrom('ledgerTransactions')
      .select('id')
      .where('accountId', '=', account)
      .executeTakeFirstOrThrow();
    const reader = await app.signInWith(['read_reports']);
    expect(await reader.get(`/api/ledger/transactions/${id}`)).toMatchObject({ status: 200, data: { kind: 'report' } });
  });

  it('answers 404 for an unknown transaction and 403 without the capability', async () => {
    expect((await client.get('/api/ledger/transactions/999999')).status).toBe(404);
    const other = await app.signInWith(['read_audit']);
    expect((await other.get('/api/ledger/transactions/999999')).status).toBe(403);
  });
});
