import { type RawBuilder, sql } from 'kysely';
import { adminName } from '#src/lib/audit.ts';
import { type Database, queryRows, querySingle, type Trx } from '#src/lib/db.ts';
import { ledgerName } from '#src/modules/money/ledger/ledger.service.ts';
import { payoutDestination } from './signing.service.ts';

/** SQL: the account's details or an unreturned signed payment cover the destination. */
export const isSignedDestination = sql`EXISTS (
  SELECT FROM signed_parts s LEFT JOIN payouts q ON s.subject = 'payout' AND q.id = s.subject_id
   WHERE s.account_id = p.account_id AND s.voided_at IS NULL AND s.destination = d.destination
     AND (s.subject = 'billing' OR q.deleted_at IS NULL AND (q.state = 'paid' OR q.exported_at IS NOT NULL)))`;

/** SQL: what the bank answered last where the condition on `s` is true, as JSON on the wire; null without an answer. */
export const lastAnswer = (condition: RawBuilder<unknown>) => sql`(
  SELECT json_build_object('at', (extract(epoch FROM r.at) * 1000)::bigint, 'verdict', s.verdict, 'outcome', s.outcome,
                           'code', s.code, 'said', s.said)
    FROM bank_answers s JOIN bank_reports r ON r.id = s.report_id
   WHERE s.outcome IS DISTINCT FROM 'unexecuted' AND ${condition} ORDER BY s.id DESC LIMIT 1)`;

/**
 * SQL of payouts `p` with details `b`: the bank's last verdict on this holder and destination, when it is a near or
 * another name; else null.
 */
export const doubtfulAnswer = doubtfulBefore(sql`'infinity'`);
function doubtfulBefore(time: RawBuilder<unknown>) {
  return sql`(
    SELECT CASE WHEN s.verdict IN ('near', 'none') THEN s.id END
      FROM bank_answers s JOIN bank_reports r ON r.id = s.report_id
     WHERE s.account_id = p.account_id AND s.verdict IS NOT NULL AND r.at < ${time} AND s.destination = ${payoutDestination}
       AND s.beneficiary ->> 'owner' = coalesce(p.beneficiary ->> 'owner', b.owner)
     ORDER BY s.id DESC LIMIT 1)`;
}

/** SQL of the same: the bank executed or rejected a payment to this destination, and rejected the last one. */
export const isRejectedDestination = sql<boolean>`coalesce((
  SELECT s.outcome = 'rejected' FROM bank_answers s
   WHERE s.account_id = p.account_id AND s.outcome IN ('accepted', 'rejected') AND s.destination = ${payoutDestination}
   ORDER BY s.id DESC LIMIT 1), false)`;

export interface PaymentFacts {
  id: number;
  accountId: number;
  amountEur: string;
  /** EUR, two decimals. */
  unsignedEur: string;
  isNewDestination: boolean;
  /** The bank knows the holder under a near or another name. */
  isDoubtful: boolean;
  /** Of amount, fee, destination and such a doubt. */
  version: string;
  /** Null while it is not sent. */
  moveId: number | null;
  isSigned: boolean;
}

export interface PlannedPayments {
  rows: string;
  replaced: readonly number[];
}

/**
 * The unsigned part is what a payout, earlier pending ones and payments exceed the account's signed money by; of sent
 * ones, as recorded.
 * @param planned payouts to be requested, as JSON rows with negative ids, and those that they replace
 */
export const readPayments = (
  db: Database,
  ids: readonly number[],
  planned: PlannedPayments = { rows: '[]', replaced: [] },
) => queryRows<PaymentFacts>(db)`
    WITH asked AS MATERIALIZED (
      SELECT p.id, p.account_id, p.amount_eur, d.destination,
             encode(sha256(convert_to(concat_ws(' ', p.id, p.amount_eur, p.fee_eur, encode(d.destination, 'hex'), doubt.id), 'UTF8')), 'hex') AS version,
             ${isSignedDestination} AS is_known, doubt.id IS NOT NULL AS is_doubtful, m.*
        FROM (SELECT * FROM payouts WHERE id = ANY(${ids}::bigint[])
              UNION ALL SELECT * FROM jsonb_populate_recordset(NULL::payouts, ${planned.rows}::jsonb)) p
        JOIN billing_accounts b ON b.id = p.billing_account_id
       CROSS JOIN LATERAL (SELECT ${payoutDestination} AS destination) d
        LEFT JOIN LATERAL (
          SELECT v.id AS move_id, v.unsigned_eur, v.is_new_destination, v.signed_at, v.at AS moved_at FROM payout_moves v
           WHERE v.payout_id = p.id AND (p.state = 'paid' OR p.exported_at IS NOT NULL) ORDER BY v.id DESC LIMIT 1) m ON true
        LEFT JOIN LATERAL (SELECT ${doubtfulBefore(sql`coalesce(m.moved_at, 'infinity')`)} AS id) doubt ON true
       WHERE p.id = ANY(${ids}::bigint[]) AND p.deleted_at IS NULL),
    money AS MATERIALIZED (SELECT * FROM signed_money(ARRAY(SELECT DISTINCT account_id FROM asked WHERE move_id IS NULL)))
    SELECT a.id, a.account_id, a.amount_eur, a.version, a.move_id, a.signed_at IS NOT NULL AS is_signed, a.is_doubtful,
           coalesce(a.is_new_destination, NOT a.is_known) AS is_new_destination,
           coalesce(a.unsigned_eur, least(a.amount_eur, greatest(0, ceil(100 * (
             a.amount_eur - m.eur + coalesce((
               SELECT sum(e.amount_eur) FROM payouts e
                WHERE e.account_id = a.account_id AND (e.id < a.id OR a.id < 0) AND e.state = 'pending' AND e.exported_at IS NULL
                  AND e.deleted_at IS NULL AND e.id <> ALL (${planned.replaced}::bigint[])), 0))) / 100)))::numeric(14, 2) AS unsigned_eur
      FROM asked a LEFT JOIN money m USING (account_id) ORDER BY a.id`;

/** SQL: nobody signed the unsigned part or destination of payment `v`. */
const isUnsigned = sql`v.signed_at IS NULL AND (v.unsigned_eur > 0 OR v.is_new_destination)`;
/** SQL: the same for a sent payout `p`. */
export const isSentUnsigned = sql`${isUnsigned} AND p.deleted_at IS NULL AND (p.state = 'paid' OR p.exported_at IS NOT NULL)`;

/** EUR of the house's unsigned payments: `isUnsigned` of any age, and all of 24 hours. */
export const sumUnsignedPayments = (db: Database) => querySingle<{ unsignedEur: string; recentEur: string }>(db)`
    SELECT coalesce(sum(v.amount_eur) FILTER (WHERE ${isUnsigned}), 0)::numeric(20, 2) AS unsigned_eur,
           coalesce(sum(v.amount_eur) FILTER (WHERE v.at > now() - interval '24 hours'), 0)::numeric(20, 2) AS recent_eur
      FROM payout_moves v WHERE v.signed_at IS NULL`;

/** Records payments and what their signatures cover. */
export async function insertMoves(
  trx: Trx,
  adminId: number,
  payments: readonly PaymentFacts[],
  signed: ReadonlySet<number>,
): Promise<void> {
  const ids = payments.map(({ id }) => id);
  await sql`
    INSERT INTO payout_moves (payout_id, account_id, admin_id, amount_eur, unsigned_eur, is_new_destination, destination, signed_at)
    SELECT p.id, p.account_id, ${adminId}, p.amount_eur, w.unsigned_eur, w.is_new, ${payoutDestination},
           CASE WHEN w.is_signed THEN now() END
      FROM unnest(${ids}::bigint[], ${payments.map((one) => one.unsignedEur)}::numeric[],
                  ${payments.map((one) => one.isNewDestination)}::boolean[], ${ids.map((id) => signed.has(id))}::boolean[])
             AS w (id, unsigned_eur, is_new, is_signed)
      JOIN payouts p ON p.id = w.id JOIN billing_accounts b ON b.id = p.billing_account_id ORDER BY p.id`.execute(trx);
  await coverPayments(
    trx,
    ids.filter((id) => signed.has(id)),
  );
}

/** Their signatures cover the unsigned part that signed money has not filled meanwhile. */
export async function signPayments(trx: Trx, ids: readonly number[]): Promise<void> {
  await sql`
    UPDATE payout_moves v SET signed_at = now()
     WHERE v.payout_id = ANY(${ids}::bigint[]) AND v.signed_at IS NULL
       AND v.id = (SELECT max(o.id) FROM payout_moves o WHERE o.payout_id = v.payout_id)`.execute(trx);
  await coverPayments(trx, ids);
}

async function coverPayments(trx: Trx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  // Each payment covers what the account's earlier ones leave of the deficit.
  await sql`
    WITH signed AS MATERIALIZED (
      SELECT DISTINCT ON (v.payout_id) v.payout_id, v.account_id, v.unsigned_eur, v.destination FROM payout_moves v
       WHERE v.payout_id = ANY(${ids}::bigint[]) ORDER BY v.payout_id, v.id DESC),
    deficit AS MATERIALIZED (
      SELECT account_id, greatest(0, -eur) AS eur FROM signed_money(ARRAY(SELECT DISTINCT account_id FROM signed)))
    INSERT INTO signed_parts (account_id, subject, subject_id, amount_eur, destination)
    SELECT s.account_id, 'payout', s.payout_id, greatest(0, least(s.unsigned_eur, d.eur - (
             sum(s.unsigned_eur) OVER (PARTITION BY s.account_id ORDER BY s.payout_id) - s.unsigned_eur))), s.destination
      FROM signed s JOIN deficit d USING (account_id) ORDER BY s.payout_id`.execute(trx);
}

/**
 * Signing an import covers its credits since its last signature, at most what the account holds unsigned: the rest has
 * left.
 * @param upTo the last transaction shown
 */
export async function coverImport(trx: Trx, importId: number, upTo: string): Promise<void> {
  await sql`
    WITH credited AS MATERIALIZED (
      SELECT b.account_id, sum(g.amount) AS eur
        FROM ledger_transactions t
        JOIN ledger_postings g ON g.transaction_id = t.id AND g.currency = 'EUR' AND g.amount > 0
        JOIN ledger_balances b ON b.account = g.account AND b.currency = 'EUR'
       WHERE t.import_id = ${importId} AND t.id <= ${upTo}::bigint AND t.id > coalesce((
               SELECT max(s.version::bigint) FROM signatures s
                WHERE s.subject = 'import' AND s.subject_id = ${importId} AND s.used_at < now()), 0)
       GROUP BY 1)
    INSERT INTO signed_parts (account_id, subject, subject_id, amount_eur)
    ${cappedBy(sql`credited`, 'import', importId)}`.execute(trx);
}

/** The same for one credit, EUR. */
export async function coverAdjustment(
  trx: Trx,
  accountId: number,
  proposalId: number,
  amountEur: string,
): Promise<void> {
  await sql`
    WITH credited AS (SELECT ${accountId}::bigint AS account_id, greatest(0, ${amountEur}::numeric) AS eur)
    INSERT INTO signed_parts (account_id, subject, subject_id, amount_eur)
    ${cappedBy(sql`credited`, 'adjustment', proposalId)}`.execute(trx);
}

const cappedBy = (credits: ReturnType<typeof sql>, subject: 'import' | 'adjustment', id: number) => sql`
  SELECT c.account_id, ${subject}, ${id}::bigint, least(c.eur, greatest(0,
           coalesce(b.amount, 0) + coalesce((
             SELECT sum(p.amount_eur) FROM payouts p WHERE p.account_id = c.account_id AND p.state = 'pending'
                AND p.exported_at IS NULL AND p.deleted_at IS NULL), 0) - m.eur))
    FROM ${credits} c JOIN signed_money(ARRAY(SELECT account_id FROM ${credits})) m USING (account_id)
    LEFT JOIN ledger_balances b ON b.account_id = c.account_id AND b.currency = 'EUR'
   WHERE c.eur > 0 ORDER BY c.account_id`;

export async function coverBilling(trx: Trx, billingId: number): Promise<void> {
  await sql`
    INSERT INTO signed_parts (account_id, subject, subject_id, destination)
    SELECT account_id, 'billing', id, destination_hash(type, iban, swift, email::text) FROM billing_accounts
     WHERE id = ${billingId}`.execute(trx);
}

/** EUR. */
export interface UnsignedOrigin {
  label: string;
  userId: null;
  amountEur: string;
  at: Date;
  /** Who uploaded, validated and posted, typed or returned it. */
  note: string;
}

const statementPeople = (verb: string, column: 's.created_by' | 's.checked_by') => sql`(
  SELECT ${sql.lit(verb)} || string_agg(DISTINCT ${adminName(column)}, ', ')
    FROM statement_postings sp JOIN statements s ON s.id = sp.statement_id WHERE sp.import_id = i.id)`;
/** SQL of an import `i`. */
const importLabel = sql`concat_ws(', ', i.file_name, 'rapports de ' || to_char(i.month, 'MM/YYYY'))`;
const importPeople = sql`concat_ws(', ', ${statementPeople('déposé par ', 's.created_by')}, ${statementPeople('validé par ', 's.checked_by')},
  CASE i.kind WHEN 'single' THEN 'saisi par ' WHEN 'csv' THEN 'importé par ' ELSE 'comptabilisé par ' END || ${adminName('i.created_by')})`;

/** What imports credited, by file or month, and by authors. */
export const listImportOrigins = (db: Database, ids: readonly number[]) => queryRows<UnsignedOrigin>(db)`
    SELECT label, NULL AS user_id, sum(eur)::numeric(20, 2) AS amount_eur, max(at) AS at, note
      FROM (SELECT ${importLabel} AS label, i.accounts_eur + i.referrals_eur AS eur, i.posted_at AS at, ${importPeople} AS note
              FROM imports i WHERE i.id = ANY(${ids}::bigint[])) o
     GROUP BY label, note ORDER BY 3 DESC, label`;

/**
 * Origins of unsigned payments, newest first: each account's newest uncovered credits up to its unsigned part, since
 * earlier payments took older ones. Later credits than its last request are not theirs.
 * @param unsigned EUR by account
 */
export const listUnsignedOrigins = (
  db: Database,
  unsigned: ReadonlyMap<number, string>,
  payoutIds: readonly number[],
) => queryRows<UnsignedOrigin>(db)`
    WITH origin AS (
      SELECT w.account_id, w.eur AS unsigned_eur, o.*
        FROM unnest(${[...unsigned.keys()]}::bigint[], ${[...unsigned.values()]}::numeric[]) AS w (account_id, eur)
       CROSS JOIN LATERAL (
         SELECT CASE WHEN t.import_id IS NOT NULL THEN 'import' WHEN t.payout_id IS NOT NULL THEN 'returned' ELSE 'adjustment' END AS kind,
                t.import_id, max(t.admin_id) AS admin_id, max(t.memo) AS memo, max(t.occurred_at) AS at, max(t.id) AS last_id,
                sum(g.amount) - coalesce((
                  SELECT sum(s.amount_eur) FROM signed_parts s
                   WHERE s.account_id = w.account_id AND s.subject = 'import' AND s.subject_id = t.import_id AND s.voided_at IS NULL), 0) AS eur
           FROM ledger_postings g JOIN ledger_transactions t ON t.id = g.transaction_id
          WHERE g.account = ${ledgerName.account('w.account_id')} AND g.currency = 'EUR' AND g.amount > 0
            AND t.occurred_at <= (
              SELECT max(q.created_at) FROM payouts q WHERE q.id = ANY(${payoutIds}::bigint[]) AND q.account_id = w.account_id)
            -- A cancelled, never sent payout gives back what it reserved.
            AND (t.payout_id IS NULL OR EXISTS (SELECT FROM payout_moves v WHERE v.payout_id = t.payout_id AND v.at <= t.occurred_at))
          GROUP BY 1, 2, CASE WHEN t.import_id IS NULL THEN t.id END) o
       WHERE o.eur > 0 AND NOT (o.kind = 'adjustment' AND EXISTS (
         SELECT FROM signed_parts s WHERE s.account_id = w.account_id AND s.subject = 'adjustment' AND s.at = o.at AND s.voided_at IS NULL))),
    part AS (
      SELECT *, least(eur, unsigned_eur - sum(eur) OVER (PARTITION BY account_id ORDER BY last_id DESC) + eur) AS part FROM origin)
    SELECT CASE p.kind WHEN 'import' THEN ${importLabel} WHEN 'returned' THEN 'Paiement rejeté ou annulé'
                       ELSE concat_ws(', ', 'Régularisation', p.memo) END AS label,
           NULL AS user_id, sum(p.part)::numeric(20, 2) AS amount_eur, max(p.at) AS at,
           CASE p.kind WHEN 'import' THEN ${importPeople} ELSE coalesce('saisi par ' || ${adminName('p.admin_id')}, '') END AS note
      FROM part p LEFT JOIN imports i ON i.id = p.import_id
     WHERE p.part > 0 GROUP BY p.kind, i.id, p.memo, p.admin_id HAVING sum(p.part) >= 0.005
     ORDER BY max(p.last_id) DESC`;
