import { sql } from 'kysely';
import type { Trx } from '#src/lib/db.ts';

/** `store`, `paid`, `platform`, `adjustment`, `account:<id>` or `payout:<id>` (product §33.6). */
export type LedgerAccount = 'store' | 'paid' | 'platform' | 'adjustment' | `account:${number}` | `payout:${number}`;

export interface Posting {
  account: LedgerAccount;
  /** EUR, decimal text with at most 6 decimals; credits positive. */
  amount: string;
}

/**
 * Writes one transaction to the ledger. The database refuses postings that do not sum to zero, and updates the
 * balances.
 * @returns the transaction's id
 */
export async function postTransaction(
  trx: Trx,
  transaction: {
    kind: 'adjustment' | 'payout';
    accountId: number;
    /** The payout of a payout's transaction. */
    payoutId?: number;
    adminId: number | null;
    memo: string;
    postings: readonly Posting[];
  },
): Promise<number> {
  const { id } = await trx
    .insertInto('ledgerTransactions')
    .values({
      kind: transaction.kind,
      accountId: transaction.accountId,
      payoutId: transaction.payoutId ?? null,
      adminId: transaction.adminId,
      memo: transaction.memo,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await trx
    .insertInto('ledgerPostings')
    .values(
      transaction.postings.map((posting) => ({
        transactionId: id,
        account: posting.account,
        currency: 'EUR',
        amount: posting.amount,
      })),
    )
    .execute();
  return id;
}

/** Adjusts a balance; a positive `amountEur` credits the account (product §33.13). */
export function postAdjustment(
  trx: Trx,
  adjustment: { accountId: number; amountEur: string; adminId: number | null; reason: string },
): Promise<number> {
  const opposite = adjustment.amountEur.startsWith('-') ? adjustment.amountEur.slice(1) : `-${adjustment.amountEur}`;
  return postTransaction(trx, {
    kind: 'adjustment',
    accountId: adjustment.accountId,
    adminId: adjustment.adminId,
    memo: adjustment.reason,
    postings: [
      { account: `account:${adjustment.accountId}`, amount: adjustment.amountEur },
      { account: 'adjustment', amount: opposite },
    ],
  });
}

/**
 * Reverses the rest of every transaction of these imports: the negated sum of its postings and of its partial
 * reversals. Afterwards each sums to zero in every account, to the last decimal.
 */
export async function reverseImportTransactions(
  trx: Trx,
  options: { importIds: readonly number[]; adminId: number | null; memo: string },
): Promise<void> {
  await sql`
    WITH remaining AS MATERIALIZED (
      SELECT coalesce(t.reverses, t.id) AS target, p.account, p.currency, -sum(p.amount) AS amount
        FROM ledger_transactions t
        JOIN ledger_postings p ON p.transaction_id = t.id
       WHERE t.import_id = ANY(${options.importIds}::bigint[])
       GROUP BY 1, 2, 3
      HAVING sum(p.amount) <> 0
    ),
    reversal AS (
      INSERT INTO ledger_transactions (kind, import_id, account_id, reverses, admin_id, memo)
      SELECT 'reversal', t.import_id, t.account_id, t.id, ${options.adminId}, ${options.memo}
        FROM (SELECT DISTINCT target FROM remaining) r
        JOIN ledger_transactions t ON t.id = r.target
      RETURNING id, reverses
    )
    INSERT INTO ledger_postings (transaction_id, account, currency, amount)
    SELECT reversal.id, remaining.account, remaining.currency, remaining.amount
      FROM remaining JOIN reversal ON reversal.reverses = remaining.target`.execute(trx);
}

/** Reverses one report's stored shares, in a transaction that names the first one of its account in the import. */
export async function reverseReportShares(
  trx: Trx,
  options: { reportId: number; adminId: number | null; memo: string },
): Promise<void> {
  await sql`
    WITH share AS MATERIALIZED (
      SELECT 'account:' || r.account_id AS account, -r.account_eur AS amount FROM reports r WHERE r.id = ${options.reportId}
      UNION ALL SELECT 'platform', -r.platform_eur FROM reports r WHERE r.id = ${options.reportId}
      UNION ALL SELECT 'store', r.gross_eur FROM reports r WHERE r.id = ${options.reportId}
      UNION ALL SELECT 'account:' || s.referrer_id, -s.amount_eur
        FROM report_referral_shares s WHERE s.report_id = ${options.reportId}
    ),
    posting AS MATERIALIZED (
      SELECT account, sum(amount) AS amount FROM share GROUP BY account HAVING sum(amount) <> 0
    ),
    reversal AS (
      INSERT INTO ledger_transactions (kind, import_id, account_id, reverses, admin_id, memo)
      SELECT 'reversal', r.import_id, r.account_id,
             (SELECT min(t.id) FROM ledger_transactions t
               WHERE t.import_id = r.import_id AND t.account_id = r.account_id AND t.kind = 'report'),
             ${options.adminId}, ${options.memo}
        FROM reports r
       WHERE r.id = ${options.reportId} AND EXISTS (SELECT 1 FROM posting)
      RETURNING id
    )
    INSERT INTO ledger_postings (transaction_id, account, currency, amount)
    SELECT reversal.id, posting.account, 'EUR', posting.amount FROM posting, reversal`.execute(trx);
}
