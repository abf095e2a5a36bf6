import { sql } from 'kysely';
import { adminName, isAction } from '#src/lib/audit.ts';
import { type Database, queryColumn, queryRows } from '#src/lib/db.ts';
import { isSentUnsigned, isSignedDestination } from '#src/modules/money/signing/signed-money.service.ts';
import { billingVersion, isBillingSigned, isBillingWaiting } from '#src/modules/money/signing/signing.service.ts';

const accountName = sql`trim(a.first_name || ' ' || a.last_name)`;

/** Posted, not reversed, with credits. */
export interface ImportRow {
  id: number;
  month: string;
  label: string;
  eur: string;
  at: Date;
  by: string | null;
  /** Its last transaction. */
  version: string;
  isSigned: boolean;
}

/** These imports, a month's, or the unsigned ones of 60 days. */
export function listImports(db: Database, which: { ids?: readonly number[]; month?: string }): Promise<ImportRow[]> {
  const isSigned = sql`EXISTS (SELECT FROM signatures s WHERE s.subject = 'import' AND s.subject_id = i.id
                                    AND s.used_at IS NOT NULL AND s.version = t.version)`;
  const condition = which.ids
    ? sql`i.id = ANY(${which.ids}::bigint[])`
    : which.month
      ? sql`to_char(i.month, 'YYYY-MM') = ${which.month}`
      : sql`i.created_at > now() - interval '60 days' AND NOT ${isSigned}`;
  return queryRows<ImportRow>(db)`
    SELECT i.id, to_char(i.month, 'YYYY-MM') AS month, coalesce(i.file_name, '') AS label, t.version,
           i.accounts_eur + i.referrals_eur AS eur, i.posted_at AS at, ${adminName('i.created_by')} AS by,
           ${isSigned} AS is_signed
      FROM imports i
     CROSS JOIN LATERAL (SELECT max(t.id)::text AS version FROM ledger_transactions t WHERE t.import_id = i.id) t
     WHERE i.posted_at IS NOT NULL AND i.reversed_at IS NULL AND i.accounts_eur + i.referrals_eur > 0
       AND t.version IS NOT NULL AND ${condition} ORDER BY i.id`;
}

export interface PaymentGroup {
  id: string;
  label: string;
  at: Date;
  by: string | null;
  payoutIds: number[];
}

/** Open batches, loose pending payouts, or sent payouts nobody signed; with an id this one in any state. */
export function listPaymentGroups(
  db: Database,
  subject: 'batch' | 'payout' | 'payments',
  id?: string,
): Promise<PaymentGroup[]> {
  const query = {
    batch: sql`
      SELECT b.id::text AS id, 'n° ' || b.id AS label, b.created_at AS at, ${adminName('b.created_by')} AS by,
             ARRAY(SELECT p.id::int FROM payouts p WHERE p.batch_id = b.id AND p.deleted_at IS NULL ORDER BY p.id) AS payout_ids
        FROM payout_batches b WHERE ${id === undefined ? sql`b.state = 'draft'` : sql`b.id = ${id}::bigint AND b.state <> 'void'`}
       ORDER BY b.id`,
    payout: sql`
      SELECT p.id::text AS id, ${accountName} AS label, p.created_at AS at, ${adminName('p.created_by')} AS by,
             ARRAY[p.id::int] AS payout_ids
        FROM payouts p JOIN accounts a ON a.id = p.account_id
       WHERE p.deleted_at IS NULL AND ${
         id === undefined
           ? sql`p.state = 'pending' AND p.batch_id IS NULL`
           : sql`
           p.id = ${id}::bigint AND (p.state = 'pending' OR p.state = 'paid' AND EXISTS (SELECT FROM payout_moves v WHERE v.payout_id = p.id))`
       }
       ORDER BY p.id LIMIT 500`,
    payments: sql`
      SELECT 'all' AS id, '' AS label, min(v.at) AS at, NULL AS by, array_agg(DISTINCT v.payout_id::int) AS payout_ids
        FROM payout_moves v JOIN payouts p ON p.id = v.payout_id WHERE ${isSentUnsigned} HAVING count(*) > 0`,
  }[subject];
  return queryRows<PaymentGroup>(db)`${query}`;
}

export interface BillingRow {
  id: number;
  userId: number;
  label: string;
  type: 'bank' | 'paypal';
  owner: string | null;
  iban: string | null;
  swift: string | null;
  email: string | null;
  /** Of the account, EUR. */
  balanceEur: string;
  isNewDestination: boolean;
  isWaiting: boolean;
  isSigned: boolean;
  version: string;
  at: Date;
  by: string | null;
  entryId: number | null;
}

/** Waiting details of all accounts or of payouts, or these in any state, with the entry of their last change. */
export function listBillings(
  db: Database,
  { id = null, payoutIds }: { id?: number | null; payoutIds?: readonly number[] },
): Promise<BillingRow[]> {
  const condition = payoutIds
    ? sql`${isBillingWaiting} AND b.id IN (SELECT billing_account_id FROM payouts WHERE id = ANY(${payoutIds}::bigint[]))`
    : id === null
      ? isBillingWaiting
      : sql`b.id = ${id}`;
  return queryRows<BillingRow>(db)`
    SELECT b.id, a.id AS user_id, ${accountName} AS label, b.type, b.owner, b.iban, b.swift, b.email::text AS email,
           coalesce((SELECT trunc(amount, 2) FROM ledger_balances l WHERE l.account_id = a.id AND l.currency = 'EUR'), 0) AS balance_eur,
           NOT ${isSignedDestination} AS is_new_destination, ${isBillingWaiting} AS is_waiting, ${isBillingSigned} AS is_signed,
           ${billingVersion} AS version, coalesce(b.changed_at, b.created_at) AS at, ${adminName('b.changed_by')} AS by,
           (SELECT max(l.id) FROM audit_log l WHERE l.entity = 'billing_account' AND l.entity_id = b.id::text
               AND ${isAction('billing.create', 'billing.edit')}) AS entry_id
      FROM billing_accounts b JOIN accounts a ON a.id = b.account_id
     CROSS JOIN LATERAL (SELECT b.account_id) p
     CROSS JOIN LATERAL (SELECT destination_hash(b.type, b.iban, b.swift, b.email::text) AS destination) d
     WHERE b.deleted_at IS NULL AND ${condition} ORDER BY b.id`;
}

export interface Line {
  label: string;
  userId: number | null;
  amountEur: string;
  at: Date | null;
}

/** What imports credited, by account, largest first. */
export const listCredits = (db: Database, importIds: readonly number[]) => queryRows<Line & { userId: number }>(db)`
    SELECT a.id AS user_id, ${accountName} AS label, sum(g.amount)::numeric(20, 2) AS amount_eur, NULL AS at
      FROM ledger_transactions t
      JOIN ledger_postings g ON g.transaction_id = t.id AND g.currency = 'EUR'
      JOIN ledger_balances b ON b.account = g.account AND b.currency = 'EUR'
      JOIN accounts a ON a.id = b.account_id
     WHERE t.import_id = ANY(${importIds}::bigint[]) GROUP BY a.id ORDER BY 3 DESC, 1`;

export interface PayoutLine extends Line {
  id: number;
  type: 'bank' | 'paypal';
  iban: string | null;
  email: string | null;
}

export async function listPayoutLines(db: Database, ids: readonly number[]): Promise<Map<number, PayoutLine>> {
  const there = (column: 'type' | 'iban' | 'email') =>
    sql`CASE WHEN p.beneficiary IS NULL THEN b.${sql.raw(column)}::text ELSE p.beneficiary ->> ${sql.lit(column)} END AS ${sql.raw(column)}`;
  const rows = await queryRows<PayoutLine>(db)`
    SELECT p.id, a.id AS user_id, ${accountName} AS label, p.amount_eur, NULL AS at, ${there('type')}, ${there('iban')}, ${there('email')}
      FROM payouts p JOIN accounts a ON a.id = p.account_id JOIN billing_accounts b ON b.id = p.billing_account_id
     WHERE p.id = ANY(${ids}::bigint[])`;
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Entries about these accounts since the last signature, and of rates, newest first. Shown to signatories; nothing
 * depends on them.
 */
export const listNews = (db: Database, accountIds: readonly number[], limit: number) => queryColumn<number>(db)`
    SELECT l.id FROM audit_log l
     WHERE l.at > coalesce((SELECT max(used_at) FROM signatures WHERE subject IN ('payout', 'import') AND used_at < now()), '-infinity')
       AND l.at > now() - interval '60 days'
       AND ${isAction('exchange_rate.set', 'account.create', 'account.edit', 'billing.create', 'billing.edit', 'referral.add', 'track.take_isrc', 'income_item.assign', 'income_item.match')}
       AND (${isAction('exchange_rate.set')} OR CASE
         WHEN ${isAction('account.create')} THEN l.entity_id::bigint
         WHEN ${isAction('account.edit')} THEN CASE WHEN l.before ?| ARRAY['libraryIncomePercentile', 'youtubeChannelIncomePercentile'] THEN l.entity_id::bigint END
         WHEN ${isAction('billing.create', 'billing.edit')} THEN (SELECT account_id FROM billing_accounts WHERE id = l.entity_id::bigint)
         WHEN ${isAction('referral.add')} THEN (SELECT referrer_id FROM referrals WHERE id = l.entity_id::bigint)
         WHEN ${isAction('track.take_isrc')} THEN (SELECT account_id FROM tracks WHERE id = l.entity_id::bigint)
         WHEN ${isAction('income_item.assign', 'income_item.match')} THEN (SELECT account_id FROM tracks WHERE id = (l.after ->> 'trackId')::bigint)
       END = ANY(${accountIds}::bigint[]))
     ORDER BY l.id DESC LIMIT ${limit}`;
