import type { Capability } from '@regie/contract/capabilities.ts';
import { type RawBuilder, sql } from 'kysely';
import { isAction } from '#src/lib/audit.ts';
import { type Database, exists, queryColumn, queryRows, type Trx } from '#src/lib/db.ts';

const monthsInSession = 12;

/** The last months that have reports (days `YYYY-MM-01`), newest first: one index probe per month. */
export function listLastReportMonths(db: Database | Trx): Promise<string[]> {
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

export const hasPendingInvoice = (db: Database | Trx) => exists(db)`SELECT FROM orders WHERE status = 'pending'`;

/** The admin of a valid reset link. */
export function findValidReset(db: Database | Trx, tokenHash: Buffer): Promise<{ adminId: number } | undefined> {
  return db
    .selectFrom('passwordResets as r')
    .innerJoin('admins as a', 'a.id', 'r.adminId')
    .select('r.adminId')
    .where('r.tokenHash', '=', tokenHash)
    .where('r.usedAt', 'is', null)
    .where('r.expiresAt', '>', sql<Date>`now()`)
    .where('a.deletedAt', 'is', null)
    .executeTakeFirst();
}

/** Uses up a reset link; of several concurrent calls exactly one gets the row. */
export function useReset(trx: Trx, tokenHash: Buffer): Promise<{ adminId: number } | undefined> {
  return trx
    .updateTable('passwordResets')
    .set({ usedAt: sql<Date>`now()` })
    .where('tokenHash', '=', tokenHash)
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', sql<Date>`now()`)
    .returning('adminId')
    .executeTakeFirst();
}

export function findValidInvitation(db: Database | Trx, tokenHash: Buffer) {
  return db
    .selectFrom('invitations')
    .select(['id', 'email', 'invitedBy'])
    .select(sql<Capability[]>`capabilities`.as('capabilities'))
    .where('tokenHash', '=', tokenHash)
    .where('usedAt', 'is', null)
    .where('withdrawnAt', 'is', null)
    .where('expiresAt', '>', sql<Date>`now()`)
    .executeTakeFirst();
}

/** Uses up an invitation; of several concurrent calls exactly one gets true. */
export async function useInvitation(trx: Trx, id: number): Promise<boolean> {
  const used = await trx
    .updateTable('invitations')
    .set({ usedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .where('usedAt', 'is', null)
    .where('withdrawnAt', 'is', null)
    .where('expiresAt', '>', sql<Date>`now()`)
    .returning('id')
    .executeTakeFirst();
  return used !== undefined;
}

const devicesConsidered = 500;

/** The devices of an admin's past sign-ins, from the journal. */
export function findSignInDevices(db: Database | Trx, adminId: number) {
  return queryRows<{ device: string | null; address: string | null }>(db)`
    SELECT after->>'device' AS device, after->>'address' AS address FROM audit_log
     WHERE entity = 'admin' AND entity_id = ${String(adminId)} AND ${isAction('auth.signin')}
     ORDER BY id DESC LIMIT ${sql.lit(devicesConsidered)}`;
}
