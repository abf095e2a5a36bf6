import type { BankAnswer } from '@regie/contract/bank-answers.ts';
import { type BillingType, minPayoutEur } from '@regie/contract/payouts.ts';
import type { BillingDetails } from '@regie/contract/routes/billing.ts';
import type { z } from '@regie/contract/zod.ts';
import { findNumber } from '@regie/values/search-text.ts';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { adminName, isAction } from '#src/lib/audit.ts';
import type { Payouts } from '#src/lib/db.generated.ts';
import { type Database, queryColumn, queryRows, querySingle, queryValue, type Trx } from '#src/lib/db.ts';
import { keyset, type ListQuery, readPage, type SortKey } from '#src/lib/keyset.ts';
import { accountsWith, matchesAccount } from '#src/lib/text-search.ts';
import { doubtfulAnswer, isRejectedDestination, lastAnswer } from '#src/modules/money/signing/signed-money.service.ts';
import { isBillingWaiting, payoutDestination } from '#src/modules/money/signing/signing.service.ts';
import type { NewPayout } from './payout-postings.service.ts';

type State = 'pending' | 'paid' | 'cancelled';
export type AccountState = 'enabled' | 'hold' | 'disabled';

/** The bank or PayPal details of a payout: the current ones, or those frozen at export. */
export type Beneficiary = z.infer<typeof BillingDetails>;

const beneficiaryJson = sql`json_build_object(
  'id', b.id, 'type', b.type, 'email', b.email::text, 'owner', b.owner,
  'holderAddress', b.holder_address, 'holderAddress2', b.holder_address2, 'holderCity', b.holder_city,
  'holderCountry', b.holder_country, 'holderPostcode', b.holder_postcode,
  'bankName', b.bank_name, 'bankCountry', b.bank_country, 'bankAddress', b.bank_address,
  'bankAddress2', b.bank_address2, 'bankCity', b.bank_city, 'bankZipCode', b.bank_zip_code,
  'iban', b.iban, 'swift', b.swift)`;

export interface PayoutRow extends Omit<Selectable<Payouts>, 'beneficiary' | 'cancelledBy' | 'deletedAt'> {
  state: State;
  netEur: string;
  batchState: string | null;
  firstName: string;
  lastName: string;
  email: string | null;
  accountState: AccountState;
  balance: string;
  beneficiary: Beneficiary;
  /** Equal for payouts to one bank or PayPal account. */
  destination: string;
  isRecentlyChanged: boolean;
  isBillingDeleted: boolean;
  bankAnswer: BankAnswer | null;
  /** The bank's last verdict on this holder and destination is a near or another name. */
  isPayeeDoubtful: boolean;
  isRejectedDestination: boolean;
}

/** Sent and not returned. */
const isSettled = sql`q.state = 'paid' AND q.deleted_at IS NULL`;

const payoutColumns = sql`
  p.id, p.account_id, p.billing_account_id, p.state, p.amount_eur, p.fee_eur, p.amount_eur - p.fee_eur AS net_eur,
  p.batch_id, (SELECT l.state FROM payout_batches l WHERE l.id = p.batch_id) AS batch_state,
  p.exported_at, p.downloaded_at, p.created_at, p.created_by, p.paid_at, p.paid_by, p.cancelled_at, p.cancel_reason,
  p.returned_at,
  a.first_name, a.last_name, a.email, a.state AS account_state, coalesce(l.amount, 0) AS balance,
  coalesce(p.beneficiary::json, ${beneficiaryJson}) AS beneficiary, encode(${payoutDestination}, 'hex') AS destination,
  ${isBillingWaiting} AS is_recently_changed, b.deleted_at IS NOT NULL AS is_billing_deleted,
  ${lastAnswer(sql`s.payout_id = p.id`)} AS bank_answer, ${doubtfulAnswer} IS NOT NULL AS is_payee_doubtful,
  ${isRejectedDestination} AS is_rejected_destination`;

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

export async function listPayouts(db: Database, state: State, query: PayoutQuery) {
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

export const findPayout = async (db: Database, id: number): Promise<PayoutRow | undefined> =>
  (await findPayouts(db, [id]))[0];

export const findPayouts = (db: Database, ids: readonly number[]) => queryRows<PayoutRow>(db)`
    SELECT ${payoutColumns} FROM payouts p ${payoutJoins}
     WHERE p.id = ANY(${ids}::bigint[]) AND p.deleted_at IS NULL ORDER BY p.id`;

/** Payouts to be requested, as rows with negative ids. */
export const planRows = (wanted: readonly (NewPayout & { id: number })[], feeEur: string): string =>
  JSON.stringify(
    wanted.map(({ id, accountId, billingId, amount }) => ({
      id,
      account_id: accountId,
      billing_account_id: billingId,
      amount_eur: amount,
      fee_eur: feeEur,
      state: 'pending',
      created_at: new Date(),
    })),
  );

export const findIfRequested = (db: Database, planned: string) => queryRows<PayoutRow>(db)`
    SELECT ${payoutColumns} FROM jsonb_populate_recordset(NULL::payouts, ${planned}::jsonb) p
           ${payoutJoins} ORDER BY a.id`;

const isLoose = sql`p.state = 'pending' AND p.batch_id IS NULL AND p.deleted_at IS NULL`;

/** Pending payouts in no batch. */
export const findLoosePayouts = (db: Database) => queryRows<PayoutRow & { isSigned: boolean }>(db)`
    SELECT ${payoutColumns}, EXISTS (
             SELECT FROM signatures s WHERE s.subject = 'payout' AND s.subject_id = p.id AND s.used_at IS NULL
                AND s.withdrawn_at IS NULL) AS is_signed
      FROM payouts p ${payoutJoins} WHERE ${isLoose} ORDER BY p.id`;

/** Pending payouts in a batch. */
export const findBatchedPayouts = (db: Database, accountIds: readonly number[]) => queryRows<{
  accountId: number;
  batchId: number;
  destination: string;
}>(db)`
    SELECT p.account_id, p.batch_id, encode(${payoutDestination}, 'hex') AS destination
      FROM payouts p JOIN billing_accounts b ON b.id = p.billing_account_id
     WHERE p.account_id = ANY(${accountIds}::bigint[]) AND p.state = 'pending' AND p.batch_id IS NOT NULL
       AND p.deleted_at IS NULL ORDER BY p.id DESC`;

export interface FormerPayment {
  lastEur: string | null;
  isKnown: boolean;
}

/** The account's last payment before each payout, and whether one went to its destination. */
export async function findFormerPayments(
  db: Database,
  rows: readonly PayoutRow[],
): Promise<Map<number, FormerPayment>> {
  const former = await queryRows<FormerPayment & { id: number }>(db)`
    SELECT w.id, l.amount_eur AS last_eur, EXISTS (
             SELECT FROM payouts p JOIN billing_accounts b ON b.id = p.billing_account_id
              WHERE p.account_id = w.account_id AND p.state = 'paid' AND p.deleted_at IS NULL
                AND encode(${payoutDestination}, 'hex') = w.destination) AS is_known
      FROM unnest(${rows.map(({ id }) => id)}::bigint[], ${rows.map(({ accountId }) => accountId)}::bigint[],
                  ${rows.map(({ destination }) => destination)}::text[]) AS w (id, account_id, destination)
      LEFT JOIN LATERAL (SELECT q.amount_eur FROM payouts q WHERE q.account_id = w.account_id AND ${isSettled}
                          ORDER BY q.paid_at DESC, q.id DESC LIMIT 1) l ON true`;
  return new Map(former.map(({ id, ...one }) => [id, one]));
}

/** Locks all that paying everyone reads: accounts, details, pending payouts outside batches, balances. */
export async function lockEveryone(trx: Trx): Promise<void> {
  const payouts = await queryRows<{ id: number; accountId: number }>(trx)`
    SELECT p.id, p.account_id FROM payouts p WHERE ${isLoose}`;
  const accounts = [...(await findUnpaidIds(trx)), ...payouts.map(({ accountId }) => accountId)];
  await lockAccounts(trx, accounts);
  await lockPayouts(
    trx,
    payouts.map(({ id }) => id),
  );
  await lockBalances(trx, accounts);
}

/** @param first those that come first */
export async function listBatchPayouts(
  db: Database,
  batchId: number,
  first: readonly number[],
  query: { limit: number; cursor?: string | undefined; order: 'asc' | 'desc' },
) {
  const page = keyset({ ...query, sort: 'rank' }, { rank: { expression: sql`p.rank`, type: 'bigint' } }, sql`p.id`);
  return readPage<PayoutRow>(db, page, {
    ...payoutPage,
    from: sql`(SELECT q.*, (q.id <> ALL(${first}::bigint[]))::integer AS rank FROM payouts q) p`,
    where: [sql`p.batch_id = ${batchId}`, sql`p.deleted_at IS NULL`],
  });
}

export const findBatchPayoutIds = (db: Database, batchId: number) => queryColumn<number>(db)`
    SELECT id FROM payouts WHERE batch_id = ${batchId} AND deleted_at IS NULL ORDER BY id`;

export async function arePending(db: Database, ids: readonly number[]): Promise<boolean> {
  const pending = await queryValue<number>(db)`
    SELECT count(*) FROM payouts WHERE id = ANY(${ids}::bigint[]) AND state = 'pending' AND deleted_at IS NULL`;
  return pending === ids.length;
}

export const findStoppedAccounts = (db: Database, batchId: number) => queryRows<{ userId: number; name: string }>(db)`
    SELECT a.id AS user_id, trim(a.first_name || ' ' || a.last_name) AS name FROM accounts a
     WHERE a.state <> 'enabled'
       AND a.id IN (SELECT p.account_id FROM payouts p WHERE p.batch_id = ${batchId} AND p.deleted_at IS NULL)
     ORDER BY name, a.id`;

/** @param exportedAt null: they are not exported */
export async function freezeBeneficiaries(trx: Trx, ids: readonly number[], exportedAt: Date | null): Promise<void> {
  await sql`
    UPDATE payouts p SET beneficiary = ${beneficiaryJson}::jsonb, exported_at = ${exportedAt}
      FROM billing_accounts b WHERE b.id = p.billing_account_id AND p.id = ANY(${ids}::bigint[])`.execute(trx);
}

export async function markPaid(trx: Trx, ids: readonly number[], adminId: number | null): Promise<void> {
  await sql`
    UPDATE payouts SET state = 'paid', paid_at = now(), paid_by = ${adminId}
     WHERE id = ANY(${ids}::bigint[])`.execute(trx);
}

export async function cancelPayouts(
  trx: Trx,
  payouts: readonly { id: number; reason: string | null }[],
  { adminId, isReturn }: { adminId: number | null; isReturn: boolean },
): Promise<void> {
  await sql`
    UPDATE payouts p SET state = 'cancelled', paid_at = NULL, paid_by = NULL, cancelled_at = now(), cancelled_by = ${adminId},
           cancel_reason = w.reason, returned_at = ${isReturn ? sql`now()` : null}
      FROM unnest(${payouts.map(({ id }) => id)}::bigint[], ${payouts.map(({ reason }) => reason)}::text[]) AS w (id, reason)
     WHERE p.id = w.id`.execute(trx);
}

/**
 * Locks in this order everywhere: accounts, billing accounts, payouts, batches. Blocks changes of profiles and details
 * until the end.
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

export const findPayoutActors = (db: Database, id: number) => querySingle<PayoutActors>(db)`
    SELECT ${adminName('p.created_by')} AS requested_by, ${adminName('p.paid_by')} AS paid_by,
           ${adminName('p.cancelled_by')} AS cancelled_by, ${adminName('b.exported_by')} AS exported_by
      FROM payouts p LEFT JOIN payout_batches b ON b.id = p.batch_id WHERE p.id = ${id}`;

/* Requests */

export interface RequestFacts {
  state: AccountState;
  /** Null for unknown or deleted details. */
  billingId: number | null;
  balance: string;
}

/** Locks the account, the details and the balance of a request, and returns them. */
export async function lockForRequest(
  trx: Trx,
  accountId: number,
  billingId: number,
): Promise<RequestFacts | undefined> {
  const [state] = await queryColumn<AccountState>(trx)`SELECT state FROM accounts WHERE id = ${accountId} FOR SHARE`;
  if (!state) return undefined;
  const [billing] = await queryColumn<number>(trx)`
    SELECT id FROM billing_accounts
     WHERE id = ${billingId} AND account_id = ${accountId} AND deleted_at IS NULL FOR SHARE`;
  const balances = await lockBalances(trx, [accountId]);
  return { state, billingId: billing ?? null, balance: balances.get(accountId) ?? '0' };
}

export async function lockBalances(trx: Trx, accountIds: readonly number[]): Promise<Map<number, string>> {
  const rows = await queryRows<{ accountId: number; amount: string }>(trx)`
    SELECT account_id, amount FROM lock_balances(${accountIds}::bigint[])`;
  return new Map(rows.map((row) => [row.accountId, row.amount]));
}

/* Unpaid accounts */

/**
 * Where an account's whole balance goes: the details last paid to, or its only ones; null when one has to be chosen.
 */
const billingColumns = sql`
  coalesce(
    (SELECT b.id FROM payouts q JOIN billing_accounts b ON b.id = q.billing_account_id AND b.deleted_at IS NULL
      WHERE q.account_id = a.id AND ${isSettled} ORDER BY q.paid_at DESC, q.id DESC LIMIT 1),
    (SELECT min(b.id) FROM billing_accounts b
      WHERE b.account_id = a.id AND b.deleted_at IS NULL HAVING count(*) = 1)) AS preferred_billing_id,
  EXISTS (SELECT FROM billing_accounts b WHERE b.account_id = a.id AND b.deleted_at IS NULL) AS has_billing`;

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

interface UnpaidRow extends AccountRow {
  role: 'customer' | 'label';
  pendingEur: string;
  cursorValue: string;
}

export const sumPendingPayouts = (db: Database, accountId: number) => querySingle<{ total: string; count: number }>(db)`
    SELECT coalesce(sum(amount_eur), 0) AS total, count(*) AS count FROM payouts
     WHERE account_id = ${accountId} AND state = 'pending' AND deleted_at IS NULL`;

/** The batch that holds every pending payout of the accounts; null without one, or with several. */
export const findPendingBatch = (db: Database, accountIds: readonly number[]) => queryValue<number | null>(db)`
    SELECT CASE WHEN count(DISTINCT coalesce(batch_id, 0)) = 1 THEN max(batch_id) END
      FROM payouts WHERE account_id = ANY(${accountIds}::bigint[]) AND state = 'pending' AND deleted_at IS NULL`;

/** Balances of at least 0.10 € (product §33.22). */
export async function listUnpaidAccounts(
  db: Database,
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
    sum: { amount: sql`trunc(l.amount, 2)`, currency: sql`l.currency` },
  });
}

/** The open batch that a payout left when it was paid, locked. */
export async function findLeftBatch(trx: Trx, id: number): Promise<number | undefined> {
  const [batchId] = await queryColumn<number>(trx)`
    SELECT b.id FROM payouts p
      JOIN audit_log l ON l.at >= p.paid_at AND l.entity = 'payout_batch' AND ${isAction('payout_batch.shrink')}
       AND l.before ->> 'payoutId' = p.id::text
      JOIN payout_batches b ON b.id::text = l.entity_id AND b.state = 'draft'
     WHERE p.id = ${id} FOR UPDATE OF b`;
  return batchId;
}

/** EUR that can be paid now: enabled accounts, known details that do not wait, more than the fee. */
export const sumPayable = (db: Database, feeEur: number) => queryValue<string>(db)`
    SELECT coalesce(sum(k.amount), 0) AS amount FROM (
      SELECT trunc(l.amount, 2) AS amount, ${billingColumns}
        FROM ledger_balances l JOIN accounts a ON a.id = l.account_id
       WHERE l.currency = 'EUR' AND a.state = 'enabled' AND trunc(l.amount, 2) > ${feeEur}::numeric
         AND l.amount >= ${minPayoutEur}::numeric OFFSET 0
    ) k JOIN billing_accounts b ON b.id = k.preferred_billing_id AND NOT ${isBillingWaiting}`;

export const findUnpaidIds = (db: Database) => queryColumn<number>(db)`
    SELECT account_id AS id FROM ledger_balances
     WHERE account_id IS NOT NULL AND currency = 'EUR' AND amount >= ${minPayoutEur}::numeric ORDER BY account_id`;

export const findAccounts = (db: Database, ids: readonly number[]) => queryRows<AccountRow>(db)`
    SELECT a.id, a.first_name, a.last_name, a.email, a.state, coalesce(l.amount, 0) AS balance,
           ${billingColumns}
      FROM accounts a LEFT JOIN ledger_balances l ON l.account_id = a.id AND l.currency = 'EUR'
     WHERE a.id = ANY(${ids}::bigint[]) ORDER BY a.id`;

export function listBillings(db: Database, accountId: number) {
  return queryRows<{ beneficiary: Beneficiary; isRecentlyChanged: boolean }>(db)`
    SELECT ${beneficiaryJson} AS beneficiary, ${isBillingWaiting} AS is_recently_changed
      FROM billing_accounts b WHERE b.account_id = ${accountId} AND b.deleted_at IS NULL
     ORDER BY b.id DESC LIMIT 50`;
}

export async function lockAccounts(trx: Trx, ids: readonly number[]): Promise<void> {
  await sql`SELECT 1 FROM accounts WHERE id = ANY(${ids}::bigint[]) ORDER BY id FOR SHARE`.execute(trx);
  await sql`SELECT 1 FROM billing_accounts WHERE account_id = ANY(${ids}::bigint[]) ORDER BY id FOR SHARE`.execute(trx);
}
