import { type AnalyticsDimension, type AnalyticsSpan, monthsOfSpan } from '@regie/contract/analytics.ts';
import type { AnalyticsHistory, AnalyticsSums } from '@regie/contract/routes/analytics.ts';
import { type RawBuilder, sql } from 'kysely';
import { type Database, queryRow, queryRows, type Trx } from '#src/lib/db.ts';
import { capCount, countExpression, cutPage, keyset, type ListQuery, type SortKey } from '#src/lib/keyset.ts';
import { hasWords } from '#src/lib/text-search.ts';
import { liveMonths, revenue, revenueByPlace, toEuros } from '#src/modules/income/revenue/revenue.service.ts';
import { rateOf } from '#src/modules/money/exchange-rates/exchange-rates.service.ts';

/** Months (`YYYY-MM-01`) that changed since their last update. */
export const listMarks = (db: Database) => queryRows<{ id: number; month: string }>(db)`
  SELECT id, month FROM analytics_marks ORDER BY id`;

export const removeMarks = (db: Database, ids: readonly number[]) =>
  sql`DELETE FROM analytics_marks WHERE id = ANY(${ids}::bigint[])`.execute(db);

const kinds = { streams: 'stream', downloads: 'download', videos: 'video' } as const;
const sumColumns = sql.raw('streams, downloads, videos, streams_eur, downloads_eur, videos_eur');
/** One column of units and one of euros per kind; the same in any order of addition. */
const pivotByKind = sql.join(
  Object.entries(kinds).flatMap(([name, kind]) => [
    sql`coalesce(sum(quantity) FILTER (WHERE kind = ${sql.lit(kind)}), 0) AS ${sql.ref(name)}`,
    sql`coalesce(sum(${toEuros(sql`amount`, sql`rate`)}) FILTER (WHERE kind = ${sql.lit(kind)}), 0) AS ${sql.ref(`${name}_eur`)}`,
  ]),
);
const addedUp = sql.raw(
  'sum(streams), sum(downloads), sum(videos), sum(streams_eur), sum(downloads_eur), sum(videos_eur)',
);
const insertSums = sql`INSERT INTO analytics_sums (dimension, value, span, starts, ${sumColumns})`;

/** Recomputes a month from the one revenue: by track and account, from those by release and in total; by store and country. */
export async function addUpMonth(trx: Trx, month: string): Promise<void> {
  const isAsked = (of: RawBuilder<unknown>) => sql`${of} = ${sql.lit(month)}::date`;
  await sql`DELETE FROM analytics_sums WHERE span = 'month' AND starts = ${month}::date`.execute(trx);
  await sql`
    CREATE TEMPORARY TABLE pivoted_tracks ON COMMIT DROP AS
      WITH ${liveMonths(isAsked)}
      SELECT track_id, account_id, ${pivotByKind} FROM (
        SELECT track_id, account_id, kind, rate, sum(quantity) AS quantity, sum(amount) AS amount
          FROM (${revenue(isAsked)}) i GROUP BY track_id, account_id, kind, currency, rate
      ) sums GROUP BY track_id, account_id`.execute(trx);
  for (const [dimension, value] of [
    ['track', sql`track_id`],
    ['release', sql`t.release_id`],
    ['account', sql`p.account_id`],
  ] as const) {
    await sql`
      ${insertSums}
      SELECT ${sql.lit(dimension)}, coalesce(${value}::text, ''), 'month', ${month}::date, ${addedUp}
        FROM pivoted_tracks p LEFT JOIN tracks t ON t.id = p.track_id GROUP BY ${value}`.execute(trx);
  }
  await sql`
    ${insertSums}
    SELECT 'total', '', 'month', ${month}::date, ${addedUp} FROM pivoted_tracks HAVING count(*) > 0`.execute(trx);
  await sql`
    ${insertSums}
    WITH ${liveMonths(isAsked)}
    SELECT dimension, value, 'month', ${month}::date, ${sumColumns}
      FROM (SELECT dimension, value, ${pivotByKind} FROM (
        SELECT dimension, value, kind, rate, sum(quantity) AS quantity, sum(amount) AS amount
          FROM (${revenueByPlace(isAsked)}) i GROUP BY dimension, value, kind, currency, rate
      ) sums GROUP BY dimension, value) added`.execute(trx);
}

/** Recomputes a quarter or year from its months. @param start `YYYY-MM-01` */
export async function addUpSpan(trx: Trx, span: AnalyticsSpan, start: string): Promise<void> {
  await sql`DELETE FROM analytics_sums WHERE span = ${span} AND starts = ${start}::date`.execute(trx);
  await sql`
    ${insertSums}
    SELECT dimension, value, ${span}, ${start}::date, ${addedUp}
      FROM analytics_sums
     WHERE span = 'month' AND starts >= ${start}::date AND starts < ${start}::date + make_interval(months => ${monthsOfSpan[span]})
     GROUP BY dimension, value`.execute(trx);
}

export type SpanSums = Record<keyof AnalyticsSums, string>;
const wireColumns = sql.raw(
  's.streams, s.downloads, s.videos, s.streams_eur, s.downloads_eur, s.videos_eur, s.amount_eur',
);

export async function findBounds(db: Trx) {
  const bounds = await queryRow<{ first: string | null; last: string | null; pending: number }>(db)`
    SELECT min(starts) AS first, max(starts) AS last, (SELECT count(DISTINCT month) FROM analytics_marks) AS pending
      FROM analytics_sums WHERE dimension = 'total' AND value = '' AND span = 'month'`;
  return bounds ?? { first: null, last: null, pending: 0 };
}

/** `before` starts the period to compare with; undefined without income. */
export function findTotal(db: Trx, { span, start, before }: { span: AnalyticsSpan; start: string; before: string }) {
  const other = (dimension: string, starts: string) => sql`(
    SELECT o.amount_eur FROM analytics_sums o
     WHERE o.dimension = ${sql.lit(dimension)} AND o.value = '' AND o.span = ${span} AND o.starts = ${starts}::date)`;
  return queryRow<SpanSums & { previousEur: string | null; unmatchedEur: string }>(db)`
    SELECT ${wireColumns}, ${other('total', before)} AS previous_eur, coalesce(${other('account', start)}, 0) AS unmatched_eur
      FROM analytics_sums s
     WHERE s.dimension = 'total' AND s.value = '' AND s.span = ${span} AND s.starts = ${start}::date`;
}

export function listMissingRates(db: Trx, from: string, to: string) {
  const month = sql`coalesce(st.accounting_month, m.month)`;
  return queryRows<{ month: string; currency: string; amount: string }>(db)`
    SELECT ${month} AS month, m.currency, sum(m.amount) AS amount
      FROM statements st JOIN statement_months m ON m.statement_id = st.id
     WHERE st.status IN ('loaded', 'checked') AND ${month} >= ${from}::date AND ${month} < ${to}::date
       AND m.currency <> 'EUR' AND ${rateOf(sql`m.currency`, month)} IS NULL
     GROUP BY 1, 2 ORDER BY 1, 2`;
}

const sorts = {
  amount: { expression: sql`s.amount_eur`, type: 'numeric' },
  quantity: { expression: sql`s.quantity`, type: 'numeric' },
  period: { expression: sql`s.starts`, type: 'date' },
} as const satisfies Record<string, SortKey>;

export type Named = NonNullable<AnalyticsHistory['of']>;
type AnalyticsRowSums = SpanSums &
  Named & { starts: string; previousEur: string | null; previousStarts: string | null };

const artistsOf = sql`coalesce((SELECT string_agg(p.full_name, ', ' ORDER BY c.position, c.id)
              FROM track_credits c JOIN people p ON p.id = c.person_id
             WHERE c.track_id = t.id AND c.kind = 'artist'), '')`;
const nothing = { artists: sql`''`, isrc: sql`NULL`, library: sql`NULL`, account: sql`NULL`, join: sql`` };
const titled = (table: string) =>
  sql`coalesce(concat(${sql.ref(`${table}.title`)}, ' (' || ${sql.ref(`${table}.version`)} || ')'), '')`;
const idOf = (table: string) => sql`${sql.ref(`${table}.id`)} = nullif(s.value, '')::bigint`;
const named: Record<AnalyticsDimension, typeof nothing & { name: RawBuilder<unknown> }> = {
  period: { ...nothing, name: sql`''` },
  store: { ...nothing, name: sql`s.value` },
  country: { ...nothing, name: sql`s.value` },
  track: {
    name: titled('t'),
    artists: artistsOf,
    isrc: sql`t.isrc`,
    library: sql`t.release_id`,
    account: sql`t.account_id`,
    join: sql`LEFT JOIN tracks t ON ${idOf('t')}`,
  },
  release: {
    ...nothing,
    name: titled('r'),
    artists: sql`coalesce(r.artist_name, '')`,
    library: sql`r.id`,
    account: sql`r.account_id`,
    join: sql`LEFT JOIN releases r ON ${idOf('r')}`,
  },
  account: {
    ...nothing,
    name: sql`btrim(concat(a.first_name, ' ', a.last_name))`,
    account: sql`a.id`,
    join: sql`LEFT JOIN accounts a ON ${idOf('a')}`,
  },
};
const nameColumns = (by: AnalyticsDimension) => {
  const { name, artists, isrc, library, account } = named[by];
  return sql`${name} AS name, ${artists} AS artists, ${isrc} AS isrc, ${library} AS library_id, ${account} AS user_id`;
};
/** Releases have no stored folded text. */
const searched = {
  track: { table: 'tracks', text: sql`o.search` },
  release: { table: 'releases', text: sql`fold(concat_ws(' ', o.title, o.version, o.artist_name, o.barcode))` },
  account: { table: 'accounts', text: sql`o.search` },
};

/** @param countries codes whose names match; names are not in the database */
function matches(by: AnalyticsDimension, q: string, countries: readonly string[]): RawBuilder<unknown> {
  if (by === 'store') return hasWords(sql`fold(s.value)`, q);
  if (by === 'country') return sql`s.value = ANY(${countries}::text[])`;
  if (by === 'period') return sql`true`;
  const { table, text } = searched[by];
  return sql`s.value IN (SELECT o.id::text FROM ${sql.table(table)} o WHERE ${hasWords(text, q)})`;
}

/**
 * One page of a dimension's values, each beside the last earlier period with income; for periods, all of one length.
 */
export async function listAnalytics(
  db: Trx,
  query: ListQuery<keyof typeof sorts> & {
    by: AnalyticsDimension;
    span: AnalyticsSpan;
    /** `YYYY-MM-01`; not used for periods. */
    start: string;
    countries: readonly string[];
  },
) {
  const { by, span, start, q } = query;
  const page = keyset(query, sorts, sql`s.id`);
  const conditions = [
    sql`s.dimension = ${by === 'period' ? 'total' : by}`,
    sql`s.span = ${span}`,
    ...(by === 'period' ? [] : [sql`s.starts = ${start}::date`]),
    ...(q ? [matches(by, q, query.countries)] : []),
  ];
  const from = sql`FROM analytics_sums s WHERE ${sql.join(conditions, sql` AND `)}`;
  const rows = await queryRows<AnalyticsRowSums & { id: number; cursorValue: string; total: number }>(db)`
    WITH s AS MATERIALIZED (
      SELECT s.*, ${sorts[query.sort].expression}::text AS cursor_value ${from} AND ${page.after}
       ORDER BY ${page.orderBy} LIMIT ${sql.lit(page.limit + 1)}
    )
    SELECT s.id, s.value, s.starts, ${wireColumns}, s.cursor_value, ${nameColumns(by)},
           o.amount_eur AS previous_eur, o.starts AS previous_starts, ${countExpression(from)} AS total
      FROM s
      LEFT JOIN LATERAL (
        SELECT o.amount_eur, o.starts FROM analytics_sums o
         WHERE o.dimension = s.dimension AND o.value = s.value AND o.span = s.span AND o.starts < s.starts
         ORDER BY o.starts DESC LIMIT 1) o ON true
      ${named[by].join}
     ORDER BY ${page.orderBy}`;
  const cut = cutPage(rows, page);
  return { rows: cut.rows, meta: { nextCursor: cut.nextCursor, ...capCount(rows[0]?.total ?? 0) } };
}

const mostChanges = 5;

/** The largest differences between two months, in EUR. @param starts, before `YYYY-MM-01` */
export function listChanges(db: Trx, query: { by: AnalyticsDimension; starts: string; before: string }) {
  const month = (starts: string) => sql`(
    SELECT value, amount_eur FROM analytics_sums
     WHERE dimension = ${query.by} AND span = 'month' AND starts = ${starts}::date AND value <> '')`;
  return queryRows<Named & { amountEur: string; previousEur: string }>(db)`
    WITH s AS MATERIALIZED (
      SELECT value, coalesce(n.amount_eur, 0) AS amount_eur, coalesce(o.amount_eur, 0) AS previous_eur
        FROM ${month(query.starts)} n FULL JOIN ${month(query.before)} o USING (value)
       WHERE n.amount_eur IS DISTINCT FROM o.amount_eur
       ORDER BY abs(coalesce(n.amount_eur, 0) - coalesce(o.amount_eur, 0)) DESC, value LIMIT ${sql.lit(mostChanges)})
    SELECT s.value, s.amount_eur, s.previous_eur, ${nameColumns(query.by)}
      FROM s ${named[query.by].join} ORDER BY abs(s.amount_eur - s.previous_eur) DESC, s.value`;
}

export const findNamed = (db: Trx, by: AnalyticsDimension, value: string) => queryRow<Named>(db)`
    SELECT s.value, ${nameColumns(by)}
      FROM (SELECT value FROM analytics_sums WHERE dimension = ${by} AND value = ${value} LIMIT 1) s ${named[by].join}`;

export const listNames = (db: Trx, by: AnalyticsDimension, values: readonly string[]) => queryRows<Named>(db)`
    SELECT s.value, ${nameColumns(by)}
      FROM unnest(${values}::text[]) AS s (value) ${named[by].join}`;

/** Of a release's tracks in the months from `from` on. */
export const sumTracks = (db: Trx, releaseId: number, from: string) => queryRows<{
  trackId: number;
  amountEur: string;
}>(db)`
    SELECT t.id AS track_id, coalesce(sum(s.amount_eur), 0) AS amount_eur
      FROM tracks t
      LEFT JOIN analytics_sums s ON s.dimension = 'track' AND s.value = t.id::text AND s.span = 'month' AND s.starts >= ${from}::date
     WHERE t.release_id = ${releaseId} AND t.deleted_at IS NULL GROUP BY t.id`;

/** By month, both ends included, oldest first; months without income are zero. */
export function listHistory(db: Trx, query: { by: AnalyticsDimension; value: string; from: string; to: string }) {
  const none = Object.keys(kinds).flatMap((kind) => [kind, `${kind}_eur`]);
  return queryRows<SpanSums & { starts: string }>(db)`
    SELECT days.month::date AS starts, ${sql.join([...none, 'amount_eur'].map((column) => sql`coalesce(s.${sql.ref(column)}, 0) AS ${sql.ref(column)}`))}
      FROM generate_series(${query.from}::date::timestamp, ${query.to}::date::timestamp, '1 month') AS days (month)
      LEFT JOIN analytics_sums s ON s.dimension = ${query.by === 'period' ? 'total' : query.by} AND s.value = ${query.value}
                              AND s.span = 'month' AND s.starts = days.month::date
     ORDER BY 1`;
}
