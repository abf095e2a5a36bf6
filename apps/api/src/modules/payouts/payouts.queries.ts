import { type ApprovalCause, type BillingType, minPayoutEur } from '@regie/contract/payouts.ts';
import type { PayoutAccount } from '@regie/contract/routes/payouts.ts';
import { findNumber } from '@regie/values/search-text.ts';
import { type RawBuilder, sql } from 'kysely';
import { adminName, isAction } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import { keyset, type ListQuery, readPage, type SortKey } from '#src/lib/keyset.ts';
import { accountsWith, matchesAccount } from '#src/lib/text-search.ts';
import { ledgerName } from '#src/modules/ledger/ledger.service.ts';

type Db = Database | Trx;
type State = 'pending' | 'paid' | 'cancelled';
export type AccountState = 'enabled' | 'hold' | 'disabled';

/** The bank or PayPal details of a payout: the current ones, or those frozen at export. */
export type Beneficiary = PayoutAccount;

const beneficiaryJson = sql`json_build_object(
  'id', b.id, 'type', b.type, 'email', b.email::text, 'owner', b.owner,
  'holderAddress', b.holder_address, 'holderAddress2', b.holder_address2, 'holderCity', b.holder_city,
  'holderCountry', b.holder_country, 'holderPostcode', b.holder_postcode,
  'bankName', b.bank_name, 'bankCountry', b.bank_country, 'bankAddress', b.bank_address,
  'bankAddress2', b.bank_address2, 'bankCity', b.bank_city, 'bankZipCode', b.bank_zip_code,
  'iban', b.iban, 'swift', b.swift)`;

export interface PayoutRow {
  id: number;
  accountId: number;
  billingAccountId: number;
  state: State;
  amountEur: string;
  feeEur: string;
  netEur: string;
  batchId: number | null;
  batchState: string | null;
  approvedBy: number | null;
  approvedByName: string | null;
  approvedAt: Date | null;
  exportedAt: Date | null;
  downloadedAt: Date | null;
  createdAt: Date;
  createdBy: number | null;
  paidAt: Date | null;
  paidBy: number | null;
  cancelledAt: Date | null;
  cancelReason: string | null;
  returnedAt: Date | null;
  firstName: string;
  lastName: string;
  email: string | null;
  accountState: AccountState;
  balance: string;
  beneficiary: Beneficiary;
  isRecentlyChanged: boolean;
  isBillingDeleted: boolean;
  /** No payment to this account number or address was sent without being returned. */
  isNeverPaid: boolean;
}

/** A payment that was sent and not returned. */
const isSettled = sql`q.state = 'paid' AND q.deleted_at IS NULL`;

/** Without an IBAN, an account number is unique only per bank, so the BIC is part of the key. */
const accountKey = (iban: RawBuilder<unknown>, swift: RawBuilder<unknown>) => sql`
  CASE WHEN ${iban} ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{8,}$' THEN ${iban} ELSE ${iban} || ' ' || rpad(coalesce(${swift}, ''), 11, 'X') END`;

/** Payments sent to the account number or address of the current details. */
const wentThere = sql`
  (${accountKey(sql`(q.beneficiary ->> 'iban')`, sql`(q.beneficiary ->> 'swift')`)} = ${accountKey(sql`b.iban`, sql`b.swift`)}
   OR lower(q.beneficiary ->> 'email') = lower(b.email::text) AND b.type = 'paypal')`;

/**
 * Changed or added details wait 72 h unless another admin confirms them (product §35.6, §35.7); an account's first
 * details do not wait.
 */
const isRecentlyChanged = sql<boolean>`(
  b.changed_at > now() - interval '72 hours'
  AND (b.confirmed_by IS NULL OR b.confirmed_by IS NOT DISTINCT FROM b.changed_by))`;

const payoutColumns = sql`
  p.id, p.account_id, p.billing_account_id, p.state, p.amount_eur, p.fee_eur, p.amount_eur - p.fee_eur AS net_eur,
  p.batch_id, (SELECT l.state FROM payout_batches l WHERE l.id = p.batch_id) AS batch_state,
  p.approved_by, ${adminName('p.approved_by')} AS approved_by_name,
  p.approved_at, p.exported_at, p.downloaded_at, p.created_at, p.created_by, p.paid_at, p.paid_by, p.cancelled_at, p.cancel_reason,
  p.returned_at,
  a.first_name, a.last_name, a.email, a.state AS account_state, coalesce(l.amount, 0) AS balance,
  coalesce(p.beneficiary::json, ${beneficiaryJson}) AS beneficiary,
  coalesce(${isRecentlyChanged}, false) AS is_recently_changed, b.deleted_at IS NOT NULL AS is_billing_deleted,
  p.state = 'pending' AND NOT EXISTS (
    SELECT FROM payouts q WHERE q.account_id = p.account_id AND ${isSettled} AND q.id <> p.id AND ${wentThere}
  ) AS is_never_paid`;

const payoutJoins = sql`
  JOIN accounts a ON a.id = p.account_id
  JOIN billing_accounts b ON b.id = p.billing_account_id
  LEFT JOIN ledger_balances l ON l.account_id = p.account_id AND l.currency = 'EUR'`;

const payoutPage = { columns: payoutColumns, from: sql`payouts p`, row: 'p', joins: payoutJoins };

interface PayoutQuery extends ListQuery<'date' | 'amount'> {
  type?: BillingType | undefined;
  user?: number | undefined;
  batch?: number | undefined;
  returned?: 'true' | 'false' | undefined;
}

const payoutSorts = {
  date: { expression: sql`p.created_at`, type: 'timestamptz' },
  amount: { expression: sql`p.amount_eur`, type: 'numeric' },
} satisfies Record<string, SortKey>;

/** One page of the payouts in a state. */
export async function listPayouts(db: Db, state: State, query: PayoutQuery) {
  const page = keyset(query, payoutSorts, sql`p.id`);
  const conditions: RawBuilder<unknown>[] = [sql`p.state = ${state}`, sql`p.deleted_at IS NULL`];
  if (query.user !== undefined) conditions.push(sql`p.account_id = ${query.user}`);
  if (query.batch !== undefined) conditions.push(sql`p.batch_id = ${query.batch}`);
  if (query.returned !== undefined) {
    conditions.push(query.returned === 'true' ? sql`p.returned_at IS NOT NULL` : sql`p.returned_at IS NULL`);
  }
  if (query.type !== undefined) {
    conditions.push(
      sql`EXISTS (SELECT FROM billing_accounts b WHERE b.id = p.billing_account_id AND b.type = ${query.type})`,
    );
  }
  if (query.q) {
    const number = findNumber(query.q, 'payout');
    conditions.push(
      number === undefined ? sql`p.account_id IN ${accountsWith(query.q)}` : sql`p.id = ${number}::bigint`,
    );
  }
  return readPage<PayoutRow>(db, page, {
    ...payoutPage,
    where: conditions,
    sum: { amount: sql`p.amount_eur`, currency: sql`'EUR'` },
  });
}

/** A payout that is not deleted, with its account and beneficiary. */
export async function findPayout(db: Db, id: number): Promise<PayoutRow | undefined> {
  const { rows } = await sql<PayoutRow>`
    SELECT ${payoutColumns} FROM payouts p ${payoutJoins} WHERE p.id = ${id} AND p.deleted_at IS NULL`.execute(db);
  return rows[0];
}

/** Several payouts by id. */
export async function findPayouts(db: Db, ids: readonly number[]): Promise<PayoutRow[]> {
  const { rows } = await sql<PayoutRow>`
    SELECT ${payoutColumns} FROM payouts p ${payoutJoins}
     WHERE p.id = ANY(${ids}::bigint[]) AND p.deleted_at IS NULL ORDER BY p.id`.execute(db);
  return rows;
}

/** These payouts as they would be if they were requested now, with the negative id of their account. */
export async function findIfRequested(
  db: Db,
  wanted: readonly { accountId: number; billingId: number; amount: string }[],
  feeEur: string,
): Promise<PayoutRow[]> {
  const planned = wanted.map(({ accountId, billingId, amount }) => ({
    id: -accountId,
    account_id: accountId,
    billing_account_id: billingId,
    amount_eur: amount,
    fee_eur: feeEur,
    state: 'pending',
  }));
  const { rows } = await sql<PayoutRow>`
    SELECT ${payoutColumns} FROM jsonb_populate_recordset(NULL::payouts, ${JSON.stringify(planned)}::jsonb) p
           ${payoutJoins} ORDER BY a.id`.execute(db);
  return rows;
}

/** Pending payouts outside any batch. */
export async function findLoosePayoutIds(db: Db): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM payouts WHERE state = 'pending' AND batch_id IS NULL AND deleted_at IS NULL ORDER BY id`.execute(db);
  return rows.map(({ id }) => id);
}

export async function listBatchPayouts(
  db: Db,
  batchId: number,
  query: { limit: number; cursor?: string | undefined; order: 'asc' | 'desc' },
) {
  const page = keyset({ ...query, sort: 'id' }, { id: { expression: sql`p.id`, type: 'bigint' } }, sql`p.id`);
  return readPage<PayoutRow>(db, page, {
    ...payoutPage,
    where: [sql`p.batch_id = ${batchId}`, sql`p.deleted_at IS NULL`],
  });
}

export async function findBatchPayoutIds(db: Db, batchId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM payouts WHERE batch_id = ${batchId} AND deleted_at IS NULL ORDER BY id`.execute(db);
  return rows.map((row) => row.id);
}

export async function arePending(db: Db, ids: readonly number[]): Promise<boolean> {
  const { rows } = await sql<{ n: number }>`
    SELECT count(*) AS n FROM payouts WHERE id = ANY(${ids}::bigint[]) AND state = 'pending' AND deleted_at IS NULL`.execute(
    db,
  );
  return Number(rows[0]?.n) === ids.length;
}

/** Names of the batch's accounts that are not enabled. */
export async function findStoppedAccounts(db: Db, batchId: number): Promise<{ userId: number; name: string }[]> {
  const { rows } = await sql<{ userId: number; name: string }>`
    SELECT a.id AS user_id, trim(a.first_name || ' ' || a.last_name) AS name FROM accounts a
     WHERE a.state <> 'enabled'
       AND a.id IN (SELECT p.account_id FROM payouts p WHERE p.batch_id = ${batchId} AND p.deleted_at IS NULL)
     ORDER BY name, a.id`.execute(db);
  return rows;
}

/** Stores the current details as each payout's beneficiary. @param exportedAt null: they are not exported */
export async function freezeBeneficiaries(trx: Trx, ids: readonly number[], exportedAt: Date | null): Promise<void> {
  await sql`
    UPDATE payouts p SET beneficiary = ${beneficiaryJson}::jsonb, exported_at = ${exportedAt}
      FROM billing_accounts b WHERE b.id = p.billing_account_id AND p.id = ANY(${ids}::bigint[])`.execute(trx);
}

/**
 * Locks payouts and the rows they depend on, always in this order: accounts, billing accounts, payouts, batches. Waits
 * for open changes of profiles or details, and blocks new ones until the transaction ends.
 */
export async function lockPayouts(trx: Trx, ids: readonly number[]): Promise<void> {
  await sql`
    SELECT 1 FROM accounts WHERE id IN (SELECT account_id FROM payouts WHERE id = ANY(${ids}::bigint[]))
     ORDER BY id FOR SHARE`.execute(trx);
  await sql`
    SELECT 1 FROM billing_accounts WHERE id IN (SELECT billing_account_id FROM payouts WHERE id = ANY(${ids}::bigint[]))
     ORDER BY id FOR SHARE`.execute(trx);
  await sql`SELECT 1 FROM payouts WHERE id = ANY(${ids}::bigint[]) ORDER BY id FOR UPDATE`.execute(trx);
}

type PayoutActors = Record<'requestedBy' | 'paidBy' | 'cancelledBy' | 'exportedBy', string | null>;

export async function findPayoutActors(db: Db, id: number): Promise<PayoutActors> {
  const { rows } = await sql<PayoutActors>`
    SELECT ${adminName('p.created_by')} AS requested_by, ${adminName('p.paid_by')} AS paid_by,
           ${adminName('p.cancelled_by')} AS cancelled_by, ${adminName('b.exported_by')} AS exported_by
      FROM payouts p LEFT JOIN payout_batches b ON b.id = p.batch_id WHERE p.id = ${id}`.execute(db);
  return rows[0] ?? { requestedBy: null, paidBy: null, cancelledBy: null, exportedBy: null };
}

/**
 * The version an approval of these payouts refers to: amount, fee and last change of the details of each. Reveals no
 * account number.
 */
export async function readVersion(db: Db, ids: readonly number[]): Promise<string> {
  const { rows } = await sql<{ version: string }>`
    SELECT encode(sha256(convert_to(coalesce(string_agg(
             concat_ws(' ', p.id, p.amount_eur, p.fee_eur, b.id, extract(epoch FROM coalesce(b.changed_at, b.created_at))),
             E'\\n' ORDER BY p.id), ''), 'UTF8')), 'hex') AS version
      FROM payouts p JOIN billing_accounts b ON b.id = p.billing_account_id WHERE p.id = ANY(${ids}::bigint[])`.execute(
    db,
  );
  return rows[0]?.version ?? '';
}

/* Requests */

export interface RequestFacts {
  state: AccountState;
  /** Undefined: the account has no such details, or they are deleted. */
  billingId: number | null;
  balance: string;
}

/** Locks the account, the details and the balance of a request, and returns them. */
export async function lockForRequest(
  trx: Trx,
  accountId: number,
  billingId: number,
): Promise<RequestFacts | undefined> {
  const { rows } = await sql<{ state: AccountState }>`
    SELECT state FROM accounts WHERE id = ${accountId} FOR SHARE`.execute(trx);
  const [account] = rows;
  if (!account) return undefined;
  const billing = await sql<{ id: number }>`
    SELECT id FROM billing_accounts
     WHERE id = ${billingId} AND account_id = ${accountId} AND deleted_at IS NULL FOR SHARE`.execute(trx);
  const balances = await lockBalances(trx, [accountId]);
  return { state: account.state, billingId: billing.rows[0]?.id ?? null, balance: balances.get(accountId) ?? '0' };
}

export async function lockBalances(trx: Trx, accountIds: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await sql<{ accountId: number; amount: string }>`
    SELECT account_id, amount FROM lock_balances(${accountIds}::bigint[])`.execute(trx);
  return new Map(rows.map((row) => [row.accountId, row.amount]));
}

/* Moves and approvals */

/** A payment that its payer took back at once moved nothing (product §33.29). */
const isTakenBack = sql`
  m.kind = 'paid' AND EXISTS (
    SELECT FROM audit_log l WHERE l.entity = 'payout' AND l.entity_id = m.payout_id::text
       AND ${isAction('payout.take_back')} AND l.at >= m.at)`;

/** Serialises all moves: each must see the sums that include the previous one. */
export async function lockMoves(trx: Trx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(72430, 0)`.execute(trx);
}

/**
 * EUR sent in the last 24 hours without a second person's approval. A payout exported and then marked paid counts once.
 */
export async function sumUnapprovedMoves(db: Db): Promise<string> {
  const { rows } = await sql<{ total: string }>`
    SELECT coalesce(sum(m.amount_eur), 0)::numeric(20, 2) AS total FROM payout_moves m
     WHERE m.at > now() - interval '24 hours' AND m.approved_by IS NULL AND NOT (${isTakenBack})
       AND NOT (m.kind = 'exported' AND EXISTS (
         SELECT FROM payout_moves p WHERE p.payout_id = m.payout_id AND p.kind = 'paid' AND p.at >= m.at))`.execute(db);
  return rows[0]?.total ?? '0';
}

/** Profile fields that set the account's share of income, by their names in the journal. */
const percentages = ['libraryIncomePercentile', 'youtubeChannelIncomePercentile'];

export interface Maker {
  payoutId: number;
  adminId: number;
  /** Income they brought the account, EUR with 2 decimals; null where the action counts regardless of the amount. */
  incomeEur: string | null;
  causes: ApprovalCause[];
}

export interface StatementImport {
  id: number;
  createdBy: number | null;
  /** Who validated its statements, without repeats; null is the system. */
  checkedBy: (number | null)[];
}

/** Imports built from statements. */
export async function listStatementImports(db: Db): Promise<StatementImport[]> {
  const { rows } = await sql<StatementImport>`
    SELECT i.id, i.created_by, json_agg(DISTINCT s.checked_by) AS checked_by
      FROM imports i JOIN statement_postings p ON p.import_id = i.id AND p.sums > 0 JOIN statements s ON s.id = p.statement_id
     WHERE i.kind = 'automatic' GROUP BY i.id`.execute(db);
  return rows;
}

/**
 * Finds the makers of what a payout depends on: who made its account, percentages, balance adjustments, referrals,
 * reversed payments or destination, or moved an ISRC from another account's track. With the income each brought: by
 * reports (reversed or not), by reversing negative ones, by rates, and by attributing income to its tracks. Actions on
 * an account it earns from through a referral count as well. A later payout by another admin counts as a review: each
 * time for a destination or account, once for money, so income paid out by another admin is cleared. Payouts requested
 * before the income came contain none of it.
 * @param checkedImports ids of imports whose statements a second person reviewed
 * @param together ids of admins who count as one person: `incomeEur` holds their sum once
 */
export async function listMakers(
  db: Db,
  ids: readonly number[],
  checkedImports: readonly number[],
  together: readonly number[],
): Promise<Maker[]> {
  const { rows } = await sql<Maker>`
    WITH wanted AS (SELECT DISTINCT account_id, billing_account_id FROM payouts WHERE id = ANY(${ids}::bigint[])),
    earning AS MATERIALIZED (
      SELECT w.*, w.account_id AS owner_id FROM wanted w
      UNION SELECT w.*, r.referred_id FROM wanted w JOIN referrals r ON r.referrer_id = w.account_id),
    posted AS MATERIALIZED (
      SELECT w.account_id, w.billing_account_id, t.import_id, t.admin_id, t.kind, sum(t.amount) AS amount,
             -- A posting of minutes brings its income when it ends.
             greatest(max(t.occurred_at), max(i.posted_at)) AS at
        FROM wanted w CROSS JOIN LATERAL (
          SELECT t.import_id, t.admin_id, t.kind, t.occurred_at, g.amount
            FROM ledger_postings g JOIN ledger_transactions t ON t.id = g.transaction_id
           WHERE g.account = ${ledgerName.account('w.account_id')} AND g.amount > 0
          UNION ALL
          SELECT g.import_id, g.admin_id, g.kind, g.last_at, g.credited
            FROM ledger_carried g WHERE g.account = ${ledgerName.account('w.account_id')} AND g.credited > 0) t
        JOIN imports i ON i.id = t.import_id
       WHERE t.kind IN ('report', 'reversal')
       GROUP BY 1, 2, 3, 4, 5),
    -- A file that was posted whole was made by everybody who sent a part of it or posted it.
    brought AS MATERIALIZED (
      SELECT * FROM posted
      UNION SELECT p.account_id, p.billing_account_id, p.import_id, s.staged_by, p.kind, p.amount, p.at
        FROM posted p JOIN import_batches s ON s.import_id = p.import_id AND s.staged_by IS NOT NULL WHERE p.kind = 'report'),
    used_rates AS MATERIALIZED (
      SELECT i.id AS import_id, i.month, i.created_at, u.currency, u.rate
        FROM imports i
       CROSS JOIN LATERAL (SELECT 'USD' AS currency, i.rate UNION SELECT r.currency, r.rate FROM import_rates r WHERE r.import_id = i.id) u
       WHERE i.id IN (SELECT import_id FROM posted WHERE kind = 'report')),
    attributed AS MATERIALIZED (
      SELECT e.account_id, e.billing_account_id, l.admin_id, l.entity_id AS item, t.id AS track_id, max(l.at) AS at,
             bool_or(${isAction('income_item.match')}) AS is_match
        FROM earning e JOIN tracks t ON t.account_id = e.owner_id
        JOIN audit_log l ON ${isAction('income_item.assign', 'income_item.match')} AND l.after ->> 'trackId' = t.id::text
       GROUP BY 1, 2, 3, 4, 5),
    made (account_id, billing_account_id, admin_id, at, income_eur, is_money, cause) AS (
      SELECT w.*, l.admin_id, l.at, NULL::numeric, NOT ${isAction('account.create')},
             CASE WHEN ${isAction('account.create')} THEN 'account' ELSE 'balance' END
        FROM wanted w JOIN audit_log l ON l.entity = 'account' AND l.entity_id = w.account_id::text
         AND ${isAction('account.create', 'account.propose_adjustment', 'account.adjust')}
      UNION ALL
      SELECT e.account_id, e.billing_account_id, l.admin_id, l.at, NULL, true, 'percentages'
        FROM earning e JOIN audit_log l ON l.entity = 'account' AND l.entity_id = e.owner_id::text
         AND ${isAction('account.edit')} AND l.before ?| ${percentages}
      UNION ALL
      SELECT w.*, l.admin_id, l.at, NULL, false, 'billing'
        FROM wanted w JOIN audit_log l ON l.entity = 'billing_account' AND l.entity_id = w.billing_account_id::text
         AND ${isAction('billing.create', 'billing.edit')}
      UNION ALL
      SELECT w.*, l.admin_id, l.at, NULL, true, 'referral'
        FROM wanted w JOIN referrals r ON r.referrer_id = w.account_id
        JOIN audit_log l ON l.entity = 'referral' AND l.entity_id = r.id::text AND ${isAction('referral.add')}
      UNION ALL
      SELECT w.*, l.admin_id, l.at, NULL, true, 'payout'
        FROM wanted w JOIN payouts q ON q.account_id = w.account_id
        JOIN audit_log l ON l.entity = 'payout' AND l.entity_id = q.id::text
         AND ${isAction('payout.return', 'payout.reopen', 'payout.delete')} AND l.before ->> 'state' = 'PAID'
      UNION ALL
      SELECT e.account_id, e.billing_account_id, l.admin_id, l.at, NULL, true, 'isrc'
        FROM earning e JOIN tracks t ON t.account_id = e.owner_id
        JOIN audit_log l ON l.entity = 'track' AND l.entity_id = t.id::text AND ${isAction('track.take_isrc')}
      UNION ALL
      SELECT account_id, billing_account_id, admin_id, at, amount, true, 'income'
        FROM brought WHERE kind = 'reversal' OR NOT import_id = ANY(${checkedImports}::bigint[])
      UNION ALL
      SELECT b.account_id, b.billing_account_id, l.admin_id, b.at, b.amount, true, 'rate'
        FROM posted b JOIN used_rates u USING (import_id)
        JOIN audit_log l ON l.entity = 'exchange_rate' AND ${isAction('exchange_rate.set', 'exchange_rate.import_ecb')}
         AND right(l.entity_id, 3) = u.currency AND left(l.entity_id, 7) <= to_char(u.month, 'YYYY-MM')
         AND (l.after ->> 'rate')::numeric = u.rate AND l.at <= u.created_at
       WHERE b.kind = 'report' AND (b.import_id = ANY(${checkedImports}::bigint[]) OR NOT EXISTS (
         SELECT FROM brought m WHERE m.account_id = b.account_id AND m.import_id = b.import_id AND m.admin_id = l.admin_id))
      UNION ALL
      SELECT a.account_id, a.billing_account_id, a.admin_id, max(a.at), sum(s.amount / coalesce(r.rate, 1)), true, 'income'
        FROM attributed a
        JOIN statement_sums s ON s.item = a.item AND s.track_id = a.track_id AND s.import_id IS NOT NULL AND s.amount > 0
        LEFT JOIN import_rates r ON r.import_id = s.import_id AND r.currency = s.currency
       GROUP BY 1, 2, 3
      UNION ALL
      SELECT a.account_id, a.billing_account_id, a.admin_id, max(a.at), sum(c.income_eur), true, 'income'
        FROM attributed a JOIN items_carried c ON c.item = a.item AND c.track_id = a.track_id GROUP BY 1, 2, 3
      UNION ALL
      SELECT a.account_id, a.billing_account_id, a.admin_id, max(a.at), sum(r.gross_eur), true, 'income'
        FROM attributed a JOIN reports r ON r.track_id = a.track_id AND r.reversed_at IS NULL AND r.created_at > a.at AND r.gross_eur > 0
        JOIN imports i ON i.id = r.import_id AND i.kind = 'csv'
       WHERE a.is_match GROUP BY 1, 2, 3
      UNION ALL
      SELECT a.account_id, a.billing_account_id, a.admin_id, max(a.at), sum(c.csv_eur), true, 'income'
        FROM attributed a JOIN tracks_carried c ON c.track_id = a.track_id AND c.csv_last_at > a.at
       WHERE a.is_match GROUP BY 1, 2, 3),
    standing AS (
      SELECT m.*, o.most_eur, o.paid_eur, o.own_eur,
             sum(m.income_eur) OVER (PARTITION BY m.account_id, m.billing_account_id, m.person ORDER BY m.at DESC) - o.paid_eur AS left_eur
        FROM (SELECT *, CASE WHEN admin_id = ANY(${together}::bigint[]) THEN ${together}::bigint[] ELSE ARRAY[admin_id]::bigint[] END AS person
                FROM made WHERE admin_id IS NOT NULL) m
        JOIN billing_accounts b ON b.id = m.billing_account_id
       CROSS JOIN LATERAL (
         SELECT coalesce(max(q.amount_eur) FILTER (WHERE NOT q.is_own AND q.went_there), 0) AS most_eur,
                coalesce(sum(q.amount_eur) FILTER (WHERE NOT q.is_own AND q.created_at > m.at), 0) AS paid_eur,
                coalesce(sum(q.amount_eur) FILTER (WHERE q.is_own), 0) AS own_eur
           FROM (SELECT q.amount_eur, q.created_at,
                        coalesce(q.paid_by = m.admin_id OR q.paid_by = ANY(m.person) AND NOT EXISTS (
                          SELECT FROM payout_moves v
                           WHERE v.payout_id = q.id AND v.kind = 'paid' AND v.approved_by <> ALL(m.person)), false) AS is_own,
                        coalesce(${wentThere}, false) AS went_there
                   FROM payouts q WHERE q.account_id = m.account_id AND ${isSettled} AND q.paid_at > m.at) q) o)
    SELECT p.id AS payout_id, s.admin_id, NULL AS income_eur, array_agg(DISTINCT s.cause) AS causes
      FROM standing s JOIN payouts p USING (account_id, billing_account_id)
     WHERE p.id = ANY(${ids}::bigint[]) AND s.income_eur IS NULL
       AND (p.amount_eur > s.most_eur OR s.is_money AND s.paid_eur - s.own_eur < (
         SELECT sum(n.amount_eur) FROM payouts n WHERE n.id = ANY(${ids}::bigint[]) AND n.account_id = p.account_id AND n.id <= p.id))
     GROUP BY 1, 2
    UNION ALL
    SELECT id, admin_id,
           CASE WHEN row_number() OVER (PARTITION BY id, person ORDER BY left_eur DESC) = 1 THEN round(left_eur, 2) ELSE 0 END,
           causes
      FROM (SELECT p.id, s.person, s.admin_id, max(s.left_eur) AS left_eur, array_agg(DISTINCT s.cause) AS causes
              FROM standing s JOIN payouts p USING (account_id, billing_account_id)
             WHERE p.id = ANY(${ids}::bigint[]) AND s.left_eur > 0 GROUP BY 1, 2, 3) s`.execute(db);
  return rows;
}

/**
 * EUR that these admins sent in the last 24 hours. A payout exported and then marked paid counts once, when it was
 * marked.
 */
export async function sumRecentMoves(db: Db, adminIds: readonly number[]): Promise<string> {
  const { rows } = await sql<{ total: string }>`
    SELECT coalesce(sum(m.amount_eur), 0)::numeric(20, 2) AS total FROM payout_moves m
     WHERE m.admin_id = ANY(${adminIds}::bigint[]) AND m.at > now() - interval '24 hours' AND NOT (${isTakenBack})
       AND NOT (m.kind = 'exported' AND EXISTS (
         SELECT FROM payout_moves p
          WHERE p.payout_id = m.payout_id AND p.kind = 'paid' AND p.admin_id = ANY(${adminIds}::bigint[]) AND p.at >= m.at))`.execute(
    db,
  );
  return rows[0]?.total ?? '0';
}

/** Records that an admin sent these payouts. */
export async function insertMoves(
  trx: Trx,
  ids: readonly number[],
  move: { adminId: number | null; kind: 'paid' | 'exported'; approvedBy: number | null },
): Promise<void> {
  await sql`
    INSERT INTO payout_moves (admin_id, payout_id, kind, amount_eur, approved_by)
    SELECT ${move.adminId}, p.id, ${move.kind}, p.amount_eur, ${move.approvedBy} FROM payouts p
     WHERE p.id = ANY(${ids}::bigint[]) ORDER BY p.id`.execute(trx);
}

/** EUR that these admins sent by exporting the batch within the last 24 hours. */
export async function sumOwnExports(db: Db, batchId: number, adminIds: readonly number[]): Promise<string> {
  const { rows } = await sql<{ total: string }>`
    SELECT coalesce(sum(m.amount_eur), 0)::numeric(20, 2) AS total
      FROM payout_moves m JOIN payouts p ON p.id = m.payout_id
     WHERE p.batch_id = ${batchId} AND m.kind = 'exported' AND m.admin_id = ANY(${adminIds}::bigint[])
       AND m.at > now() - interval '24 hours'`.execute(db);
  return rows[0]?.total ?? '0';
}

/* Unpaid accounts */

/**
 * The destination of an account's whole balance: where it was last paid, or its only details; null when one has to be
 * chosen.
 */
const billingColumns = sql`
  coalesce(
    (SELECT b.id FROM payouts q JOIN billing_accounts b ON b.id = q.billing_account_id AND b.deleted_at IS NULL
      WHERE q.account_id = a.id AND ${isSettled} ORDER BY q.paid_at DESC, q.id DESC LIMIT 1),
    (SELECT min(b.id) FROM billing_accounts b
      WHERE b.account_id = a.id AND b.deleted_at IS NULL HAVING count(*) = 1)) AS preferred_billing_id,
  EXISTS (SELECT FROM billing_accounts b WHERE b.account_id = a.id AND b.deleted_at IS NULL) AS has_billing`;

export interface UnpaidRow {
  id: number;
  firstName: string;
  lastName: string;
  email: string | null;
  role: 'customer' | 'label';
  state: AccountState;
  balance: string;
  pendingEur: string;
  preferredBillingId: number | null;
  hasBilling: boolean;
  cursorValue: string;
}

/** Accounts with a balance of at least 0.10 € (product §33.22). */
export async function listUnpaidAccounts(
  db: Db,
  query: ListQuery<'income'> & {
    role?: 'CUSTOMER' | 'LABEL' | undefined;
    state?: 'ENABLED' | 'HOLD' | 'DISABLED' | undefined;
  },
) {
  const page = keyset(query, { income: { expression: sql`l.amount`, type: 'numeric' } }, sql`l.account_id`);
  const conditions = [
    sql`l.account_id IS NOT NULL`,
    sql`l.currency = 'EUR'`,
    sql`l.amount >= ${minPayoutEur}::numeric`,
  ];
  const joins = query.role || query.state || query.q ? sql`JOIN accounts a ON a.id = l.account_id` : sql``;
  if (query.role) conditions.push(sql`a.role = ${query.role.toLowerCase()}`);
  if (query.state) conditions.push(sql`a.state = ${query.state.toLowerCase()}`);
  if (query.q) conditions.push(matchesAccount(query.q));
  return readPage<UnpaidRow>(db, page, {
    columns: sql`
      a.id, a.first_name, a.last_name, a.email, a.role, a.state, l.amount AS balance,
      (SELECT coalesce(sum(p.amount_eur), 0) FROM payouts p
        WHERE p.account_id = a.id AND p.state = 'pending' AND p.deleted_at IS NULL) AS pending_eur,
      ${billingColumns}`,
    from: sql`ledger_balances l ${joins}`,
    row: 'l',
    where: conditions,
    joins: sql`JOIN accounts a ON a.id = l.account_id`,
    // What can be paid of each balance: its whole cents.
    sum: { amount: sql`trunc(l.amount, 2)`, currency: sql`l.currency` },
  });
}

/** The open batch that a paid payout left when it was paid, locked. */
export async function findLeftBatch(trx: Trx, id: number): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    SELECT b.id FROM payouts p
      JOIN audit_log l ON l.at >= p.paid_at AND l.entity = 'payout_batch' AND ${isAction('payout_batch.shrink')}
       AND l.before ->> 'payoutId' = p.id::text
      JOIN payout_batches b ON b.id::text = l.entity_id AND b.state IN ('draft', 'approved')
     WHERE p.id = ${id} FOR UPDATE OF b`.execute(trx);
  return rows[0]?.id;
}

/** The whole cents of the balances that can be paid now: an enabled account, known details that do not wait, more than the fee. */
export async function sumPayable(db: Db, feeEur: number): Promise<string> {
  const { rows } = await sql<{ amount: string }>`
    SELECT coalesce(sum(k.amount), 0) AS amount FROM (
      SELECT trunc(l.amount, 2) AS amount, ${billingColumns}
        FROM ledger_balances l JOIN accounts a ON a.id = l.account_id
       WHERE l.currency = 'EUR' AND a.state = 'enabled' AND trunc(l.amount, 2) > ${feeEur}::numeric
         AND l.amount >= ${minPayoutEur}::numeric OFFSET 0
    ) k JOIN billing_accounts b ON b.id = k.preferred_billing_id AND ${isRecentlyChanged} IS NOT TRUE`.execute(db);
  return rows[0]?.amount ?? '0';
}

/** The accounts that `listUnpaidAccounts` lists. */
export async function findUnpaidIds(db: Db): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT account_id AS id FROM ledger_balances
     WHERE account_id IS NOT NULL AND currency = 'EUR' AND amount >= ${minPayoutEur}::numeric ORDER BY account_id`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

export interface AccountRow {
  id: number;
  firstName: string;
  lastName: string;
  email: string | null;
  state: AccountState;
  balance: string;
  /** The details last paid to, or the only ones. */
  preferredBillingId: number | null;
  hasBilling: boolean;
}

export async function findAccounts(db: Db, ids: readonly number[]): Promise<AccountRow[]> {
  const { rows } = await sql<AccountRow>`
    SELECT a.id, a.first_name, a.last_name, a.email, a.state, coalesce(l.amount, 0) AS balance,
           ${billingColumns}
      FROM accounts a LEFT JOIN ledger_balances l ON l.account_id = a.id AND l.currency = 'EUR'
     WHERE a.id = ANY(${ids}::bigint[]) ORDER BY a.id`.execute(db);
  return rows;
}

export async function listBillings(db: Db, accountId: number) {
  const { rows } = await sql<{ beneficiary: Beneficiary; isRecentlyChanged: boolean }>`
    SELECT ${beneficiaryJson} AS beneficiary, coalesce(${isRecentlyChanged}, false) AS is_recently_changed
      FROM billing_accounts b WHERE b.account_id = ${accountId} AND b.deleted_at IS NULL
     ORDER BY b.id DESC LIMIT 50`.execute(db);
  return rows;
}

/** Locks accounts and their details for requests, ordered by id. */
export async function lockAccounts(trx: Trx, ids: readonly number[]): Promise<void> {
  await sql`SELECT 1 FROM accounts WHERE id = ANY(${ids}::bigint[]) ORDER BY id FOR SHARE`.execute(trx);
  await sql`SELECT 1 FROM billing_accounts WHERE account_id = ANY(${ids}::bigint[]) ORDER BY id FOR SHARE`.execute(trx);
}
