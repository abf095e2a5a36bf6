import type { Trx } from './db.ts';

export interface AuditEntry {
  /** `entity.verb`, for example `admin.edit`. */
  action: `${string}.${string}`;
  entity: string;
  entityId: string | number | null;
  before?: Record<string, unknown> | null;
  after?: Record<string, unknown> | null;
}

/** Who acts, in a request or a job; `adminId` null is the system itself. */
export interface Actor {
  adminId: number | null;
  requestId: string | null;
  /** Of a request: where it came from, and the User-Agent it named. */
  address?: string | null;
  agent?: string | null;
}

/** Writes the journal in the transaction of the change it tells of (decisions §5). */
export async function writeAudit(trx: Trx, actor: Actor, entry: AuditEntry): Promise<void> {
  await writeAudits(trx, actor, [entry]);
}

/** At most 65 535 parameters go with a statement. */
const rowsPerStatement = 5000;

/** The same for a change of many records. */
export async function writeAudits(trx: Trx, actor: Actor, entries: readonly AuditEntry[]): Promise<void> {
  for (let from = 0; from < entries.length; from += rowsPerStatement) {
    await trx
      .insertInto('auditLog')
      .values(
        entries.slice(from, from + rowsPerStatement).map((entry) => ({
          adminId: actor.adminId,
          action: entry.action,
          entity: entry.entity,
          entityId: entry.entityId === null ? null : String(entry.entityId),
          before: entry.before ? JSON.stringify(entry.before) : null,
          after: entry.after ? JSON.stringify(entry.after) : null,
          requestId: actor.requestId,
          address: actor.address ?? null,
          agent: actor.agent ?? null,
        })),
      )
      .execute();
  }
}

/** The parts of two records that differ, for the journal. */
export function changesBetween(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): { before: Record<string, unknown>; after: Record<string, unknown> } | undefined {
  const changed = Object.keys(after).filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
  if (changed.length === 0) return undefined;
  const pick = (record: Record<string, unknown>) => Object.fromEntries(changed.map((key) => [key, record[key]]));
  return { before: pick(before), after: pick(after) };
}
