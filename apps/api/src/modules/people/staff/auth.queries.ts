import type { Capability } from '@regie/contract/capabilities.ts';
import { type RawBuilder, sql } from 'kysely';
import { isAction } from '#src/lib/audit.ts';
import { type Database, exists, queryColumn, queryRow, queryRows, type Trx } from '#src/lib/db.ts';

const monthsInSession = 12;

/** Months with reports (`YYYY-MM-01`), newest first: one index probe each. */
export function listLastReportMonths(db: Database): Promise<string[]> {
  const latest = (before: RawBuilder<unknown>) =>
    sql`SELECT max(r.month) FROM reports r WHERE r.reversed_at IS NULL AND ${before}`;
  return queryColumn<string>(db)`
    WITH RECURSIVE months AS (
      SELECT (${latest(sql`true`)}) AS month, 1 AS n
      UNION ALL
      SELECT (${latest(sql`r.month < months.month`)}), n + 1 FROM months
      WHERE months.month IS NOT NULL AND n < ${sql.lit(monthsInSession)}
    )
    SELECT month FROM months WHERE month IS NOT NULL ORDER BY month DESC`;
}

export const hasPendingInvoice = (db: Database) => exists(db)`SELECT FROM orders WHERE status = 'pending'`;

export const findValidReset = (db: Database, tokenHash: Buffer) => queryRow<{ adminId: number }>(db)`
    SELECT r.admin_id FROM password_resets r JOIN admins a ON a.id = r.admin_id
     WHERE r.token_hash = ${tokenHash} AND r.used_at IS NULL AND r.expires_at > now() AND a.deleted_at IS NULL`;

/** Of concurrent calls exactly one gets the row. */
export const useReset = (trx: Trx, tokenHash: Buffer) => queryRow<{ adminId: number }>(trx)`
    UPDATE password_resets SET used_at = now()
     WHERE token_hash = ${tokenHash} AND used_at IS NULL AND expires_at > now() RETURNING admin_id`;

export function findValidInvitation(db: Database, tokenHash: Buffer) {
  return queryRow<{ id: number; email: string; invitedBy: number; capabilities: Capability[] }>(db)`
    SELECT id, email, invited_by, capabilities FROM invitations
     WHERE token_hash = ${tokenHash} AND used_at IS NULL AND withdrawn_at IS NULL AND expires_at > now()`;
}

/** Of concurrent calls exactly one gets true. */
export async function useInvitation(trx: Trx, id: number): Promise<boolean> {
  const used = await queryRow(trx)`
    UPDATE invitations SET used_at = now()
     WHERE id = ${id} AND used_at IS NULL AND withdrawn_at IS NULL AND expires_at > now() RETURNING id`;
  return used !== undefined;
}

const devicesConsidered = 500;

/** From the journal. */
export function findSignInDevices(db: Database, adminId: number) {
  return queryRows<{ device: string | null; address: string | null }>(db)`
    SELECT after->>'device' AS device, after->>'address' AS address FROM audit_log
     WHERE entity = 'admin' AND entity_id = ${String(adminId)} AND ${isAction('auth.signin')}
     ORDER BY id DESC LIMIT ${sql.lit(devicesConsidered)}`;
}
