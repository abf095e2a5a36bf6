import { type RawBuilder, sql } from 'kysely';
import { queryRows, type Trx } from '#src/lib/db.ts';
import {
  type Entry,
  ledgerName,
  type Posted,
  post,
  postingCtes,
  reverse,
} from '#src/modules/money/ledger/ledger.service.ts';

/** @param done follows the payout's number in the memo: ` payé` */
const entry = (done: string, adminId: number | null): Entry & { memo: RawBuilder<unknown> } => ({
  kind: 'payout',
  adminId,
  memo: sql`'Versement ' || payout_id || ${done}`,
});

const linesOf = (payouts: RawBuilder<unknown>, lines: RawBuilder<unknown>) => sql`
  SELECT p.account_id, p.id, v.account, v.amount FROM ${payouts} p, LATERAL (VALUES ${lines}) AS v (account, amount)`;
const existing = (ids: readonly number[]) => sql`(SELECT * FROM payouts WHERE id = ANY(${ids}::bigint[]))`;

const requested = sql`(${ledgerName.account('p.account_id')}, -p.amount_eur), (${ledgerName.payout('p.id')}, p.amount_eur)`;
const paid = sql`
  (${ledgerName.payout('p.id')}, -p.amount_eur), (${ledgerName.paid}, p.amount_eur - p.fee_eur), (${ledgerName.platform}, p.fee_eur)`;

export interface NewPayout {
  accountId: number;
  billingId: number;
  /** EUR, two decimals. */
  amount: string;
}

/** Ledger: account → payout. The caller has locked and checked the balances. */
export function insertPayouts(trx: Trx, payouts: readonly NewPayout[], by: { adminId: number | null; feeEur: string }) {
  return queryRows<{ id: number; accountId: number; billingId: number }>(trx)`
    WITH requested AS (
      INSERT INTO payouts (account_id, billing_account_id, amount_eur, fee_eur, created_by)
      SELECT r.account_id, r.billing_id, r.amount, ${by.feeEur}::numeric, ${by.adminId}
        FROM unnest(${payouts.map((one) => one.accountId)}::bigint[], ${payouts.map((one) => one.billingId)}::bigint[],
                    ${payouts.map((one) => one.amount)}::numeric[]) AS r (account_id, billing_id, amount)
      RETURNING id, account_id, billing_account_id, amount_eur),
    ${postingCtes(entry(' demandé', by.adminId), linesOf(sql`requested`, requested))}
    SELECT id, account_id, billing_account_id AS billing_id FROM requested ORDER BY id`;
}

/** The same posting for payouts a caller inserted. */
export const postRequested = (trx: Trx, ids: readonly number[], adminId: number | null): Promise<Posted[]> =>
  post(trx, entry(' demandé', adminId), linesOf(existing(ids), requested));

/** Ledger: payout → paid (net) and platform (fee). */
export const postPaid = (trx: Trx, ids: readonly number[], adminId: number | null): Promise<Posted[]> =>
  post(trx, entry(' payé', adminId), linesOf(existing(ids), paid));

/** Reverses the `payment` alone, or everything back to the account. */
export const reversePayouts = (
  trx: Trx,
  ids: readonly number[],
  { what, adminId, done }: { what: 'payment' | 'all'; adminId: number | null; done: string },
): Promise<Posted[]> =>
  reverse(
    trx,
    sql`t.payout_id = ANY(${ids}::bigint[]) AND (${what} = 'all' OR EXISTS (
          SELECT FROM ledger_postings s WHERE s.transaction_id = t.id AND s.account = ${ledgerName.paid}))`,
    entry(done, adminId),
  );
