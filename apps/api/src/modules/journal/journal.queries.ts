import {
  AuditAction,
  AuditEntity,
  type accountEntities,
  auditActionNames,
  auditEntityNames,
  signInActions,
} from '@regie/contract/audit.ts';
import { type AuditField, allTerritoriesName, auditFields, findAuditField } from '@regie/contract/audit-fields.ts';
import { capabilities } from '@regie/contract/capabilities.ts';
import { allTerritories, deliveryPlatforms } from '@regie/contract/orders.ts';
import { systemName } from '@regie/contract/state-names.ts';
import { countryCodes, countryName } from '@regie/values/countries.ts';
import { fold, hasWords as isInWords, searchWords } from '@regie/values/search-text.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Database, Trx } from '#src/lib/db.ts';
import { capCount, countUpTo, cutPage, keyset, type ListQuery } from '#src/lib/keyset.ts';
import { accountsWith, hasWords } from '#src/lib/text-search.ts';
import { releasesWith } from '#src/lib/word-search.ts';

export interface JournalQuery extends ListQuery<'at'> {
  action?: string | undefined;
  entity?: string | undefined;
  entityId?: string | undefined;
  account?: number | undefined;
  admin?: number | undefined;
  from?: number | undefined;
  to?: number | undefined;
  mark?: 'alerts' | undefined;
  signIns?: 'with' | 'only' | undefined;
}

export interface JournalRow {
  id: number;
  cursorValue: string;
  at: Date;
  adminId: number | null;
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

/** Whether a shown text contains a word; words of one or two characters match at the start of words only. */
const isShownIn = (text: string, word: string) =>
  word.length > 2 ? isInWords(text, word) : ` ${fold(text)}`.includes(` ${fold(word)}`);

/** The codes whose label or stored form contains a word. */
const codesOf = (names: Readonly<Record<string, string>>, word: string) =>
  Object.entries(names).flatMap(([code, name]) => (isShownIn(`${name} ${code}`, word) ? [code] : []));

/** A row of `auditFields`: its name in entries, and the actions it is for where another row has that name. */
interface FieldRow {
  name: string;
  actions: AuditAction[] | undefined;
}
const fieldRows: ReadonlyMap<AuditField, FieldRow> = (() => {
  const nameOf = (field: string) => field.replace(/^[^:]*:/, '');
  const fields = Object.keys(auditFields) as AuditField[];
  const shared = new Set(fields.filter((field) => field.includes(':')).map(nameOf));
  return new Map(
    fields.map((field) => {
      const name = nameOf(field);
      const own = shared.has(name)
        ? AuditAction.options.filter((action) => findAuditField(action, name) === field)
        : undefined;
      return [field, { name, actions: own }];
    }),
  );
})();
const entriesOf = (row: FieldRow) =>
  row.actions
    ? sql`l.action = ANY (${row.actions}) AND l.fields @> ARRAY[${row.name}]`
    : sql`l.fields @> ARRAY[${row.name}]`;

const countries = Object.fromEntries(countryCodes.map((code) => [code, countryName(code)]));
/** The words of coded values, by field. */
const valueNames: readonly (readonly [AuditField, Readonly<Record<string, string>>])[] = [
  ...(Object.entries(auditFields) as [AuditField, (typeof auditFields)[AuditField]][]).flatMap(([field, [holds]]) =>
    typeof holds === 'string' ? [] : [[field, holds] as const],
  ),
  ['capabilities', Object.fromEntries(capabilities.map(({ name, label }) => [name, label]))],
  ['platforms', deliveryPlatforms],
  ['territories', { ...countries, [allTerritories]: allTerritoriesName }],
];

const kindOf = (field: AuditField) => AuditEntity.safeParse(auditFields[field][0]).data;
/** Fields that hold records shown by their names. */
const references = [...fieldRows].flatMap(([field, row]) => {
  const kind = kindOf(field);
  return kind === undefined ? [] : [{ ...row, kind }];
});

/**
 * Records with the words in the name that the journal shows, as `kind, id`, for kinds with few records or an index on
 * names. A short word, which nearly every name has, comes with a `long` one that narrows the names down.
 */
function recordsWith(short: string, long: string) {
  const word = short === long ? long : `${long} ${short}`;
  const ofRelease = sql`x.id IN ${releasesWith(long)} AND ${short === long ? sql`true` : hasWords(sql`fold(x.title)`, short)}`;
  return sql`
  SELECT 'account' AS kind, x.id::text AS id FROM accounts x WHERE ${hasWords(sql`x.search`, word)}
  UNION ALL SELECT 'admin', x.id::text FROM admins x WHERE ${hasWords(sql`fold(x.first_name || ' ' || x.last_name)`, word)}
  UNION ALL SELECT 'invitation', x.id::text FROM invitations x WHERE ${hasWords(sql`fold(x.email::text)`, word)}
  UNION ALL SELECT 'referral', x.id::text FROM referrals x
             WHERE x.referrer_id IN ${accountsWith(word)} OR x.referred_id IN ${accountsWith(word)}
  UNION ALL SELECT 'billing_account', x.id::text FROM billing_accounts x
             WHERE ${hasWords(sql`fold(concat_ws(' ', x.owner, x.bank_name, x.email))`, word)}
  UNION ALL SELECT 'payout', x.id::text FROM payouts x WHERE x.account_id IN ${accountsWith(word)}
  UNION ALL SELECT 'payout_batch', x.id::text FROM payout_batches x WHERE ${hasWords(sql`fold(x.message_id)`, word)}
  UNION ALL SELECT 'order', x.id::text FROM orders x WHERE x.account_id IN ${accountsWith(word)}
  UNION ALL SELECT 'release', x.id::text FROM releases x WHERE ${ofRelease}
  UNION ALL SELECT 'smartlink', s.id::text FROM smartlinks s JOIN releases x ON x.id = s.release_id WHERE ${ofRelease}
  UNION ALL SELECT 'track', x.id::text FROM tracks x WHERE ${hasWords(sql`x.search`, word)}
  UNION ALL SELECT 'artist', x.id::text FROM people x WHERE ${hasWords(sql`x.search`, word)}
  UNION ALL SELECT 'ticket', x.id::text FROM tickets x WHERE ${hasWords(sql`x.search`, word)}
  UNION ALL SELECT 'contract', x.id::text FROM custom_contracts x WHERE ${hasWords(sql`fold(x.title)`, word)}
  UNION ALL SELECT 'promo_code', x.id::text FROM promo_codes x WHERE ${hasWords(sql`fold(x.name::text)`, word)}
  UNION ALL SELECT 'code_edit', x.id::text FROM code_edits x WHERE ${hasWords(sql`fold(x.file_name)`, word)}
  UNION ALL SELECT 'import', x.id::text FROM imports x WHERE ${hasWords(sql`fold(x.file_name)`, word)}
  UNION ALL SELECT 'statement', x.id::text FROM statements x WHERE ${hasWords(sql`fold(x.file_name)`, word)}`;
}

/**
 * Whether an entry shows the word; each way to show it has an index. Subqueries are arrays, since PostgreSQL combines indexes
 * only for values. `found` names the `recordsWith` it, if they are looked up; their ids are an array, which is slow to check
 * entry by entry, only to find entries `byIndex`.
 */
function hasWord(word: string, found: RawBuilder<unknown> | undefined, { byIndex }: { byIndex: boolean }) {
  const labels = [...fieldRows].filter(([field]) => isShownIn(auditFields[field][1], word)).map(([, row]) => row);
  const everywhere = labels.filter((row) => row.actions === undefined).map((row) => row.name);
  const conditions = [
    hasWords(sql`l.search`, word),
    sql`l.action = ANY (${codesOf(auditActionNames, word)}) OR l.entity = ANY (${codesOf(auditEntityNames, word)})`,
    sql`l.admin_id = ANY (ARRAY(SELECT id FROM admins WHERE ${hasWords(sql`fold(first_name || ' ' || last_name)`, word)}))`,
    ...(isShownIn(systemName, word) ? [sql`l.admin_id IS NULL`] : []),
    ...(everywhere.length > 0 ? [sql`l.fields && ${everywhere}::text[]`] : []),
    ...labels.filter((row) => row.actions !== undefined).map(entriesOf),
  ];
  for (const [field, names] of valueNames) {
    const codes = Object.keys(names).filter((code) => isShownIn(names[code] ?? '', word));
    const row = fieldRows.get(field);
    if (codes.length === 0 || row === undefined) continue;
    const holds = (state: string) => sql`coalesce(${sql.ref(state)} -> ${row.name} ?| ${codes}::text[], false)`;
    conditions.push(sql`${entriesOf(row)} AND (${holds('l.before')} OR ${holds('l.after')})`);
  }
  if (found) {
    const isOne = byIndex ? sql`l.entity_id = ANY (ARRAY(SELECT id FROM ${found}))` : sql`true`;
    conditions.push(sql`${isOne} AND (l.entity, l.entity_id) IN (SELECT kind, id FROM ${found})`);
    const named = references.map(({ kind, ...row }) => {
      // A list holds several.
      const holds = (state: string) => sql`EXISTS (
        SELECT FROM jsonb_path_query(${sql.ref(state)}, ${`$."${row.name}"[*]`}::jsonpath) AS v (id)
         WHERE v.id #>> '{}' IN (SELECT id FROM ${found} WHERE kind = ${kind}))`;
      return sql`(${entriesOf(row)} AND (${holds('l.before')} OR ${holds('l.after')}))`;
    });
    const kinds = references.map(({ name, kind }) => sql`(${name}, ${kind})`);
    const held = sql`ARRAY(SELECT r.name FROM (VALUES ${sql.join(kinds)}) AS r (name, kind)
                            WHERE r.kind IN (SELECT kind FROM ${found}))`;
    conditions.push(sql`l.fields && ${held}::text[] AND (${sql.join(named, sql` OR `)})`);
  }
  return sql`(${sql.join(
    conditions.map((condition) => sql`(${condition})`),
    sql` OR `,
  )})`;
}

/** The words of a text as copied from the journal: decimals with a dot, without units and the signs between values. */
function shownWords(typed: string): string[] {
  const words = searchWords(typed.replaceAll(/(?<=\d),(?=\d)/g, '.'));
  const telling = words.filter((word) => /^[^\p{Sc}]*[\p{L}\p{N}]/u.test(word));
  return telling.length > 0 ? telling : words;
}

/** The entries about an account and the records that belong to it. */
function entriesOfAccount(id: number): RawBuilder<unknown> {
  const records: Record<(typeof accountEntities)[number], RawBuilder<unknown>> = {
    account: sql`SELECT ${id}::bigint`,
    billing_account: sql`SELECT id FROM billing_accounts WHERE account_id = ${id}`,
    payout: sql`SELECT id FROM payouts WHERE account_id = ${id}`,
    payout_batch: sql`SELECT DISTINCT batch_id FROM payouts WHERE account_id = ${id}`,
    referral: sql`SELECT id FROM referrals WHERE ${id} IN (referrer_id, referred_id)`,
    release: sql`SELECT id FROM releases WHERE account_id = ${id}`,
    order: sql`SELECT id FROM orders WHERE account_id = ${id}`,
    contract: sql`SELECT id FROM custom_contracts WHERE account_id = ${id}`,
    ticket: sql`SELECT id FROM tickets WHERE account_id = ${id}`,
  };
  // OFFSET: the planner reads the index once per record, never the whole journal.
  return sql`(SELECT e.* FROM (${sql.join(
    Object.entries(records).map(([kind, ids]) => sql`SELECT ${kind}::text AS kind, x.id::text FROM (${ids}) AS x (id)`),
    sql` UNION ALL `,
  )}) AS r CROSS JOIN LATERAL (
    SELECT * FROM audit_log o WHERE o.entity = r.kind AND o.entity_id = r.id OFFSET 0) AS e)`;
}

/**
 * Entries that are read to find a page of a common word, and to count it: beyond them the total is "at least". Rarer words
 * are found by their indexes.
 */
const readFirst = 1000;

const columns = sql`l.id, l.id::text AS cursor_value, l.at, l.admin_id, l.action, l.entity, l.entity_id, l.before, l.after,
  l.request_id, l.address, l.agent`;

export async function findRows(db: Database | Trx, ids: readonly number[]): Promise<JournalRow[]> {
  const { rows } = await sql<JournalRow>`
    SELECT ${columns} FROM audit_log l WHERE l.id = ANY(${ids}::bigint[]) ORDER BY l.id DESC`.execute(db);
  return rows;
}

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
  // Records are looked up once for all entries.
  const lookups: RawBuilder<unknown>[] = [];
  const shown: RawBuilder<unknown>[] = [];
  const indexed: RawBuilder<unknown>[] = [];
  const words = query.q ? shownWords(query.q) : [];
  const longWords = words.filter((word) => word.length > 2);
  for (const [index, word] of words.entries()) {
    const name = sql.table(`found${index}`);
    const names = (word.length > 2 ? [word] : longWords).map((long) => recordsWith(word, long));
    if (names.length > 0) lookups.push(sql`${name} AS MATERIALIZED (${sql.join(names, sql` UNION ALL `)})`);
    const records = names.length > 0 ? name : undefined;
    shown.push(hasWord(word, records, { byIndex: false }));
    indexed.push(hasWord(word, records, { byIndex: true }));
  }
  const found = lookups.length > 0 ? sql`WITH ${sql.join(lookups)}` : sql``;
  const entries = query.account === undefined ? sql`audit_log` : entriesOfAccount(query.account);
  const from = sql`FROM ${entries} AS l WHERE ${sql.join(conditions, sql` AND `)}`;
  const cut = sql`ORDER BY ${page.orderBy} LIMIT ${page.limit + 1}`;
  if (shown.length === 0) {
    const { rows } = await sql<JournalRow>`SELECT ${columns} ${from} AND ${page.after} ${cut}`.execute(db);
    const isWhole = query.cursor === undefined && rows.length <= page.limit;
    const count = isWhole ? capCount(rows.length) : await countUpTo(db, from);
    return { ...cutPage(rows, page), ...count };
  }
  const isShown = sql.join(shown, sql` AND `);
  const first = (after: RawBuilder<unknown>) => sql`(
    SELECT l.* ${from} AND ${after} ORDER BY ${page.orderBy} LIMIT ${sql.lit(readFirst)}) AS l`;
  const near = await sql<JournalRow>`
    ${found} SELECT ${columns} FROM ${first(page.after)} WHERE ${isShown} ${cut}`.execute(db);
  const counted = await sql<{ read: number; n: number; each: number[] }>`
    ${found} SELECT count(*) AS read, count(*) FILTER (WHERE true = ALL (has)) AS n,
      ARRAY[${sql.join(shown.map((_, index) => sql`count(*) FILTER (WHERE has[${sql.lit(index + 1)}])`))}]::integer[] AS each
      FROM (SELECT ARRAY[${sql.join(shown)}] AS has FROM ${first(sql`true`)} OFFSET 0) AS l`.execute(db);
  const { read, n, each } = counted.rows[0] ?? { read: 0, n: 0, each: [] };
  const isWhole = read < readFirst;
  if (isWhole || near.rows.length > page.limit) {
    const count = isWhole ? capCount(n) : { total: Math.max(n, page.limit), totalIsExact: false };
    return { ...cutPage(near.rows, page), ...count };
  }
  const rarest = indexed[each.indexOf(Math.min(...each))] ?? sql`true`;
  const { rows } = await sql<JournalRow & { n: number }>`
    WITH ${sql.join([
      ...lookups,
      sql`of_rarest AS MATERIALIZED (SELECT l.* ${from} AND ${rarest})`,
      sql`shown AS MATERIALIZED (SELECT l.* FROM of_rarest AS l WHERE ${isShown})`,
    ])}
    SELECT ${columns}, (SELECT count(*) FROM shown) AS n FROM shown AS l WHERE ${page.after} ${cut}`.execute(db);
  return { ...cutPage(rows, page), ...capCount(rows[0]?.n ?? 0) };
}

export interface FoundRecord {
  kind: AuditEntity;
  id: string;
  name: string | null;
  isGone: boolean;
  ownerId: number | null;
  place: string | null;
}

/** The e-mail of `a`, where another of the table has the same name. */
const emailApart = (table: 'accounts' | 'admins') => sql`CASE
  WHEN EXISTS (SELECT FROM ${sql.table(table)} o
                WHERE o.last_name = a.last_name AND o.first_name = a.first_name AND o.id <> a.id)
  THEN coalesce(' (' || a.email || ')', '') ELSE '' END`;
const accountName = sql`coalesce(nullif(btrim(a.first_name || ' ' || a.last_name), '') || ${emailApart('accounts')}, a.company)`;

/** Records of a kind as `id, name, is_gone, owner_id, place`; kinds without a table use the stored name. */
const tables: Partial<Record<AuditEntity, RawBuilder<unknown>>> = {
  admin: sql`
    SELECT a.id, a.first_name || ' ' || a.last_name || ${emailApart('admins')}, a.deleted_at IS NOT NULL, NULL::bigint, NULL
      FROM admins a`,
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
