import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type Database } from '#src/lib/db.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildReferral, buildTrack } from '#test/factories.ts';
import { buildPayee } from '#test/payouts.ts';
import { verifyLedger } from './verify.service.ts';

/** Inserts wrong rows that only the owner of the database can write; verify must name each. */
const app = useApp();
let client: TestClient;
let planter: Database;
let payee: { accountId: number; billingId: number };
let other: number;
const ids = { pending: 0, paid: 0, batch: 0, inBatch: 0, returned: 0, report: 0, referral: 0 };

const request = async (amount: number) => {
  const body = { userId: payee.accountId, account: payee.billingId, amount };
  return ((await client.post('/api/payouts/request', body)).data as { payoutId: number }).payoutId;
};

beforeAll(async () => {
  planter = createDatabase(app.database.ownerUrl, { max: 1 });
  await sql`SET session_replication_role = replica`.execute(planter);
  client = await app.signInWith();
  payee = await buildPayee(app.owner, '100', { type: 'paypal', email: 'awa@exemple.fr' });
  other = await buildAccount(app.owner);
  ids.referral = await buildReferral(app.owner, {
    referrerId: other,
    referredId: payee.accountId,
    percentile: '10',
  });
  const track = await buildTrack(app.owner, payee.accountId);
  await client.post('/api/reporting/create', {
    ...{ trackId: track.id, userId: payee.accountId, fromDate: monthToMs('2025-06'), numOfStreams: 1 },
    ...{ incomeOfStreams: 11.3, numOfDownloads: 0, incomeOfDownloads: 0, numOfYoutube: 0, incomeOfYoutube: 0 },
  });
  ids.report = (await app.owner.selectFrom('reports').select('id').executeTakeFirstOrThrow()).id;
  ids.pending = await request(10);
  ids.paid = await request(10);
  await client.put(`/api/payouts/edit/${ids.paid}`, { status: 'PAID' });
  ids.inBatch = await request(10);
  const made = await client.post('/api/payouts/batches', { payouts: [ids.inBatch], confirmWarnings: true });
  ids.batch = (made.data as { id: number }).id;
  const returned = await request(10);
  ids.returned = returned;
  await client.put(`/api/payouts/edit/${returned}`, { status: 'PAID' });
  await client.put(`/api/payouts/edit/${returned}`, { status: 'CANCEL', reason: 'Compte clôturé' });
});
afterAll(() => planter.destroy());

/** Inserts a whole transaction with balanced postings and updates the balances. */
async function post(kind: string, postings: Record<string, number>, of: { payoutId?: number; reverses?: number } = {}) {
  const { rows } = await sql<{ id: number }>`
    INSERT INTO ledger_transactions (kind, account_id, payout_id, reverses)
    VALUES (${kind}, ${payee.accountId}, ${of.payoutId ?? null}, ${of.reverses ?? null}) RETURNING id`.execute(planter);
  const id = rows[0]?.id ?? 0;
  for (const [account, amount] of Object.entries(postings)) {
    await sql`
      INSERT INTO ledger_postings (transaction_id, account, currency, amount) VALUES (${id}, ${account}, 'EUR', ${amount})`.execute(
      planter,
    );
    await sql`
      INSERT INTO ledger_balances AS b (account, currency, amount) VALUES (${account}, 'EUR', ${amount})
      ON CONFLICT (account, currency) DO UPDATE SET amount = b.amount + excluded.amount`.execute(planter);
  }
  return async () => {
    await sql`DELETE FROM ledger_postings WHERE transaction_id = ${id}`.execute(planter);
    await sql`DELETE FROM ledger_transactions WHERE id = ${id}`.execute(planter);
    for (const [account, amount] of Object.entries(postings)) {
      await sql`UPDATE ledger_balances SET amount = amount - ${amount} WHERE account = ${account}`.execute(planter);
    }
  };
}
/** Changes rows and returns a function that undoes the change. */
const change = (table: string, where: string, column: string, wrong: string) => async () => {
  const [name, key] = [sql.ref(column), sql.raw(where)];
  const { rows } = await sql<{ was: unknown }>`SELECT ${name} AS was FROM ${sql.table(table)} WHERE ${key}`.execute(
    planter,
  );
  await sql`UPDATE ${sql.table(table)} SET ${name} = ${sql.raw(wrong)} WHERE ${key}`.execute(planter);
  return async () => {
    await sql`UPDATE ${sql.table(table)} SET ${name} = ${rows[0]?.was} WHERE ${key}`.execute(planter);
  };
};
const account = () => `account:${payee.accountId}`;

describe('verifying the ledger', () => {
  it('reports nothing about rows that the application wrote', async () => {
    expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
  });

  it.each<[string, string, () => Promise<() => Promise<void>>]>([
    [
      'money sent by an adjustment',
      'a transaction has a posting its kind does not allow',
      () => post('adjustment', { [account()]: -5, paid: 5 }),
    ],
    [
      'income without an import',
      'a transaction has a posting its kind does not allow',
      () => post('adjustment', { [account()]: 5, store: -5 }),
    ],
    [
      'an adjustment of another account',
      'a transaction has a posting its kind does not allow',
      () => post('adjustment', { [`account:${other}`]: 5, adjustment: -5 }),
    ],
    [
      'a payout paid twice',
      "a payout's balance differs from what it reserves or has sent",
      () => post('payout', { [`payout:${ids.paid}`]: -10, paid: 10 }, { payoutId: ids.paid }),
    ],
    [
      'a reservation given back while the payout waits',
      "a payout's balance differs from what it reserves or has sent",
      () => post('payout', { [`payout:${ids.pending}`]: -10, [account()]: 10 }, { payoutId: ids.pending }),
    ],
    [
      'a reversal that gives back more',
      'a reversal differs from the transaction it names',
      async () => {
        const requested = await app.owner
          .selectFrom('ledgerTransactions')
          .select('id')
          .where('payoutId', '=', ids.pending)
          .executeTakeFirstOrThrow();
        return post(
          'reversal',
          { [`payout:${ids.pending}`]: -11, [account()]: 11 },
          { payoutId: ids.pending, reverses: requested.id },
        );
      },
    ],
    [
      'postings that do not balance',
      'postings of a transaction do not sum to zero',
      () => post('adjustment', { [account()]: 5, adjustment: -4 }),
    ],
    [
      'a posting of another time',
      'a posting has another time than its transaction',
      async () => {
        const move = (days: number) =>
          sql`
          UPDATE ledger_postings SET occurred_at = occurred_at + make_interval(days => ${days}::integer)
           WHERE account = ${`payout:${ids.pending}`}`.execute(planter);
        await move(-400);
        return async () => {
          await move(400);
        };
      },
    ],
    [
      'a balance that was touched',
      'stored balance differs from the sum of its postings',
      () => change('ledger_balances', "account = 'platform'", 'amount', 'amount + 0.000001')(),
    ],
    [
      'a payout of another amount',
      "a payout's balance differs from what it reserves or has sent",
      () => change('payouts', `id = ${ids.pending}`, 'amount_eur', 'amount_eur + 1')(),
    ],
    [
      'another amount of a payout that came back',
      "a payout's balance differs from what it reserves or has sent",
      () => change('payouts', `id = ${ids.returned}`, 'amount_eur', 'amount_eur + 1')(),
    ],
    [
      'a payout that left its batch unseen',
      'a batch does not match its payouts',
      () => change('payouts', `id = ${ids.inBatch}`, 'batch_id', 'NULL')(),
    ],
    [
      'a batch of another total',
      'a batch does not match its payouts',
      () => change('payout_batches', `id = ${ids.batch}`, 'total_eur', 'total_eur + 1')(),
    ],
    [
      'a share of another percentage',
      "a referral's share of a report differs from its percentage at import",
      () => change('referrals', `id = ${ids.referral}`, 'percentile', '20')(),
    ],
    [
      'a share for somebody else',
      "a referral's share of a report differs from its percentage at import",
      () => change('report_referral_shares', `report_id = ${ids.report}`, 'referrer_id', String(payee.accountId))(),
    ],
  ])('names %s', async (_what, difference, plant) => {
    const undo = await plant();
    const found = await verifyLedger(app.owner, app.deps.lines);
    await undo();
    expect(found).toEqual(expect.arrayContaining([expect.stringContaining(`${difference}: `)]));
    expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
  });
});

describe('database triggers', () => {
  it('refuse to pay more than a payout reserved and to reverse one of its transactions twice', async () => {
    const twice = app.db.transaction().execute(async (trx) => {
      const { id } = await trx
        .insertInto('ledgerTransactions')
        .values({ kind: 'payout', accountId: payee.accountId, payoutId: ids.paid })
        .returning('id')
        .executeTakeFirstOrThrow();
      await sql`
        INSERT INTO ledger_postings (transaction_id, account, currency, amount)
        VALUES (${id}, ${`payout:${ids.paid}`}, 'EUR', -10), (${id}, 'paid', 'EUR', 10)`.execute(trx);
    });
    await expect(twice).rejects.toThrow('more than it reserved');
    const reverse = () =>
      sql`
        INSERT INTO ledger_transactions (kind, account_id, payout_id, reverses)
        SELECT 'reversal', account_id, payout_id, id FROM ledger_transactions
         WHERE payout_id = ${ids.pending} AND kind = 'payout'`.execute(app.db);
    await reverse();
    await expect(reverse()).rejects.toThrow('ledger_transactions_payout_reversal_key');
  });
});
