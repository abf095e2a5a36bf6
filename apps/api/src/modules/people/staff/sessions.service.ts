import { sql } from 'kysely';
import { isAction, writeAudit } from '#src/lib/audit.ts';
import { type Database, queryRow, queryRows, type Trx } from '#src/lib/db.ts';
import { describeDevice } from '#src/lib/device.ts';
import { notFound } from '#src/lib/errors.ts';
import { type Caller, sessionOf } from '#src/lib/route.ts';
import { closeSessionsOf, isSessionOpen } from '#src/lib/session.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import { networkOf } from './auth.throttle.ts';

const maxSessions = 100;
const maxSignIns = 20;

interface SessionRow {
  id: number;
  device: string | null;
  address: string | null;
  createdAt: Date;
  lastSeenAt: Date;
}

interface SignInRow {
  at: Date;
  device: string | null;
  address: string | null;
  /** A refused factor has no other columns. */
  from: string | null;
  agent: string | null;
  result: 'signed_in' | 'wrong_password' | 'wrong_factor' | 'provider_refused';
}

/** Newest first. */
export async function describeSessions(db: Database, caller: Caller) {
  const { id, adminId } = sessionOf(caller);
  const open = await queryRows<SessionRow>(db)`
    SELECT s.id, s.device, s.address, s.created_at, s.last_seen_at FROM sessions s
     WHERE s.admin_id = ${adminId} AND ${isSessionOpen} ORDER BY s.last_seen_at DESC, s.id DESC LIMIT ${sql.lit(maxSessions)}`;
  const signIns = await queryRows<SignInRow>(db)`
    SELECT at, after->>'device' AS device, after->>'address' AS address, address AS "from", agent,
           CASE WHEN ${isAction('auth.signin')} THEN 'signed_in' WHEN after ? 'provider' THEN 'provider_refused'
                WHEN ${isAction('auth.signin_failed')} THEN 'wrong_password'
                       ELSE 'wrong_factor' END AS result
      FROM audit_log
     WHERE entity = 'admin' AND entity_id = ${String(adminId)}
       AND ${isAction('auth.signin', 'auth.signin_failed', 'auth.factor_failed')}
     ORDER BY id DESC LIMIT ${sql.lit(maxSignIns)}`;
  return {
    sessions: open.map((row) => ({ ...toWireRow(row), isCurrent: row.id === id })),
    signIns: signIns.map(({ device, address, from, agent, ...row }) => ({
      ...toWireRow(row),
      device: device ?? (agent && describeDevice(agent)),
      address: address ?? (from && networkOf(from)),
    })),
  };
}

export async function endSession(trx: Trx, caller: Caller, id: number): Promise<void> {
  const { adminId } = sessionOf(caller);
  const ended = await queryRow<{ device: string | null; address: string | null }>(trx)`
    DELETE FROM sessions WHERE id = ${id} AND admin_id = ${adminId} RETURNING device, address`;
  if (!ended) throw notFound();
  await writeAudit(trx, caller, { action: 'auth.end_session', entityId: adminId, before: ended });
}

export async function endOtherSessions(trx: Trx, caller: Caller): Promise<void> {
  const { id, adminId } = sessionOf(caller);
  await closeSessionsOf(trx, adminId, id);
  await writeAudit(trx, caller, { action: 'auth.end_sessions', entityId: adminId });
}
