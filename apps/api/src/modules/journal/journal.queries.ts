import { type AuditAction, type AuditEntity, signInActions } from '@regie/contract/audit.ts';
import { auditActionNames, auditEntityNames } from '@regie/contract/audit-names.ts';
import { hasWords as isInWords } from '@regie/contract/words.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Database, Trx } from '#src/lib/db.ts';
import { countUpTo, cutPage, keyset } from '#src/lib/keyset.ts';
import { accountsWith, hasEachWord, hasWords } from '#src/lib/text-search.ts';
import { releasesWith } from '#src/lib/word-search.ts';

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

/** Fields in which an entry stores its record's name. */
export const nameFields = ['title', 'name', 'fullname', 'fileName', 'file', 'messageId', 'email'] as const;
const keptNames = (state: RawBuilder<unknown>) =>
  sql.join(
    ['fname', 'lname', ...nameFields].map((field) => sql`${state} ->> ${sql.lit(field)}`),
    sql`, `,
  );

/** The codes whose label or stored form contains a word. */
const codesOf = (names: Readonly<Record<string, string>>, word: string) =>
  Object.entries(names).flatMap(([code, name]) => (isInWords(`${name} ${code}`, word) ? [code] : []));

/**
 * Whether an entry contains the word in its displayed text, or its record's name does, for kinds with few records or an
 * index on names. Look-ups outside the entry run once for all entries.
 */
const hasWord = (word: string) => {
  const own = sql`
    l.action = ANY (${codesOf(auditActionNames, word)}) OR l.entity = ANY (${codesOf(auditEntityNames, word)})
    OR l.admin_id IN (SELECT id FROM admins WHERE ${hasWords(sql`fold(first_name || ' ' || last_name)`, word)})
    OR ${hasWords(sql`lower(concat('n° ', CASE l.entity WHEN 'payout' THEN 'v-' || lpad(l.entity_id, 6, '0') ELSE l.entity_id END))`, word)}
    OR ${hasWords(sql`fold(concat_ws(' ', ${keptNames(sql`l.before`)}, ${keptNames(sql`l.after`)}))`, word)}`;
  if (word.length < 3) return own;
  return sql`${own} OR (l.entity, l.entity_id) IN (
    SELECT 'account', x.id::text FROM accounts x WHERE ${hasWords(sql`x.search`, word)}
    UNION ALL SELECT 'payout', p.id::text FROM payouts p WHERE p.account_id IN ${accountsWith(word)}
    UNION ALL SELECT 'order', o.id::text FROM orders o WHERE o.account_id IN ${accountsWith(word)}
    UNION ALL SELECT 'release', r.id::text FROM releases r WHERE r.id IN ${releasesWith(word)}
    UNION ALL SELECT 'track', t.id::text FROM tracks t WHERE ${hasWords(sql`t.search`, word)}
    UNION ALL SELECT 'artist', p.id::text FROM people p WHERE ${hasWords(sql`p.search`, word)}
    UNION ALL SELECT 'ticket', k.id::text FROM tickets k WHERE ${hasWords(sql`k.search`, word)}
    UNION ALL SELECT 'import', i.id::text FROM imports i WHERE ${hasWords(sql`fold(i.file_name)`, word)}
    UNION ALL SELECT 'statement', s.id::text FROM statements s WHERE ${hasWords(sql`fold(s.file_name)`, word)})`;
};

export async function listJournal(db: Database | Trx, query: JournalQuery) {
  // Sorting by time uses ids, which grow with time and are unique.
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
  if (query.q) conditions.push(hasEachWord(query.q, hasWord));
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

/** Records of a kind as `id, name, is_gone, owner_id, place`; kinds without a table use the stored name. */
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
    SELECT s.id, r.title, r.deleted_at IS NOT NULL, NULL::bigint, NULL FROM smartlinks s JOIN releases r ON r.id = s.release_id`,
  promo_code: sql`SELECT id, name::text, deleted_at IS NOT NULL, NULL::bigint, NULL FROM promo_codes`,
  ticket: sql`SELECT id, title, false, NULL::bigint, status FROM tickets`,
  contract: sql`SELECT id, title, deleted_at IS NOT NULL, account_id, NULL FROM custom_contracts`,
  code_edit: sql`SELECT id, file_name, false, NULL::bigint, NULL FROM code_edits`,
};

/** The names of records, one subquery per kind in one statement. */
export async function findRecords(
  db: Database | Trx,
  wanted: ReadonlyMap<AuditEntity, ReadonlySet<string>>,
): Promise<FoundRecord[]> {
  const parts: RawBuilder<unknown>[] = [];
  for (const [kind, ids] of wanted) {
    if (kind === 'income_item') {
      parts.push(sql`
        SELECT ${kind}::text, i.key, coalesce(nullif(i.title, ''), i.key), i.track_id IS NULL AND i.unmatched IS NULL, r.id,
               CASE WHEN i.alias_track_id IS NOT NULL THEN 'aliases' WHEN i.unmatched IS NOT NULL THEN 'inbox' END
          FROM income_items i LEFT JOIN tracks t ON t.id = i.track_id AND t.deleted_at IS NULL
          LEFT JOIN releases r ON r.id = t.release_id AND r.deleted_at IS NULL WHERE i.key = ANY (${[...ids]})`);
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
