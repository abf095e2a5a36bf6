import { type RawBuilder, sql } from 'kysely';
import { queryRows, querySingle, type Trx } from '#src/lib/db.ts';
import { toWireNumber } from '#src/lib/money.ts';

/** `account:7`: a number is an id, a text the column that holds one. */
const named = (kind: 'account' | 'payout') => (id: number | string) =>
  typeof id === 'number' ? sql<string>`${`${kind}:${id}`}` : sql<string>`(${sql.lit(`${kind}:`)} || ${sql.ref(id)})`;

/** The ledger's accounts in SQL (product §33.6). */
export const ledgerName = {
  store: sql.lit('store'),
  paid: sql.lit('paid'),
  platform: sql.lit('platform'),
  adjustment: sql.lit('adjustment'),
  account: named('account'),
  payout: named('payout'),
};

/** The same as text, for a job with its own connection: a column holds the id. */
export const ledgerNameOf = (kind: 'account' | 'payout', column: string): string => `('${kind}:' || ${column})`;

export interface Entry {
  kind: 'report' | 'adjustment' | 'payout' | 'reversal';
  adminId: number | null;
  /** A text, or an expression of `account_id` and `payout_id`. */
  memo?: string | RawBuilder<unknown>;
  importId?: number;
  importBatch?: number | null;
  reverses?: RawBuilder<unknown>;
}

/**
 * CTEs that write transactions, one per payout or else account of the lines. The database checks their sums and updates
 * the balances.
 * @param lines a query of account_id, payout_id, the posting's account and amount: EUR, credits positive. Zero is not
 * posted, but a transaction of zeros is written.
 */
export const postingCtes = (entry: Entry, lines: RawBuilder<unknown>) => sql`
    line (account_id, payout_id, account, amount) AS MATERIALIZED (${lines}),
    entry AS (
      INSERT INTO ledger_transactions (kind, account_id, payout_id, import_id, import_batch, reverses, admin_id, memo)
      SELECT ${entry.kind}, account_id, payout_id, ${entry.importId ?? null}, ${entry.importBatch ?? null},
             ${entry.reverses ?? null}, ${entry.adminId}, ${entry.memo ?? ''}
        FROM (SELECT DISTINCT account_id, payout_id FROM line) l ORDER BY account_id, payout_id
      RETURNING id, account_id, payout_id
    ),
    posted AS (
      INSERT INTO ledger_postings (transaction_id, account, currency, amount)
      SELECT entry.id, line.account, 'EUR', line.amount
        FROM line JOIN entry USING (${sql.ref(entry.kind === 'payout' ? 'payout_id' : 'account_id')})
       WHERE line.amount <> 0
    )`;

export interface Posted {
  id: number;
  payoutId: number | null;
}

/** The same as a statement of its own. */
export const post = (trx: Trx, entry: Entry, lines: RawBuilder<unknown>) => queryRows<Posted>(trx)`
    WITH ${postingCtes(entry, lines)} SELECT id, payout_id FROM entry ORDER BY id`;

/**
 * Reverses the rest of each transaction, so that with its reversals it sums to zero in every account. One statement, so
 * that balances are locked in one order.
 * @param which a condition on `ledger_transactions t` that holds for the transactions and their reversals
 * @param by its memo may be an expression of `t`
 */
export const reverse = (
  trx: Trx,
  which: RawBuilder<unknown>,
  by: Required<Pick<Entry, 'adminId' | 'memo'>>,
) => queryRows<Posted>(trx)`
    WITH remaining AS MATERIALIZED (
      SELECT coalesce(t.reverses, t.id) AS reverses, p.account, p.currency, -sum(p.amount) AS amount
        FROM ledger_transactions t
        JOIN ledger_postings p ON p.transaction_id = t.id
       WHERE ${which}
       GROUP BY 1, 2, 3
      HAVING sum(p.amount) <> 0
    ),
    entry AS (
      INSERT INTO ledger_transactions (kind, account_id, payout_id, import_id, reverses, admin_id, memo)
      SELECT 'reversal', t.account_id, t.payout_id, t.import_id, t.id, ${by.adminId}, ${by.memo}
        FROM (SELECT DISTINCT reverses FROM remaining) r
        JOIN ledger_transactions t ON t.id = r.reverses
       ORDER BY t.id DESC
      RETURNING id, payout_id, reverses
    ),
    posted AS (
      INSERT INTO ledger_postings (transaction_id, account, currency, amount)
      SELECT entry.id, account, currency, amount FROM remaining JOIN entry USING (reverses)
    )
    SELECT id, payout_id FROM entry ORDER BY id`;

/** A positive `amountEur` credits the account (product §33.13). @returns the transaction's id */
export async function postAdjustment(
  trx: Trx,
  {
    accountId,
    amountEur,
    adminId,
    reason,
  }: { accountId: number; amountEur: string; adminId: number | null; reason: string },
): Promise<number> {
  const [posted] = await post(
    trx,
    { kind: 'adjustment', adminId, memo: reason },
    sql`SELECT ${accountId}::bigint, NULL::bigint, account, amount
          FROM (VALUES (${ledgerName.account(accountId)}, ${amountEur}::numeric),
                       (${ledgerName.adjustment}, -${amountEur}::numeric)) AS v (account, amount)`,
  );
  if (!posted) throw new Error('an adjustment was not posted');
  return posted.id;
}

/** What reversing an import would leave: accounts below zero, EUR. */
export async function previewReversal(db: Trx, importId: number): Promise<{ negative: number; negativeEur: number }> {
  const { negative, eur } = await querySingle<{ negative: number; eur: string }>(db)`
    SELECT count(*) AS negative, coalesce(sum(p.amount - greatest(b.amount, 0)), 0) AS eur
      FROM (SELECT p.account, sum(p.amount) AS amount
              FROM ledger_transactions t JOIN ledger_postings p ON p.transaction_id = t.id
             WHERE t.import_id = ${importId} AND p.account LIKE 'account:%' AND p.currency = 'EUR' GROUP BY 1) p
      JOIN ledger_balances b ON b.account = p.account AND b.currency = 'EUR'
     WHERE p.amount > 0 AND b.amount < p.amount`;
  return { negative, negativeEur: toWireNumber(eur) };
}
