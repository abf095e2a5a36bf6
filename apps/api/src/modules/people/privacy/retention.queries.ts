import type { AuditEntity } from '@regie/contract/audit.ts';
import { sql } from 'kysely';
import { type Database, queryColumn, queryRows, queryValue, type Trx } from '#src/lib/db.ts';

const monthsAgo = (months: number) => sql`now() - make_interval(months => ${months}::integer)`;
const daysAgo = (days: number) => sql`now() - make_interval(days => ${days}::integer)`;
const perNight = 1000;

const parts = {
  acts: sql`true`,
  'sign-ins': sql`starts_with(l.action, 'auth.')`,
  letters: sql`l.entity = 'mail'`,
  // Not those of present admins and others not erased.
  invitations: sql`l.entity = 'invitation' AND NOT EXISTS (
    SELECT FROM admins a WHERE a.erased_at IS NULL
       AND lower(a.email::text) IN (lower(l.after ->> 'email'), lower(l.before ->> 'email')))`,
};

/** They still hold one of these fields, or an origin. */
export const listOldEntries = (
  trx: Trx,
  part: keyof typeof parts,
  fields: readonly string[],
  months: number,
  limit: number,
) => queryColumn<number>(trx)`
    SELECT l.id FROM audit_log l
     WHERE l.at < ${monthsAgo(months)} AND ${parts[part]}
       AND (num_nonnulls(l.address, l.agent) > 0 OR redacted_state(l.before, ${fields}::text[]) IS DISTINCT FROM l.before
            OR redacted_state(l.after, ${fields}::text[]) IS DISTINCT FROM l.after)
     ORDER BY l.id LIMIT ${limit}`;

export const listEntriesOf = (trx: Trx, entity: AuditEntity, ids: readonly number[]) => queryColumn<number>(trx)`
    SELECT id FROM audit_log WHERE entity = ${entity} AND entity_id = ANY (${ids.map(String)}::text[])`;

export const listLongGoneAdmins = (db: Database, months: number) => queryRows<{ id: number }>(db)`
    SELECT id FROM admins WHERE deleted_at < ${monthsAgo(months)} AND erased_at IS NULL
     ORDER BY id LIMIT ${sql.lit(perNight)}`;

/** Disabled, without live release, change or movement since. */
export const listClosedAccounts = (db: Database, months: number) => queryRows<{ id: number }>(db)`
    SELECT a.id FROM accounts a
     WHERE a.state = 'disabled' AND a.erased_at IS NULL AND a.updated_at < ${monthsAgo(months)}
       AND NOT EXISTS (SELECT FROM releases r WHERE r.account_id = a.id AND r.deleted_at IS NULL)
       AND NOT EXISTS (SELECT FROM ledger_balances b WHERE b.account_id = a.id AND abs(b.amount) >= 0.01)
       AND NOT EXISTS (SELECT FROM ledger_postings p
                        WHERE p.account IN (SELECT b.account FROM ledger_balances b WHERE b.account_id = a.id)
                          AND p.occurred_at >= ${monthsAgo(months)})
     ORDER BY a.id LIMIT ${sql.lit(perNight)}`;

export const deleteClosedTickets = (trx: Trx, months: number) => queryColumn<number>(trx)`
    DELETE FROM tickets WHERE status = 'closed' AND updated_at < ${monthsAgo(months)} RETURNING id`;

/** Replaces what erased accounts kept for a term that is over. @returns how many rows changed */
export async function endTerm(
  trx: Trx,
  {
    table,
    ofAccount,
    dated,
    columns,
    months,
  }: {
    table: string;
    /** SQL: the rows of account `$id`. */
    ofAccount: string;
    dated: string | undefined;
    columns: readonly { column: string; put: string }[];
    months: number;
  },
): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE ${sql.raw(table)} t SET ${sql.raw(columns.map(({ column, put }) => `${column} = ${put}`).join(', '))}
      FROM accounts a
     WHERE ${sql.raw(ofAccount.replaceAll('$id', 'a.id'))} AND a.erased_at IS NOT NULL AND ${sql.raw(dated ?? 'a.erased_at')} < ${monthsAgo(months)}
       AND (${sql.raw(columns.map(({ column, put }) => `t.${column} IS DISTINCT FROM (${put})`).join(' OR '))})`.execute(
    trx,
  );
  return Number(numAffectedRows ?? 0);
}

/** To the bin; lines and sums stay. */
export async function binStatementFiles(db: Database, months: number): Promise<number> {
  const { numAffectedRows } = await sql`
    WITH old AS (
      UPDATE statements SET file_id = NULL FROM (
        SELECT id, file_id AS former FROM statements WHERE created_at < ${monthsAgo(months)} AND file_id IS NOT NULL) s
       WHERE statements.id = s.id RETURNING s.former)
    UPDATE files SET binned_at = now() WHERE id IN (SELECT former FROM old) AND binned_at IS NULL`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** Their job still holds address and text. */
export const deleteFailedLetters = (db: Database, days: number) => queryValue<number>(db)`
    SELECT count(*) AS count FROM graphile_worker.complete_jobs((
      SELECT array_agg(id) FROM graphile_worker.jobs
       WHERE task_identifier IN ('send_mail', 'send_password_reset', 'send_invitation', 'send_factor_code')
         AND attempts >= max_attempts AND locked_at IS NULL AND created_at < ${daysAgo(days)}))`;
