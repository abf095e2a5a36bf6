import type { Alias, UnmatchedDetail, UnmatchedItem, Waiting } from '@regie/contract/routes/unmatched.ts';
import type { UnmatchedReason } from '@regie/contract/unmatched.ts';
import { earliestMonth } from '@regie/values/month.ts';
import { type RawBuilder, sql } from 'kysely';
import { adminName } from '#src/lib/audit.ts';
import { queryColumn, queryRow, queryRows, queryValue, type Trx } from '#src/lib/db.ts';
import { capCount, countExpression, cutPage, keyset, type ListQuery, readPage, type SortKey } from '#src/lib/keyset.ts';
import { containsPattern, hasWords } from '#src/lib/text-search.ts';
import type { LineKey } from '#src/modules/income/lines/lines.service.ts';
import { rateOf } from '#src/modules/money/exchange-rates/exchange-rates.service.ts';
import { type TrackRefRow, trackRefColumns } from './candidates.queries.ts';

export interface Filter {
  q?: string | undefined;
  reason?: UnmatchedReason | undefined;
  source?: string | undefined;
  month?: string | undefined;
}

export type WaitingRow = Omit<Waiting, 'amountEur' | 'quantity'> & { amountEur: string; quantity: string };

const and = (conditions: readonly RawBuilder<unknown>[]) => sql.join(conditions, sql` AND `);

const isLive = sql`st.status IN ('loaded', 'checked')`;
const postedMonth = sql`coalesce(st.accounting_month, m.month)`;

type Places = Pick<Filter, 'source' | 'month'>;
/** Statements `st` that count, and their months `m`, restricted by a filter. */
function isAmong({ source, month }: Places): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = [isLive];
  if (source !== undefined) conditions.push(sql`st.source = ${source}`);
  if (month !== undefined) conditions.push(sql`${postedMonth} = ${month}::date`);
  return and(conditions);
}

/**
 * CTE `live`: months of the statements that count under a filter, with the rate of the month they are posted to. Join
 * sums `s` with `joinLive`.
 */
const liveMonths = (filter: Places = {}) => sql`
    live AS MATERIALIZED (
      SELECT m.statement_id, m.month, m.currency, ${postedMonth} AS posted_month, ${rateOf(sql`m.currency`, postedMonth)} AS rate
        FROM statements st JOIN statement_months m ON m.statement_id = st.id WHERE ${isAmong(filter)}
    )`;
const joinLive = sql`JOIN live l ON l.statement_id = s.statement_id AND l.month = s.month AND l.currency = s.currency`;

/** By the start of the ISRC, or barcode, title or artist. */
function textMatches(q: string): RawBuilder<unknown> {
  const code = q.replaceAll(/[\s\u00a0-]/g, '').toUpperCase();
  return sql`(
    ${hasWords(sql`fold(i.title || ' ' || i.artist)`, q)}
    OR i.isrc LIKE ${`${containsPattern(code).slice(1)}`} OR i.upc LIKE ${containsPattern(code)})`;
}

function ofItem({ reason, q }: Filter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  if (reason !== undefined) conditions.push(sql`i.unmatched = ${reason}`);
  if (q) conditions.push(textMatches(q));
  return conditions;
}

/** CTEs ending in `per_rate`: the waiting sums of the filtered items. */
function perRate(filter: Filter): RawBuilder<unknown> {
  const conditions = ofItem(filter);
  const isAsked =
    conditions.length === 0
      ? sql`true`
      : sql`s.item IN (SELECT i.key FROM income_items i WHERE i.unmatched IS NOT NULL AND ${and(conditions)})`;
  return sql`
    ${liveMonths(filter)},
    per_rate AS MATERIALIZED (
      SELECT s.item, l.currency, l.rate, sum(s.amount) AS amount
        FROM statement_sums s ${joinLive}
       WHERE s.track_id IS NULL AND ${isAsked}
       GROUP BY s.item, l.currency, l.rate
    )`;
}

/** Amounts of one rate are added up and divided once, so that small ones are not lost to rounding. */
const inEuros = (amount: RawBuilder<unknown>, rate: RawBuilder<unknown>) =>
  sql`round(coalesce(sum(${amount} / ${rate}), 0), 6)`;
/** Amounts without a rate in rows like `per_rate`, by currency, as JSON. */
const withoutRate = (from: RawBuilder<unknown>) => sql`
  (SELECT coalesce(json_agg(json_build_object('currency', p.currency, 'amount', p.amount) ORDER BY p.currency), '[]')
     FROM (SELECT currency, sum(amount) AS amount FROM ${from} WHERE rate IS NULL GROUP BY currency) p)`;

/** CTEs `per_rate` and `without` (currencies without a rate) of the sums `own`, by their key. */
const ratedByKey = sql`
    per_rate AS MATERIALIZED (SELECT key, currency, rate, sum(amount) AS amount FROM own GROUP BY key, currency, rate),
    without AS (
      SELECT key, json_agg(json_build_object('currency', currency, 'amount', amount) ORDER BY currency) AS without_rate
        FROM per_rate WHERE rate IS NULL GROUP BY key
    )`;

type FoundRow = Pick<UnmatchedItem, 'key' | 'isrc' | 'upc' | 'title' | 'artist' | 'reason'> & {
  id: number;
  totalEur: string | null;
};
type PlacesRow = WaitingRow & Pick<UnmatchedItem, 'lastStatements'> & Record<'key' | 'fromMonth' | 'toMonth', string>;
export type UnmatchedRow = FoundRow & PlacesRow;

const sorts: Record<string, SortKey> = {
  amount: { expression: sql`f.amount_eur`, type: 'numeric' },
  title: { expression: sql`f.title`, type: 'text' },
  newest: { expression: sql`f.id`, type: 'bigint' },
};
const cursorValues: Record<string, RawBuilder<unknown>> = {
  amount: sql`f.amount_eur::text`,
  title: sql`f.title`,
  newest: sql`f.id::text`,
};
const shownStatements = 3;
const itemColumns = sql`i.id, i.key, i.isrc, i.upc, i.title, i.artist, i.unmatched AS reason`;
/** Of all sources and months, for a list of one. */
const totalOf = ({ source, month }: Places) =>
  source === undefined && month === undefined
    ? sql`NULL::numeric`
    : sql`(SELECT round(o.eur, 6) FROM unmatched_totals o WHERE o.source = '' AND o.month = '-infinity' AND o.item_id = f.id)`;

/** Rows `w` of `unmatched_totals`: one total per source and month filter. */
const isTotalFor = ({ source = '', month = '-infinity' }: Places) =>
  sql`w.source = ${source} AND w.month = ${month}::date`;
/** In their stored order, so that a page costs the same whatever the total. */
const storedItems = (filter: Filter) => sql`
  (SELECT ${itemColumns}, w.eur AS amount_eur FROM unmatched_totals w JOIN income_items i ON i.id = w.item_id
    WHERE ${and([isTotalFor(filter), sql`i.unmatched IS NOT NULL`, ...ofItem(filter)])})`;

async function listPlaces(db: Trx, keys: readonly string[], filter: Filter): Promise<PlacesRow[]> {
  if (keys.length === 0) return [];
  return queryRows<PlacesRow>(db)`
    WITH ${liveMonths(filter)},
    own AS MATERIALIZED (
      SELECT s.item AS key, s.statement_id, l.posted_month AS month, l.currency, l.rate, s.amount, s.quantity
        FROM statement_sums s ${joinLive}
       WHERE s.item = ANY(${keys}::text[]) AND s.track_id IS NULL
    ),
    seen AS (
      SELECT key, statement_id, row_number() OVER (PARTITION BY key ORDER BY statement_id DESC) AS place
        FROM (SELECT DISTINCT key, statement_id FROM own) d
    ),
    ${ratedByKey}
    SELECT m.key, m.from_month, m.to_month, m.quantity, e.amount_eur, n.statements, n.last_statements,
           coalesce(w.without_rate, '[]') AS without_rate
      FROM (SELECT key, min(month) AS from_month, max(month) AS to_month, sum(quantity) AS quantity FROM own GROUP BY key) m
      JOIN (SELECT key, ${inEuros(sql`amount`, sql`rate`)} AS amount_eur FROM per_rate GROUP BY key) e USING (key)
      JOIN (SELECT x.key, count(*) AS statements,
                   json_agg(json_build_object('id', st.id, 'fileName', st.file_name, 'source', st.source) ORDER BY st.id DESC)
                     FILTER (WHERE x.place <= ${sql.lit(shownStatements)}) AS last_statements
              FROM seen x JOIN statements st ON st.id = x.statement_id GROUP BY x.key) n USING (key)
      LEFT JOIN without w USING (key)`;
}

async function withPlaces(db: Trx, rows: readonly FoundRow[], filter: Filter): Promise<UnmatchedRow[]> {
  const keys = rows.map(({ key }) => key);
  const places = new Map((await listPlaces(db, keys, filter)).map((row) => [row.key, row]));
  return rows.flatMap((row) => {
    const place = places.get(row.key);
    // The item got its track between the two queries.
    return place ? [{ ...row, ...place }] : [];
  });
}

/** One page of unmatched items with sums in live statements; a filter restricts their sums too. */
export async function listUnmatched(db: Trx, query: Filter & ListQuery) {
  const page = keyset(query, sorts, sql`f.id`);
  const from = sql`FROM ${storedItems(query)} f`;
  // Without a condition on items, count without reading them.
  const counted = ofItem(query).length === 0 ? sql`FROM unmatched_totals w WHERE ${isTotalFor(query)}` : from;
  const { rows } = await sql<FoundRow & { cursorValue: string; total: number }>`
    SELECT f.*, ${totalOf(query)} AS total_eur, ${cursorValues[query.sort] ?? sql`NULL`} AS cursor_value,
           ${countExpression(counted)} AS total
      ${from} WHERE ${page.after} ORDER BY ${page.orderBy} LIMIT ${sql.lit(page.limit + 1)}`.execute(db);
  const cut = cutPage(rows, page);
  return {
    rows: await withPlaces(db, cut.rows, query),
    nextCursor: cut.nextCursor,
    ...capCount(rows[0]?.total ?? 0),
  };
}

/** By their ISRC, which is their key, or amount in euros to the cent. */
export const searchUnmatched = (db: Trx, amount: string | null, isrc: string | null, limit: number) => queryRows<
  Omit<FoundRow, 'totalEur'> & { amountEur: string | null }
>(db)`
  SELECT f.* FROM ${storedItems({})} f
   WHERE f.amount_eur BETWEEN ${amount}::numeric - 0.005 AND ${amount}::numeric + 0.005 OR f.key = ${isrc} ORDER BY f.id DESC LIMIT ${limit}`;

/** Undefined unless it waits without a track in a live statement. */
export async function findUnmatched(db: Trx, key: string): Promise<UnmatchedRow | undefined> {
  const rows = await queryRows<FoundRow>(db)`
    SELECT ${itemColumns}, NULL AS total_eur FROM income_items i WHERE i.key = ${key} AND i.unmatched IS NOT NULL`;
  return (await withPlaces(db, rows, {}))[0];
}

type FileRow = Pick<UnmatchedDetail['files'][number], 'id' | 'fileName' | 'source' | 'currency'> &
  Record<'month' | 'quantity' | 'amount', string> & { amountEur: string | null };

const shownFiles = 500;

export const listFiles = (db: Trx, key: string) => queryRows<FileRow>(db)`
    WITH ${liveMonths()}
    SELECT st.id, st.file_name, st.source, l.posted_month AS month, l.currency, sum(s.quantity) AS quantity,
           sum(s.amount) AS amount, round(sum(s.amount) / l.rate, 6) AS amount_eur
      FROM statement_sums s ${joinLive} JOIN statements st ON st.id = s.statement_id
     WHERE s.item = ${key} AND s.track_id IS NULL
     GROUP BY st.id, l.posted_month, l.currency, l.rate
     ORDER BY st.id DESC, l.posted_month DESC, l.currency LIMIT ${sql.lit(shownFiles)}`;

export const listWaitingKeys = (db: Trx, key: string, statementId: number) => queryRows<LineKey>(db)`
    SELECT s.item, s.month, s.kind, s.currency
      FROM statement_sums s JOIN statements st ON st.id = s.statement_id AND ${isLive}
     WHERE s.statement_id = ${statementId} AND s.item = ${key} AND s.track_id IS NULL`;

export type Totals = Omit<WaitingRow, 'statements' | 'quantity'> & { items: number };
const noTotals: Totals = { items: 0, amountEur: '0', withoutRate: [] };

/** Only filters on items read the sums. */
export async function sumUnmatched(db: Trx, filter: Filter): Promise<Totals> {
  if (ofItem(filter).length === 0) return countUnmatched(db, filter);
  const totals = await queryRow<Totals>(db)`
    WITH ${perRate(filter)}
    SELECT count(DISTINCT item) AS items, ${inEuros(sql`amount`, sql`rate`)} AS amount_eur,
           ${withoutRate(sql`per_rate`)} AS without_rate
      FROM per_rate`;
  return totals ?? noTotals;
}

export const listSources = (db: Trx) => queryColumn<string>(db)`
    SELECT DISTINCT st.source FROM statements st
     WHERE ${isLive} AND EXISTS (SELECT FROM statement_months m WHERE m.statement_id = st.id AND m.unmatched_sums > 0)
     ORDER BY st.source`;

/**
 * The first month and currency without the rate that the filter's waiting income needs. Rates begin with the first month
 * that can be posted.
 */
export const findMissingRate = (db: Trx, filter: Places) => queryRow<{ currency: string; month: string }>(db)`
    SELECT m.currency, ${postedMonth} AS month
      FROM statements st JOIN statement_months m ON m.statement_id = st.id AND m.unmatched_sums > 0
     WHERE ${isAmong(filter)} AND ${postedMonth} >= ${`${earliestMonth}-01`}::date AND ${rateOf(sql`m.currency`, postedMonth)} IS NULL
     ORDER BY month, m.currency LIMIT 1`;

/** In a month or of a source, from stored totals. */
export async function countUnmatched(db: Trx, filter: Places = {}): Promise<Totals> {
  const totals = await queryRow<Totals>(db)`
    WITH amount AS MATERIALIZED (
      SELECT m.currency, ${rateOf(sql`m.currency`, postedMonth)} AS rate, m.unmatched_amount AS amount
        FROM statements st JOIN statement_months m ON m.statement_id = st.id AND m.unmatched_sums > 0 WHERE ${isAmong(filter)}
    )
    SELECT (SELECT coalesce(sum(w.items), 0)::bigint FROM unmatched_counts w WHERE ${isTotalFor(filter)}) AS items,
           (SELECT ${inEuros(sql`amount`, sql`rate`)} FROM amount) AS amount_eur, ${withoutRate(sql`amount`)} AS without_rate`;
  return totals ?? noTotals;
}

export const countUnmatchedItems = (db: Trx, most: number) => queryValue<number>(db)`
    SELECT count(*) AS items
      FROM (SELECT FROM unmatched_totals w WHERE ${isTotalFor({})} LIMIT ${sql.lit(most)}) AS waiting`;

/** Waiting (with or without a track), or posted through the alias. */
export type Part = 'waiting' | 'posted';
const rateOfPart: Record<Part, RawBuilder<unknown>> = {
  waiting: sql`l.rate`,
  // The rate used when it was posted.
  posted: sql`(SELECT r.rate FROM import_rates r WHERE r.import_id = s.import_id AND r.currency = s.currency)`,
};
const isPart: Record<Part, RawBuilder<unknown>> = {
  waiting: sql`s.import_id IS NULL`,
  posted: sql`s.import_id IS NOT NULL AND s.track_id = i.alias_track_id`,
};

/** Sums of items in live statements, by item; without items, of all of them under the key ''. */
export async function measure(
  db: Trx,
  keys: readonly string[],
  part: Part,
  by: 'item' | 'all' = 'all',
): Promise<Map<string, WaitingRow>> {
  const rows = await queryRows<WaitingRow & { key: string }>(db)`
    WITH ${liveMonths()},
    own AS MATERIALIZED (
      SELECT ${by === 'item' ? sql`i.key` : sql`''::text`} AS key, s.statement_id, l.currency,
             ${rateOfPart[part]} AS rate, s.amount, s.quantity
        FROM income_items i JOIN statement_sums s ON s.item = i.key ${joinLive}
       WHERE i.key = ANY(${keys}::text[]) AND ${isPart[part]}
    ),
    ${ratedByKey}
    SELECT o.key, o.statements, o.quantity, e.amount_eur, coalesce(w.without_rate, '[]') AS without_rate
      FROM (SELECT key, count(DISTINCT statement_id) AS statements, sum(quantity) AS quantity FROM own GROUP BY key) o
      JOIN (SELECT key, ${inEuros(sql`amount`, sql`rate`)} AS amount_eur FROM per_rate GROUP BY key) e USING (key)
      LEFT JOIN without w USING (key)`;
  return new Map(rows.map(({ key, ...row }) => [key, row]));
}

type MovedIsrc = Record<'trackId' | 'formerTrackId', number> & Record<'isrc' | 'title' | 'formerTitle', string>;

export interface IsrcChange {
  trackId: number;
  /** The track's current ISRC; also null when the track is deleted. */
  isrc: string | null;
  former?: string | null;
}

export const listKnownIsrcs = async (trx: Trx, isrcs: readonly string[]) =>
  new Set(
    await queryColumn<string>(trx)`
    SELECT key FROM income_items WHERE key = ANY(${isrcs}::text[])
    UNION SELECT isrc FROM import_unsaved_rows WHERE isrc = ANY(${isrcs}::text[])`,
  );

/**
 * Tracks that an ISRC now leads to instead of another account's: those given one that such a track has or had, and
 * those that keep one that such a track just lost.
 */
export function listMovedIsrcs(trx: Trx, changes: readonly IsrcChange[]) {
  const trackIds = changes.flatMap(({ trackId, isrc }) => (isrc === null ? [] : [trackId]));
  const lost = changes.filter(({ isrc, former }) => former && former !== isrc);
  return queryRows<MovedIsrc>(trx)`
    WITH pair (track_id, former_track_id) AS (
      SELECT t.id, l.entity_id::bigint FROM tracks t
        JOIN audit_log l ON l.entity = 'track' AND l.before ? 'isrc' AND l.before ->> 'isrc' = t.isrc
       WHERE t.id = ANY(${trackIds}::bigint[])
      UNION SELECT t.id, f.id FROM tracks t JOIN tracks f ON f.isrc = t.isrc WHERE t.id = ANY(${trackIds}::bigint[])
      UNION SELECT t.id, n.track_id
        FROM unnest(${lost.map(({ trackId }) => trackId)}::bigint[], ${lost.map(({ former }) => former)}::text[]) AS n (track_id, isrc)
        JOIN tracks t ON t.isrc = n.isrc AND t.deleted_at IS NULL)
    SELECT DISTINCT ON (t.id) t.id AS track_id, t.isrc, t.title, f.id AS former_track_id, f.title AS former_title
      FROM pair p JOIN tracks t ON t.id = p.track_id JOIN tracks f ON f.id = p.former_track_id AND f.account_id <> t.account_id
     ORDER BY t.id, f.id DESC`;
}

type LockedItem = Record<'aliasTrackId' | 'trackId', number | null> & { key: string; trackTitle: string | null };

/**
 * Locks items until the transaction ends. Changes of their track take a shared lock first, so that a load that holds it
 * exclusively locks its items without a deadlock (`match_items`).
 */
export async function lockItems(trx: Trx, keys: readonly string[]): Promise<Map<string, LockedItem>> {
  await sql`SELECT pg_advisory_xact_lock_shared(hashtext('match_items'))`.execute(trx);
  const rows = await queryRows<LockedItem>(trx)`
    SELECT i.key, i.alias_track_id, i.track_id, (SELECT t.title FROM tracks t WHERE t.id = i.track_id) AS track_title
      FROM income_items i WHERE i.key = ANY(${keys}::text[]) ORDER BY i.key FOR UPDATE OF i`;
  return new Map(rows.map((row) => [row.key, row]));
}

export async function findTracks(trx: Trx, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await queryRows<{ id: number; title: string }>(trx)`
    SELECT id, title FROM tracks WHERE id = ANY(${ids}::bigint[])`;
  return new Map(rows.map(({ id, title }) => [id, title]));
}

/** Sets or clears (null) the track of items, and moves their waiting income. */
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
  await sql`SELECT match_items(${aliases.map(({ key }) => key)}::text[])`.execute(trx);
}

/** The sources and months of the items' waiting income in which nothing is unmatched any more. */
export const listFinished = (trx: Trx, keys: readonly string[]) => queryRows<{ source: string; month: string }>(trx)`
    SELECT DISTINCT st.source, ${postedMonth} AS month
      FROM statement_sums m JOIN statements st ON st.id = m.statement_id AND ${isLive}
     WHERE m.item = ANY(${keys}::text[]) AND m.import_id IS NULL
       AND NOT EXISTS (SELECT FROM statements other JOIN statement_months o ON o.statement_id = other.id
                        WHERE other.source = st.source AND other.status IN ('loaded', 'checked') AND o.unmatched_sums > 0
                          AND coalesce(other.accounting_month, o.month) = ${postedMonth})
     ORDER BY month, source`;

type AliasRow = TrackRefRow &
  Pick<Alias, 'key' | 'upc' | 'title' | 'artist' | 'assignedBy'> & {
    id: number;
    itemIsrc: string | null;
    aliasAt: Date;
  };

const aliasSorts: Record<string, SortKey> = {
  date: { expression: sql`i.alias_at`, type: 'timestamptz' },
  title: { expression: sql`i.title`, type: 'text' },
};

export async function listAliases(db: Trx, query: ListQuery) {
  const page = keyset(query, aliasSorts, sql`i.id`);
  const matches = query.q
    ? sql`(${textMatches(query.q)} OR EXISTS (
        SELECT FROM tracks t WHERE t.id = i.alias_track_id AND ${hasWords(sql`t.search`, query.q)}))`
    : sql`true`;
  return readPage<AliasRow>(db, page, {
    columns: sql`
      i.id, i.key, i.isrc AS item_isrc, i.upc, i.title, i.artist, i.alias_at,
      ${adminName('i.alias_by')} AS assigned_by,
      ${trackRefColumns}`,
    from: sql`income_items i`,
    row: 'i',
    where: [sql`i.alias_track_id IS NOT NULL`, matches],
    joins: sql`
      JOIN tracks t ON t.id = i.alias_track_id
      JOIN releases r ON r.id = t.release_id
      JOIN accounts a ON a.id = t.account_id`,
  });
}
