import type { UnmatchedReason } from '@regie/contract/unmatched.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Trx } from '#src/lib/db.ts';
import { capCount, containsPattern, countUpTo, cutPage, keyset, type SortKey } from '#src/lib/keyset.ts';
import { rateOf } from '#src/modules/exchange-rates/exchange-rates.service.ts';
import { type TrackRefRow, trackRefColumns } from './candidates.queries.ts';

export interface Filter {
  q?: string | undefined;
  reason?: UnmatchedReason | undefined;
  source?: string | undefined;
  /** `YYYY-MM-01` */
  month?: string | undefined;
}

export interface WaitingRow {
  amountEur: string;
  withoutRate: { currency: string; amount: number }[];
  quantity: string;
  statements: number;
}

const and = (conditions: readonly RawBuilder<unknown>[]) => sql.join(conditions, sql` AND `);
const all = (condition: RawBuilder<unknown> | undefined) => condition ?? sql`true`;

/**
 * `WITH` parts that end in `live(statement_id, month, currency, posted_month, rate)`: months of the statements that
 * count, each with the rate of the month it is posted to. A sum finds its own by (statement, month, currency).
 */
function liveMonths(filter: Pick<Filter, 'source' | 'month'>, only?: RawBuilder<unknown>): RawBuilder<unknown> {
  const postedMonth = sql`coalesce(st.accounting_month, m.month)`;
  const conditions = [sql`st.status IN ('loaded', 'checked')`, all(only)];
  if (filter.source !== undefined) conditions.push(sql`st.source = ${filter.source}`);
  if (filter.month !== undefined) conditions.push(sql`${postedMonth} = ${filter.month}::date`);
  return sql`
    live_month AS MATERIALIZED (
      SELECT m.statement_id, m.month, m.currency, ${postedMonth} AS posted_month
        FROM statements st JOIN statement_months m ON m.statement_id = st.id WHERE ${and(conditions)}
    ),
    live_rate AS MATERIALIZED (
      SELECT c.currency, c.posted_month, ${rateOf(sql`c.currency`, sql`c.posted_month`)} AS rate
        FROM (SELECT DISTINCT currency, posted_month FROM live_month) c
    ),
    live AS MATERIALIZED (SELECT * FROM live_month JOIN live_rate USING (currency, posted_month))`;
}

const isUnmatched = sql`m.unmatched_sums > 0`;
const joinLive = sql`JOIN live l ON l.statement_id = s.statement_id AND l.month = s.month AND l.currency = s.currency`;

/** Items that a text finds: in their code as it begins, barcode, title or artist. */
function textMatches(q: string): RawBuilder<unknown> {
  const pattern = containsPattern(q);
  const code = q.replaceAll(/[\s\u00a0-]/g, '').toUpperCase();
  return sql`(
    fold(i.title || ' ' || i.artist) LIKE fold(${pattern})
    OR i.isrc LIKE ${`${containsPattern(code).slice(1)}`} OR i.upc LIKE ${containsPattern(code)})`;
}

/** What waits of each item and rate: `per_rate(item, currency, rate, amount, quantity)`, of the items that are asked for. */
function perRate(filter: Filter): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = [];
  if (filter.reason !== undefined) conditions.push(sql`i.unmatched = ${filter.reason}`);
  if (filter.q) conditions.push(textMatches(filter.q));
  const ofItems =
    conditions.length === 0
      ? sql`true`
      : sql`s.item IN (SELECT i.key FROM income_items i WHERE i.unmatched IS NOT NULL AND ${and(conditions)})`;
  return sql`
    ${liveMonths(filter, isUnmatched)},
    per_rate AS MATERIALIZED (
      SELECT s.item, l.currency, l.rate, sum(s.amount) AS amount, sum(s.quantity) AS quantity
        FROM statement_sums s ${joinLive}
       WHERE s.track_id IS NULL AND ${ofItems}
       GROUP BY s.item, l.currency, l.rate
    )`;
}

/** Added up by currency and month first and divided once, so that what is small is not lost. */
const inEuros = (amount: RawBuilder<unknown>, rate: RawBuilder<unknown>) =>
  sql`round(coalesce(sum(${amount} / ${rate}), 0), 6)`;

export interface UnmatchedRow extends WaitingRow {
  id: number;
  key: string;
  isrc: string | null;
  upc: string | null;
  title: string;
  artist: string;
  reason: UnmatchedReason;
  fromMonth: string;
  toMonth: string;
  lastStatements: { id: number; fileName: string; source: string }[];
}

const sorts: Record<string, SortKey> = {
  amount: { expression: sql`f.amount_eur`, type: 'numeric' },
  title: { expression: sql`f.title`, type: 'text' },
  newest: { expression: sql`f.id`, type: 'bigint' },
};
const shownStatements = 3;

/** What a page's row shows of its sums, beside the euros. */
const rowColumns = sql`
  f.id, f.key, i.isrc, i.upc, i.title, i.artist, i.unmatched AS reason, f.amount_eur, f.quantity,
  w.statements, w.from_month, w.to_month, w.without_rate,
  (SELECT json_agg(json_build_object('id', st.id, 'fileName', st.file_name, 'source', st.source) ORDER BY st.id DESC)
     FROM (SELECT DISTINCT s.statement_id FROM statement_sums s ${joinLive}
            WHERE s.item = f.key AND s.track_id IS NULL ORDER BY 1 DESC LIMIT ${sql.lit(shownStatements)}) x
     JOIN statements st ON st.id = x.statement_id) AS last_statements`;
const rowJoins = sql`
  JOIN income_items i ON i.id = f.id
  CROSS JOIN LATERAL (
    SELECT count(DISTINCT s.statement_id) AS statements, min(l.posted_month) AS from_month, max(l.posted_month) AS to_month,
           (SELECT coalesce(json_agg(json_build_object('currency', p.currency, 'amount', p.amount) ORDER BY p.currency), '[]')
              FROM per_rate p WHERE p.item = f.key AND p.rate IS NULL) AS without_rate
      FROM statement_sums s ${joinLive} WHERE s.item = f.key AND s.track_id IS NULL
  ) w`;

const found = sql`
  found AS MATERIALIZED (
    SELECT i.id, i.key, i.title, i.unmatched, w.amount_eur, w.quantity
      FROM (SELECT item, ${inEuros(sql`amount`, sql`rate`)} AS amount_eur, sum(quantity) AS quantity FROM per_rate GROUP BY item) w
      JOIN income_items i ON i.key = w.item
     WHERE i.unmatched IS NOT NULL
  )`;

/** One page of the items without a track that have sums in live statements; a filter restricts their sums too. */
export async function listUnmatched(
  db: Trx,
  query: Filter & { limit: number; cursor?: string | undefined; sort: string; order: 'asc' | 'desc' },
) {
  const page = keyset(query, sorts, sql`f.id`);
  const cursorValue = { amount: sql`f.amount_eur::text`, title: sql`f.title`, newest: sql`f.id::text` }[query.sort];
  const { rows } = await sql<UnmatchedRow & { cursorValue: string; total: number }>`
    WITH ${perRate(query)}, ${found}
    SELECT ${rowColumns}, ${cursorValue ?? sql`NULL`} AS cursor_value, (SELECT count(*) FROM found) AS total
      FROM (SELECT f.* FROM found f WHERE ${page.after} ORDER BY ${page.orderBy} LIMIT ${sql.lit(page.limit + 1)}) f
      ${rowJoins}
     ORDER BY ${page.orderBy}`.execute(db);
  return { ...cutPage(rows, page), ...capCount(rows[0]?.total ?? 0) };
}

/** The same row of one item; undefined unless it waits without a track in a live statement. */
export async function findUnmatched(db: Trx, key: string): Promise<UnmatchedRow | undefined> {
  const { rows } = await sql<UnmatchedRow>`
    WITH ${liveMonths({}, isUnmatched)},
    per_rate AS MATERIALIZED (
      SELECT s.item, l.currency, l.rate, sum(s.amount) AS amount, sum(s.quantity) AS quantity
        FROM statement_sums s ${joinLive} WHERE s.item = ${key} AND s.track_id IS NULL GROUP BY s.item, l.currency, l.rate
    ), ${found}
    SELECT ${rowColumns} FROM found f ${rowJoins}`.execute(db);
  return rows[0];
}

export interface FileRow {
  id: number;
  fileName: string;
  source: string;
  month: string;
  currency: string;
  quantity: string;
  amount: string;
  amountEur: string | null;
}

const shownFiles = 500;

/** What an item waits for, statement by statement, the newest first. */
export async function listFiles(db: Trx, key: string): Promise<FileRow[]> {
  const { rows } = await sql<FileRow>`
    WITH ${liveMonths({}, isUnmatched)}
    SELECT st.id, st.file_name, st.source, l.posted_month AS month, l.currency, sum(s.quantity) AS quantity,
           sum(s.amount) AS amount, round(sum(s.amount) / l.rate, 6) AS amount_eur
      FROM statement_sums s ${joinLive} JOIN statements st ON st.id = s.statement_id
     WHERE s.item = ${key} AND s.track_id IS NULL
     GROUP BY st.id, l.posted_month, l.currency, l.rate
     ORDER BY st.id DESC, l.posted_month DESC, l.currency LIMIT ${sql.lit(shownFiles)}`.execute(db);
  return rows;
}

export interface SummaryRow {
  reason: UnmatchedReason | null;
  items: number;
  amountEur: string;
}

/** Items and euros by reason, and of all (`reason` null); what has no rate; who sent what waits. */
export async function summarise(db: Trx, filter: Filter) {
  const [{ rows }, sources] = await Promise.all([
    sql<SummaryRow & { withoutRate: WaitingRow['withoutRate'] }>`
      WITH ${perRate(filter)}, ${found}
      SELECT f.unmatched AS reason, count(*) AS items, coalesce(sum(f.amount_eur), 0) AS amount_eur,
             (SELECT coalesce(json_agg(json_build_object('currency', p.currency, 'amount', p.amount) ORDER BY p.currency), '[]')
                FROM (SELECT currency, sum(amount) AS amount FROM per_rate WHERE rate IS NULL GROUP BY currency) p) AS without_rate
        FROM found f GROUP BY GROUPING SETS ((f.unmatched), ()) ORDER BY f.unmatched`.execute(db),
    sql<{ source: string }>`
      SELECT DISTINCT st.source FROM statements st
       WHERE st.status IN ('loaded', 'checked')
         AND EXISTS (SELECT FROM statement_months m WHERE m.statement_id = st.id AND ${isUnmatched})
       ORDER BY st.source`.execute(db),
  ]);
  return { rows, sources: sources.rows.map(({ source }) => source) };
}

/** All that waits without a track, without reading the sums one by one. */
export async function countUnmatched(db: Trx): Promise<Omit<WaitingRow, 'statements' | 'quantity'> & { items: number }> {
  const { rows } = await sql<Omit<WaitingRow, 'statements' | 'quantity'> & { items: number }>`
    WITH ${liveMonths({}, isUnmatched)},
    amount AS MATERIALIZED (
      SELECT l.currency, l.rate, sum(m.unmatched_amount) AS amount
        FROM statement_months m JOIN live l ON l.statement_id = m.statement_id AND l.month = m.month AND l.currency = m.currency
       GROUP BY l.currency, l.rate
    )
    SELECT (SELECT count(*) FROM income_items i
             WHERE i.unmatched IS NOT NULL
               AND EXISTS (SELECT FROM statement_sums s JOIN statements st ON st.id = s.statement_id
                            WHERE s.item = i.key AND s.track_id IS NULL AND st.status IN ('loaded', 'checked'))) AS items,
           (SELECT ${inEuros(sql`amount`, sql`rate`)} FROM amount) AS amount_eur,
           (SELECT coalesce(json_agg(json_build_object('currency', p.currency, 'amount', p.amount) ORDER BY p.currency), '[]')
              FROM (SELECT currency, sum(amount) AS amount FROM amount WHERE rate IS NULL GROUP BY currency) p) AS without_rate`.execute(
    db,
  );
  return rows[0] ?? { items: 0, amountEur: '0', withoutRate: [] };
}

/** What is asked of an item's sums: those that wait, with a track or without, or those on reports of its alias. */
export type Part = 'waiting' | 'posted';
const isPart: Record<Part, RawBuilder<unknown>> = {
  waiting: sql`s.import_id IS NULL`,
  posted: sql`s.import_id IS NOT NULL AND s.track_id = i.alias_track_id`,
};

/** The sums of items in live statements, item by item, or of all of them under the key ''. */
export async function measure(
  db: Trx,
  keys: readonly string[],
  part: Part,
  by: 'item' | 'all' = 'all',
): Promise<Map<string, WaitingRow>> {
  if (keys.length === 0) return new Map();
  const { rows } = await sql<WaitingRow & { key: string }>`
    WITH ${liveMonths({})},
    own AS MATERIALIZED (
      SELECT ${by === 'item' ? sql`i.key` : sql`''::text`} AS key, s.statement_id, l.currency, l.rate, s.amount, s.quantity
        FROM income_items i JOIN statement_sums s ON s.item = i.key ${joinLive}
       WHERE i.key = ANY(${keys}::text[]) AND ${isPart[part]}
    ),
    per_rate AS MATERIALIZED (SELECT key, currency, rate, sum(amount) AS amount FROM own GROUP BY key, currency, rate),
    without AS (
      SELECT key, json_agg(json_build_object('currency', currency, 'amount', amount) ORDER BY currency) AS without_rate
        FROM (SELECT key, currency, sum(amount) AS amount FROM per_rate WHERE rate IS NULL GROUP BY key, currency) p GROUP BY key
    )
    SELECT o.key, o.statements, o.quantity, e.amount_eur, coalesce(w.without_rate, '[]') AS without_rate
      FROM (SELECT key, count(DISTINCT statement_id) AS statements, sum(quantity) AS quantity FROM own GROUP BY key) o
      JOIN (SELECT key, ${inEuros(sql`amount`, sql`rate`)} AS amount_eur FROM per_rate GROUP BY key) e USING (key)
      LEFT JOIN without w USING (key)`.execute(db);
  return new Map(rows.map(({ key, ...row }) => [key, row]));
}

export interface LockedItem {
  key: string;
  aliasTrackId: number | null;
  trackId: number | null;
  trackTitle: string | null;
}

/** Items as they stand, locked until the transaction ends. */
export async function lockItems(trx: Trx, keys: readonly string[]): Promise<Map<string, LockedItem>> {
  const { rows } = await sql<LockedItem>`
    SELECT i.key, i.alias_track_id, i.track_id, (SELECT t.title FROM tracks t WHERE t.id = i.track_id) AS track_title
      FROM income_items i WHERE i.key = ANY(${keys}::text[]) ORDER BY i.key FOR UPDATE OF i`.execute(trx);
  return new Map(rows.map((row) => [row.key, row]));
}

/** Titles of tracks, deleted ones too. */
export async function findTracks(trx: Trx, ids: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await sql<{ id: number; title: string }>`
    SELECT id, title FROM tracks WHERE id = ANY(${ids}::bigint[])`.execute(trx);
  return new Map(rows.map(({ id, title }) => [id, title]));
}

/** Gives items their track, or with null takes it away; the database moves what waits (migration 042). */
export async function writeAliases(
  trx: Trx,
  aliases: readonly { key: string; trackId: number | null }[],
  adminId: number | null,
): Promise<void> {
  await sql`
    UPDATE income_items i
       SET alias_track_id = n.track_id, alias_by = CASE WHEN n.track_id IS NULL THEN NULL ELSE ${adminId}::bigint END,
           alias_at = CASE WHEN n.track_id IS NULL THEN NULL ELSE now() END
      FROM unnest(${aliases.map(({ key }) => key)}::text[], ${aliases.map(({ trackId }) => trackId)}::bigint[]) AS n (key, track_id)
     WHERE i.key = n.key`.execute(trx);
}

export interface AliasRow extends TrackRefRow {
  id: number;
  key: string;
  itemIsrc: string | null;
  upc: string | null;
  title: string;
  artist: string;
  aliasAt: Date;
  assignedBy: string | null;
}

const aliasSorts: Record<string, SortKey> = {
  date: { expression: sql`i.alias_at`, type: 'timestamptz' },
  title: { expression: sql`i.title`, type: 'text' },
};

/** One page of the items that staff gave their track. */
export async function listAliases(
  db: Trx,
  query: { limit: number; cursor?: string | undefined; q?: string | undefined; sort: string; order: 'asc' | 'desc' },
) {
  const page = keyset(query, aliasSorts, sql`i.id`);
  const matches = query.q
    ? sql`(${textMatches(query.q)} OR EXISTS (
        SELECT FROM tracks t WHERE t.id = i.alias_track_id AND t.search LIKE fold(${containsPattern(query.q)})))`
    : sql`true`;
  const from = sql`FROM income_items i WHERE i.alias_track_id IS NOT NULL AND ${matches}`;
  const [{ rows }, count] = await Promise.all([
    sql<AliasRow & { cursorValue: string }>`
      SELECT i.id, i.key, i.isrc AS item_isrc, i.upc, i.title, i.artist, i.alias_at,
             (SELECT x.first_name || ' ' || x.last_name FROM admins x WHERE x.id = i.alias_by) AS assigned_by,
             ${trackRefColumns}, ${query.sort === 'date' ? sql`i.alias_at::text` : sql`i.title`} AS cursor_value
        FROM (SELECT i.* ${from} AND ${page.after} ORDER BY ${page.orderBy} LIMIT ${sql.lit(page.limit + 1)}) i
        JOIN tracks t ON t.id = i.alias_track_id
        JOIN releases r ON r.id = t.release_id
        JOIN accounts a ON a.id = t.account_id
       ORDER BY ${page.orderBy}`.execute(db),
    countUpTo(db, from),
  ]);
  return { ...cutPage(rows, page), ...count };
}
