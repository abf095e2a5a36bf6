import {
  AuditAction,
  type AuditEntity,
  accountEntities,
  allTerritoriesName,
  auditActionNames,
  auditEntityNames,
  auditFieldNames,
  findAuditField,
  kindOf,
  signInActions,
} from '@regie/contract/audit.ts';
import { capabilities } from '@regie/contract/capabilities.ts';
import type { AuditField } from '@regie/contract/entity.ts';
import { allTerritories, deliveryPlatforms } from '@regie/contract/orders.ts';
import { systemName } from '@regie/contract/state-names.ts';
import { recordTables } from '@regie/contract/tables.ts';
import { countryCodes, countryName } from '@regie/values/countries.ts';
import { fold, hasWords as isInWords, searchWords } from '@regie/values/search-text.ts';
import { type RawBuilder, sql } from 'kysely';
import { type Database, queryRows, querySingle } from '#src/lib/db.ts';
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

/** Where an entry has its record's name. */
export const nameFields = ['title', 'name', 'fullname', 'fileName', 'file', 'messageId', 'email'] as const;

/** Words of one or two characters match starts of words only. */
const isShownIn = (text: string, word: string) =>
  word.length > 2 ? isInWords(text, word) : ` ${fold(text)}`.includes(` ${fold(word)}`);

const codesOf = (names: Readonly<Record<string, string>>, word: string) =>
  Object.entries(names).flatMap(([code, name]) => (isShownIn(`${name} ${code}`, word) ? [code] : []));

/** `actions`: where another field has the name. */
interface FieldRow {
  name: string;
  field: AuditField;
  actions: AuditAction[] | undefined;
}
const fieldRows: readonly FieldRow[] = [...auditFieldNames].flatMap((name) => {
  const actionsOf = Map.groupBy(AuditAction.options, (action) => findAuditField(action, name));
  return [...actionsOf].flatMap(([field, actions]) =>
    field ? { name, field, actions: actionsOf.size > 1 ? actions : undefined } : [],
  );
});
const entriesOf = (row: FieldRow) =>
  row.actions
    ? sql`l.action = ANY (${row.actions}) AND l.fields @> ARRAY[${row.name}]`
    : sql`l.fields @> ARRAY[${row.name}]`;

const countries = Object.fromEntries(countryCodes.map((code) => [code, countryName(code)]));
const codedValues: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  capability: Object.fromEntries(capabilities.map(({ name, label }) => [name, label])),
  platform: deliveryPlatforms,
  territory: { ...countries, [allTerritories]: allTerritoriesName },
};
/** With the words of their codes. */
const codedFields = fieldRows.flatMap((row) => {
  const [holds] = row.field;
  const names = typeof holds === 'string' ? codedValues[holds] : holds;
  return names ? [{ row, names }] : [];
});

/** Shown by the record's name. */
const references = fieldRows.flatMap((row) => {
  const kind = kindOf(row.field);
  return kind === undefined ? [] : [{ ...row, kind }];
});

/**
 * As `kind, id`, by the shown name, for kinds with few records or an index. A short word comes with a `long` one that
 * narrows names down.
 */
function recordsWith(short: string, long: string) {
  const word = short === long ? long : `${long} ${short}`;
  const found = recordTables.flatMap(({ kind, table, join, name, search = `fold(${name})` }) => {
    if (search === false) return [];
    const from = sql`SELECT ${sql.lit(kind)} AS kind, t.id::text AS id FROM ${sql.table(table)} t`;
    if (typeof search === 'string') return sql`${from} WHERE ${hasWords(sql.raw(search), word)}`;
    if ('accounts' in search) {
      const owners = search.accounts.map((column) => sql`${sql.raw(column)} IN ${accountsWith(word)}`);
      return sql`${from} WHERE ${sql.join(owners, sql` OR `)}`;
    }
    const rest = short === long ? sql`true` : hasWords(sql.raw(`fold(${name})`), short);
    return sql`${from} ${sql.raw(join ?? '')} WHERE ${sql.raw(search.release)} IN ${releasesWith(long)} AND ${rest}`;
  });
  return sql.join(found, sql` UNION ALL `);
}

/**
 * Each way to show the word has an index. Subqueries are arrays: PostgreSQL combines indexes only for values. The ids
 * in `found` are an array only to find entries `byIndex`, which is slow entry by entry.
 */
function hasWord(word: string, found: RawBuilder<unknown> | undefined, { byIndex }: { byIndex: boolean }) {
  const labels = fieldRows.filter(({ field: [, label] }) => isShownIn(label, word));
  const everywhere = labels.filter((row) => row.actions === undefined).map((row) => row.name);
  const conditions = [
    hasWords(sql`l.search`, word),
    sql`l.action = ANY (${codesOf(auditActionNames, word)}) OR l.entity = ANY (${codesOf(auditEntityNames, word)})`,
    sql`l.admin_id = ANY (ARRAY(SELECT id FROM admins WHERE ${hasWords(sql`fold(first_name || ' ' || last_name)`, word)}))`,
    ...(isShownIn(systemName, word) ? [sql`l.admin_id IS NULL`] : []),
    ...(everywhere.length > 0 ? [sql`l.fields && ${everywhere}::text[]`] : []),
    ...labels.filter((row) => row.actions !== undefined).map(entriesOf),
  ];
  for (const { row, names } of codedFields) {
    const codes = Object.keys(names).filter((code) => isShownIn(names[code] ?? '', word));
    if (codes.length === 0) continue;
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

/** As copied from the journal: decimals with a dot, without units and signs. */
function shownWords(typed: string): string[] {
  const words = searchWords(typed.replaceAll(/(?<=\d),(?=\d)/g, '.'));
  const telling = words.filter((word) => /^[^\p{Sc}]*[\p{L}\p{N}]/u.test(word));
  return telling.length > 0 ? telling : words;
}

function entriesOfAccount(id: number): RawBuilder<unknown> {
  const records = recordTables.flatMap(({ kind, table, ofAccount }) =>
    accountEntities.includes(kind) && ofAccount
      ? sql`SELECT ${sql.lit(kind)} AS kind, t.id::text FROM ${sql.table(table)} t
             WHERE ${sql.raw(ofAccount.replaceAll('$id', String(id)))}`
      : [],
  );
  // OFFSET: the index once per record, never the whole journal.
  return sql`(SELECT e.* FROM (${sql.join(records, sql` UNION ALL `)}) AS r (kind, id) CROSS JOIN LATERAL (
    SELECT * FROM audit_log o WHERE o.entity = r.kind AND o.entity_id = r.id OFFSET 0) AS e)`;
}

/** Read for a common word; beyond them the total is "at least". Rarer words have their indexes. */
const readFirst = 1000;

const columns = sql`l.id, l.id::text AS cursor_value, l.at, l.admin_id, l.action, l.entity, l.entity_id, l.before, l.after,
  l.request_id, l.address, l.agent`;

export const findRows = (db: Database, ids: readonly number[]) => queryRows<JournalRow>(db)`
    SELECT ${columns} FROM audit_log l WHERE l.id = ANY(${ids}::bigint[]) ORDER BY l.id DESC`;

export async function listJournal(db: Database, query: JournalQuery) {
  // Ids grow with time and are unique.
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
    const rows = await queryRows<JournalRow>(db)`SELECT ${columns} ${from} AND ${page.after} ${cut}`;
    const isWhole = query.cursor === undefined && rows.length <= page.limit;
    const count = isWhole ? capCount(rows.length) : await countUpTo(db, from);
    return { ...cutPage(rows, page), ...count };
  }
  const isShown = sql.join(shown, sql` AND `);
  const first = (after: RawBuilder<unknown>) => sql`(
    SELECT l.* ${from} AND ${after} ORDER BY ${page.orderBy} LIMIT ${sql.lit(readFirst)}) AS l`;
  const near = await sql<JournalRow>`
    ${found} SELECT ${columns} FROM ${first(page.after)} WHERE ${isShown} ${cut}`.execute(db);
  const { read, n, each } = await querySingle<{ read: number; n: number; each: number[] }>(db)`
    ${found} SELECT count(*) AS read, count(*) FILTER (WHERE true = ALL (has)) AS n,
      ARRAY[${sql.join(shown.map((_, index) => sql`count(*) FILTER (WHERE has[${sql.lit(index + 1)}])`))}]::integer[] AS each
      FROM (SELECT ARRAY[${sql.join(shown)}] AS has FROM ${first(sql`true`)} OFFSET 0) AS l`;
  const isWhole = read < readFirst;
  if (isWhole || near.rows.length > page.limit) {
    const count = isWhole ? capCount(n) : { total: Math.max(n, page.limit), totalIsExact: false };
    return { ...cutPage(near.rows, page), ...count };
  }
  const rarest = indexed[each.indexOf(Math.min(...each))] ?? sql`true`;
  const rows = await queryRows<JournalRow & { n: number }>(db)`
    WITH ${sql.join([
      ...lookups,
      sql`of_rarest AS MATERIALIZED (SELECT l.* ${from} AND ${rarest})`,
      sql`shown AS MATERIALIZED (SELECT l.* FROM of_rarest AS l WHERE ${isShown})`,
    ])}
    SELECT ${columns}, (SELECT count(*) FROM shown) AS n FROM shown AS l WHERE ${page.after} ${cut}`;
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

/** One subquery per kind; kinds without a table have the stored name. */
export async function findRecords(
  db: Database,
  wanted: ReadonlyMap<AuditEntity, ReadonlySet<string>>,
): Promise<FoundRecord[]> {
  const parts = recordTables.flatMap(({ kind, table, join, key, name, isGone, owner, place }) => {
    const ids = [...(wanted.get(kind) ?? [])].filter((id) => key || /^\d{1,18}$/.test(id));
    if (ids.length === 0) return [];
    const columns = sql.raw(
      `${key ?? 't.id::text'}, ${name}, ${isGone ?? 'false'}, ${owner ?? 'NULL::bigint'}, ${place ?? 'NULL::text'}`,
    );
    return sql`SELECT ${sql.lit(kind)}::text, ${columns} FROM ${sql.table(table)} t ${sql.raw(join ?? '')}
      WHERE ${key ? sql`${sql.raw(key)} = ANY (${ids})` : sql`t.id = ANY (${ids}::bigint[])`}`;
  });
  if (parts.length === 0) return [];
  return queryRows<FoundRecord>(db)`
    SELECT * FROM (${sql.join(parts, sql` UNION ALL `)}) AS r (kind, id, name, is_gone, owner_id, place)`;
}
