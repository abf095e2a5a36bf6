import { type AuditAction, auditActions } from '@regie/contract/audit.ts';
import type { AlertKind } from '@regie/contract/entities/common.ts';
import { withoutLinks } from '@regie/contract/letters.ts';
import { sql } from 'kysely';
import { queryColumn, queryRows, type Trx } from './db.ts';
import { enqueue } from './jobs.ts';

export interface AuditEntry {
  action: AuditAction;
  entityId: string | number | null;
  before?: Record<string, unknown> | null;
  after?: Record<string, unknown> | null;
  /** Marks the entry as an alert; with a French text it is mailed to the journal's readers. */
  alert?: { kind: AlertKind; text?: string } | undefined;
}

/** The author of a change in a request or a job; `adminId` null is the system. */
export interface Actor {
  adminId: number | null;
  requestId: string | null;
  /** For requests: the client's address and User-Agent. */
  address?: string | null;
  agent?: string | null;
}

/** What no person does: a job, or a command on the server. */
export const system: Actor = { adminId: null, requestId: null };

/** In the transaction of the change (product §35.2). */
export const writeAudit = async (trx: Trx, actor: Actor, entry: AuditEntry): Promise<void> =>
  void (await writeAudits(trx, actor, [entry]));

/** A statement can have at most 65 535 parameters. */
const rowsPerStatement = 5000;

/** The same for many records. @returns the entries' ids */
export async function writeAudits(trx: Trx, actor: Actor, entries: readonly AuditEntry[]): Promise<number[]> {
  const ids: number[] = [];
  for (let from = 0; from < entries.length; from += rowsPerStatement) {
    const rows = await trx
      .insertInto('auditLog')
      .values(
        entries.slice(from, from + rowsPerStatement).map((entry) => ({
          adminId: actor.adminId,
          action: entry.action,
          entity: auditActions[entry.action],
          entityId: entry.entityId === null ? null : String(entry.entityId),
          before: entry.before ? JSON.stringify(entry.before) : null,
          after: entry.after || entry.alert ? JSON.stringify({ ...entry.after, ...alertOf(entry) }) : null,
          requestId: actor.requestId,
          address: actor.address ?? null,
          agent: actor.agent ?? null,
        })),
      )
      .returning('id')
      .execute();
    ids.push(...rows.map(({ id }) => id));
  }
  for (const { alert } of entries) if (alert?.text !== undefined) await mailAlert(trx, actor, alert.text);
  return ids;
}

const alertOf = ({ alert }: AuditEntry) => (alert ? { alert: alert.kind } : {});

const paris = { dateStyle: 'long', timeStyle: 'short', timeZone: 'Europe/Paris' } as const;
export const parisTime = new Intl.DateTimeFormat('fr-FR', paris);

async function mailAlert(trx: Trx, { adminId }: Actor, text: string): Promise<void> {
  const rows = await queryRows<{ email: string; actor: string | null }>(trx)`
    SELECT a.email::text AS email, (SELECT first_name || ' ' || last_name FROM admins WHERE id = ${adminId}::bigint) AS actor
      FROM admins a JOIN admin_capabilities c ON c.admin_id = a.id AND c.capability = 'read_audit'
     WHERE a.deleted_at IS NULL ORDER BY a.id`;
  for (const { email, actor } of rows) {
    await enqueue(trx, 'send_mail', {
      to: email,
      subject: 'Alerte de Régie',
      text: `${withoutLinks(text)}\n\n${actor === null ? '' : `Par ${withoutLinks(actor)}, `}${parisTime.format(new Date())}. Le détail est au journal.\n`,
    });
  }
}

export async function notifyStaff(trx: Trx, letter: { subject: string; text: string }): Promise<void> {
  const emails = await queryColumn<string>(trx)`
    SELECT a.email::text FROM admins a
     WHERE a.deleted_at IS NULL AND EXISTS (
       SELECT FROM admin_capabilities c WHERE c.admin_id = a.id AND c.capability IN ('edit_admins', 'read_audit'))
     ORDER BY a.id`;
  for (const to of emails) await enqueue(trx, 'send_mail', { to, ...letter });
}

/** Signatures between 22:00 and 06:00 in Paris are unusual. */
export function nightAlert(text: string, now = new Date()): AuditEntry['alert'] {
  const hour = Number(new Intl.DateTimeFormat('en-GB', { hour: '2-digit', timeZone: 'Europe/Paris' }).format(now));
  return hour >= 22 || hour < 6 ? { kind: 'night', text } : undefined;
}

export const adminName = (column: string) =>
  sql<string | null>`(SELECT x.first_name || ' ' || x.last_name FROM admins x WHERE x.id = ${sql.ref(column)})`;

/** For queries of `audit_log`. */
export const isAction = (...actions: AuditAction[]) =>
  sql<boolean>`action IN (${sql.join(actions.map((action) => sql.lit(action)))})`;

/** The differences between two records, for the journal. Undefined values in `after` are unchanged. */
export function changesBetween(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): { before: Record<string, unknown>; after: Record<string, unknown> } | undefined {
  const changed = Object.keys(after).filter(
    (key) => after[key] !== undefined && JSON.stringify(before[key]) !== JSON.stringify(after[key]),
  );
  if (changed.length === 0) return undefined;
  const pick = (record: Record<string, unknown>) => Object.fromEntries(changed.map((key) => [key, record[key]]));
  return { before: pick(before), after: pick(after) };
}
