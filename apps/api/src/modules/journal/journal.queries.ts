import { sql } from 'kysely';
import type { Database, Trx } from '#src/lib/db.ts';
import { countUpTo, cutPage, keyset } from '#src/lib/keyset.ts';
import { hasWords } from '#src/lib/text-search.ts';

export interface JournalQuery {
  limit: number;
  cursor?: string | undefined;
  q?: string | undefined;
  sort: 'at';
  order: 'asc' | 'desc';
  action?: string | undefined;
  entity?: string | undefined;
  entityId?: string | undefined;
  admin?: number | undefined;
  from?: number | undefined;
  to?: number | undefined;
  mark?: 'alerts' | 'unchecked' | undefined;
}

interface JournalRow {
  id: number;
  cursorValue: string;
  at: Date;
  adminId: number | null;
  firstName: string | null;
  lastName: string | null;
  action: string;
  entity: string;
  entityId: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  requestId: string | null;
  address: string | null;
  agent: string | null;
}

export async function listJournal(db: Database | Trx, query: JournalQuery) {
  // Ids grow with time, and unlike times they never tie.
  const page = keyset(query, { at: { expression: sql`l.id`, type: 'bigint' } }, sql`l.id`);
  const conditions = [sql`true`];
  if (query.action) conditions.push(sql`l.action = ${query.action}`);
  if (query.entity) conditions.push(sql`l.entity = ${query.entity}`);
  if (query.entityId) conditions.push(sql`l.entity_id = ${query.entityId}`);
  if (query.admin !== undefined) conditions.push(sql`l.admin_id = ${query.admin}`);
  if (query.from !== undefined) conditions.push(sql`l.at >= to_timestamp(${query.from}::numeric / 1000)`);
  if (query.to !== undefined) conditions.push(sql`l.at < to_timestamp((${query.to}::numeric + 1) / 1000)`);
  if (query.mark === 'alerts') conditions.push(sql`l.after ? 'alert'`);
  if (query.mark === 'unchecked') conditions.push(sql`l.after ? 'unchecked'`);
  if (query.q) {
    const text = sql`fold(concat_ws(' ', l.action, l.entity, l.entity_id, a.first_name, a.last_name))`;
    conditions.push(hasWords(text, query.q));
  }
  const from = sql`FROM audit_log l LEFT JOIN admins a ON a.id = l.admin_id WHERE ${sql.join(conditions, sql` AND `)}`;
  const { rows } = await sql<JournalRow>`
    SELECT l.id, l.id::text AS cursor_value, l.at, l.admin_id, a.first_name, a.last_name, l.action, l.entity,
      l.entity_id, l.before, l.after, l.request_id, l.address, l.agent
    ${from} AND ${page.after} ORDER BY ${page.orderBy} LIMIT ${page.limit + 1}`.execute(db);
  return { ...cutPage(rows, page), ...(await countUpTo(db, from)) };
}
