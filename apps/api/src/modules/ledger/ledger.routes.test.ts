import type { LedgerTransaction } from '@regie/contract/routes/reports.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestAdmin, type TestClient, useApp } from '#test/app.ts';
import { buildAccount } from '#test/factories.ts';
import { credit } from '#test/payouts.ts';

const app = useApp();
let client: TestClient & { admin: TestAdmin };

beforeAll(async () => {
  client = await app.signInWith(['manage_profiles']);
});

describe('a ledger transaction', () => {
  it('shows its postings, the account first, with what each balance is now', async () => {
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

  it('of a payout or an adjustment is not for whoever reads reports alone', async () => {
    const account = await buildAccount(app.db, { firstName: 'Rosalie', lastName: 'Quai' });
    await credit(app.db, account, '700');
    const { id } = await app.db
      .selectFrom('ledgerPostings')
      .select('transactionId as id')
      .where('account', '=', `account:${account}`)
      .executeTakeFirstOrThrow();
    const reader = await app.signInWith(['read_reports']);
    expect((await reader.get(`/api/ledger/transactions/${id}`)).status).not.toBe(200);
  });

  it('is not found, or not shown without a right', async () => {
    expect((await client.get('/api/ledger/transactions/999999')).status).toBe(404);
    const other = await app.signInWith(['read_audit']);
    expect((await other.get('/api/ledger/transactions/999999')).status).toBe(403);
  });
});
