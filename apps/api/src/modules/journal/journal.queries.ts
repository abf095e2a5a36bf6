import { type AuditAction, type AuditEntity, signInActions } from '@regie/contract/audit.ts';
import { type RawBuilder, sql } from 'kysely';
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
  signIns?: 'with' | 'only' | undefined;
}

export interface JournalRow {
  id: number;
  cursorValue: string;
  at: Date;
  adminId: number | null;
  firstName: string | null;
  lastName: string | null;
  action: AuditAction;
  entity: AuditEntity;
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
  const isSignIn = sql`l.action = ANY (${signInActions})`;
  if (query.action) conditions.push(sql`l.action = ${query.action}`);
  else if (query.signIns === 'only') conditions.push(isSignIn);
  else if (query.signIns === undefined) conditions.push(sql`NOT ${isSignIn}`);
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

export interface FoundRecord {
  kind: AuditEntity;
  id: string;
  name: string | null;
  isGone: boolean;
  ownerId: number | null;
  place: string | null;
}

const accountName = sql`coalesce(nullif(btrim(a.first_name || ' ' || a.last_name), ''), a.company)`;

/** The rows of a kind as `id, name, is_gone, owner_id, place`; kinds without a table name themselves. */
const tables: Partial<Record<AuditEntity, RawBuilder<unknown>>> = {
  admin: sql`SELECT id, first_name || ' ' || last_name, deleted_at IS NOT NULL, NULL::bigint, NULL FROM admins`,
  invitation: sql`
    SELECT id, email::text, used_at IS NOT NULL OR withdrawn_at IS NOT NULL OR expires_at < now(), NULL::bigint, NULL
      FROM invitations`,
  account: sql`SELECT a.id, ${accountName}, false, NULL::bigint, NULL FROM accounts a`,
  referral: sql`
    SELECT r.id, ${accountName} || ' → ' || (SELECT ${accountName} FROM accounts a WHERE a.id = r.referred_id), false,
           r.referrer_id, NULL
      FROM referrals r JOIN accounts a ON a.id = r.referrer_id`,
  billing_account: sql`
    SELECT id, concat_ws(', ', owner, coalesce(bank_name, email)), deleted_at IS NOT NULL, NULL::bigint, type
      FROM billing_accounts`,
  release: sql`SELECT id, title, deleted_at IS NOT NULL, NULL::bigint, NULL FROM releases`,
  track: sql`
    SELECT t.id, t.title, t.deleted_at IS NOT NULL OR r.deleted_at IS NOT NULL, t.release_id, NULL
      FROM tracks t JOIN releases r ON r.id = t.release_id`,
  artist: sql`SELECT id, full_name, false, NULL::bigint, NULL FROM people`,
  order: sql`
    SELECT o.id, ${accountName}, false, NULL::bigint, NULL FROM orders o JOIN accounts a ON a.id = o.account_id`,
  payout: sql`
    SELECT p.id, ${accountName}, p.deleted_at IS NOT NULL, NULL::bigint, NULL
      FROM payouts p JOIN accounts a ON a.id = p.account_id`,
  payout_batch: sql`SELECT id, message_id, false, NULL::bigint, NULL FROM payout_batches`,
  import: sql`SELECT id, file_name, false, NULL::bigint, NULL FROM imports`,
  report: sql`
    SELECT p.id, coalesce((SELECT t.title FROM tracks t WHERE t.id = p.track_id), ${accountName}),
           p.reversed_at IS NOT NULL, NULL::bigint, NULL
      FROM reports p JOIN accounts a ON a.id = p.account_id`,
  statement: sql`SELECT id, file_name, false, NULL::bigint, NULL FROM statements`,
  smartlink: sql`
    SELECT s.id, r.title, false, NULL::bigint, NULL FROM smartlinks s JOIN releases r ON r.id = s.release_id`,
  promo_code: sql`SELECT id, name::text, deleted_at IS NOT NULL, NULL::bigint, NULL FROM promo_codes`,
  ticket: sql`SELECT id, title, false, NULL::bigint, status FROM tickets`,
  contract: sql`SELECT id, title, deleted_at IS NOT NULL, account_id, NULL FROM custom_contracts`,
  code_edit: sql`SELECT id, file_name, false, NULL::bigint, NULL FROM code_edits`,
};

/** What the records are called, each kind in one part of one statement. */
export async function findRecords(
  db: Database | Trx,
  wanted: ReadonlyMap<AuditEntity, ReadonlySet<string>>,
): Promise<FoundRecord[]> {
  const parts: RawBuilder<unknown>[] = [];
  for (const [kind, ids] of wanted) {
    if (kind === 'income_item') {
      parts.push(sql`
        SELECT ${kind}::text, i.key, coalesce(nullif(i.title, ''), i.key), i.track_id IS NULL AND i.unmatched IS NULL, t.release_id,
               CASE WHEN i.alias_track_id IS NOT NULL THEN 'aliases' WHEN i.unmatched IS NOT NULL THEN 'inbox' END
          FROM income_items i LEFT JOIN tracks t ON t.id = i.track_id WHERE i.key = ANY (${[...ids]})`);
    }
    const table = tables[kind];
    const numbers = [...ids].filter((id) => /^\d{1,18}$/.test(id));
    if (table === undefined || numbers.length === 0) continue;
    parts.push(sql`
      SELECT ${kind}::text, x.id::text, x.name, x.is_gone, x.owner_id, x.place
        FROM (${table}) AS x (id, name, is_gone, owner_id, place) WHERE x.id = ANY (${numbers}::bigint[])`);
  }
  if (parts.length === 0) return [];
  const { rows } = await sql<FoundRecord>`
    SELECT * FROM (${sql.join(parts, sql` UNION ALL `)}) AS r (kind, id, name, is_gone, owner_id, place)`.execute(db);
  return rows;
}
