import type { IncomeKind } from '@regie/contract/statements.ts';
import { type RawBuilder, sql } from 'kysely';
import { type Database, queryColumn, queryRow, queryRows, querySingle, type Trx } from '#src/lib/db.ts';
import {
  importSource,
  liveMonths,
  revenue,
  revenueByPlace,
  toEuros,
} from '#src/modules/income/revenue/revenue.service.ts';
import { isDoubled } from '#src/modules/income/statements/statements.service.ts';
import { ledgerName } from '#src/modules/money/ledger/ledger.service.ts';

/** Parts shown of a source; the smaller ones are one row. */
const shownParts = 10;

export type Subject =
  | { account: number; isGross?: boolean }
  | { tracks: readonly number[] }
  | { store: string | undefined };

/** First days of the months, equally many. */
export interface Periods {
  a: readonly string[];
  b: readonly string[];
}

export interface PartRow {
  effect: string;
  source: string;
  /** Null where the effect is the same for all. */
  kind: IncomeKind | null;
  /** Null for the sum of a source. */
  place: number | null;
  others: number | null;
  id: number | null;
  name: string;
  /** Decimal text. */
  amount: string;
  before: number | null;
  after: number | null;
  currency: string | null;
  reports: [number | null, number | null];
  statements: [number | null, number | null];
}

export interface ComparisonRow {
  amountA: string;
  amountB: string;
  isForecastA: boolean;
  isForecastB: boolean;
  missing: { currency: string; amountA: number; amountB: number }[];
  doubled: { id: number; fileName: string }[];
  parts: PartRow[];
}

type Name = (start: string) => RawBuilder<unknown>;
/** The columns of both periods, whose names end with the period's. */
const ofBoth = (columns: (of: Name, isB: RawBuilder<unknown>) => RawBuilder<unknown>) => {
  const names =
    (period: 'a' | 'b'): Name =>
    (start) =>
      sql.raw(`${start}${period}`);
  return sql`${columns(names('a'), sql`NOT is_b`)}, ${columns(names('b'), sql`is_b`)}`;
};

/**
 * Takes the difference of two periods apart (docs/decisions/450). CTEs before it:
 * `received`: place (of the month in its period), is_b, source: the source has live income there.
 * `atoms`: subject (one comparison each), place, is_b, nature (income, correction, referral, adjustment, share), source,
 * kind, currency, item, track_id, has_left, quantity, amount, eur (null without a rate), net, report_id, statement_id, is_waiting.
 */
const comparison = (before: RawBuilder<unknown>) => sql`
  WITH ${before},
  by_currency AS (
    SELECT subject, place, nature, source, kind, currency, item, max(track_id) AS track_id, bool_or(has_left) AS has_left,
           ${ofBoth(
             (of, isB) => sql`
           sum(quantity) FILTER (WHERE ${isB}) AS ${of('q')}, sum(amount) FILTER (WHERE ${isB}) AS ${of('m')},
           round(sum(eur) FILTER (WHERE ${isB}), 10) AS ${of('e')}, round(sum(net) FILTER (WHERE ${isB}), 10) AS ${of('n')},
           max(report_id) FILTER (WHERE ${isB}) AS ${of('report_')},
           max(statement_id) FILTER (WHERE ${isB}) AS ${of('statement_')}`,
           )}
      FROM atoms WHERE eur IS NOT NULL GROUP BY subject, place, nature, source, kind, currency, item
  ),
  -- A currency on one side only: all of them in euros.
  atom AS (
    SELECT subject, place, nature, source, kind, CASE WHEN is_mixed THEN 'EUR' ELSE currency END AS currency, item,
           max(track_id) AS track_id, bool_or(has_left) AS has_left,
           ${ofBoth(
             (of) => sql`
           sum(${of('q')}) AS ${of('q')}, sum(CASE WHEN is_mixed THEN ${of('e')} ELSE ${of('m')} END) AS ${of('m')},
           sum(${of('e')}) AS ${of('e')}, sum(${of('n')}) AS ${of('n')},
           max(${of('report_')}) AS ${of('report_')}, max(${of('statement_')}) AS ${of('statement_')}`,
           )}
      FROM (SELECT *, count(*) OVER same > 1 AND bool_or((na IS NULL) <> (nb IS NULL)) OVER same AS is_mixed
              FROM by_currency WINDOW same AS (PARTITION BY subject, place, nature, source, kind, item)) c
     GROUP BY 1, 2, 3, 4, 5, 6, 7
  ),
  sorted AS (
    SELECT *, CASE
             WHEN nature IN ('referral', 'adjustment', 'share') THEN nature
             WHEN (place, source, true) NOT IN (SELECT place, source, is_b FROM received) THEN 'missing'
             WHEN (place, source, false) NOT IN (SELECT place, source, is_b FROM received) THEN 'extra'
             WHEN nature = 'correction' OR ma < 0 OR mb < 0 THEN 'correction'
             WHEN track_id IS NULL THEN NULL
             WHEN NOT bool_or(na IS NOT NULL) OVER track THEN 'new'
             WHEN NOT bool_or(nb IS NOT NULL) OVER track THEN CASE WHEN has_left THEN 'moved' ELSE 'gone' END
           END AS whole
      FROM atom WINDOW track AS (PARTITION BY subject, track_id)
  ),
  step AS MATERIALIZED (
    SELECT s.*, coalesce(na, 0) AS t0, coalesce(nb, 0) AS t4,
           CASE WHEN whole IS NULL AND ma > 0 AND ea > 0 AND mb > 0 AND qa > 0 AND qb > 0 THEN round(na * qb / qa, 10) END AS t1,
           CASE WHEN whole IS NULL AND ma > 0 AND ea > 0 AND mb > 0 THEN round(mb * na / ma, 10) END AS t2,
           CASE WHEN whole IS NULL AND ma > 0 AND ea > 0 AND mb > 0 THEN round(eb * na / ea, 10) END AS t3
      FROM sorted s
  ),
  piece AS (
    SELECT v.effect, s.*, CASE WHEN v.effect IN ('plays', 'price') THEN kind END AS of_kind, v.amount, CASE WHEN nature IN ('referral', 'adjustment') THEN item ELSE track_id::text END AS value
      FROM step s
     CROSS JOIN LATERAL (VALUES
       (CASE WHEN whole IS NOT NULL THEN whole
             WHEN (na IS NULL OR nb IS NULL) AND coalesce(qa, qb) > 0 THEN 'plays' ELSE 'amount' END,
        CASE WHEN t2 IS NULL THEN t4 - t0 WHEN t1 IS NULL THEN t2 - t0 END),
       ('plays', t1 - t0), ('price', t2 - t1), ('rate', t3 - t2), ('share', CASE WHEN t3 IS NOT NULL THEN t4 - t3 END)
     ) AS v (effect, amount)
     WHERE v.amount <> 0
  ),
  ranked AS (
    SELECT *, least(dense_rank() OVER (PARTITION BY subject, effect, source, of_kind ORDER BY abs(total) DESC, value), ${sql.lit(shownParts + 1)}) AS part
      FROM (SELECT *, sum(amount) OVER (PARTITION BY subject, effect, source, of_kind, value) AS total FROM piece) p
  ),
  part AS MATERIALIZED (
    SELECT subject, effect, source, of_kind, part, CASE WHEN part <= ${sql.lit(shownParts)} THEN max(value)::bigint END AS id,
           CASE WHEN part > ${sql.lit(shownParts)} THEN count(DISTINCT coalesce(value, '')) END AS others, sum(amount) AS amount,
           CASE WHEN min(currency) = max(currency) THEN min(currency) END AS currency,
           ${ofBoth(
             (of) => sql`
           CASE effect WHEN 'plays' THEN sum(${of('q')})
             WHEN 'price' THEN CASE WHEN min(currency) = max(currency) THEN sum(${of('m')}) / sum(${of('q')}) END
             WHEN 'rate' THEN CASE WHEN min(currency) = max(currency) THEN sum(${of('m')}) / nullif(sum(${of('e')}), 0) END
             WHEN 'share' THEN 100 * sum(${of('n')}) / nullif(sum(${of('e')}), 0) END AS ${of('of_')},
           max(${of('report_')}) AS ${of('report_')}, max(${of('statement_')}) AS ${of('statement_')}`,
           )}
      FROM ranked GROUP BY GROUPING SETS ((subject, effect, source, of_kind), (subject, effect, source, of_kind, part))
  )`;

const parts = sql`coalesce(jsonb_agg(jsonb_build_object(
                   'effect', effect, 'source', source, 'kind', of_kind, 'place', part, 'others', others, 'id', p.id, 'amount', p.amount::text, 'currency', p.currency,
                   'before', round(of_a, 10), 'after', round(of_b, 10), 'reports', jsonb_build_array(report_a, report_b),
                   'statements', jsonb_build_array(statement_a, statement_b),
                   'name', coalesce(CASE effect WHEN 'referral' THEN a.first_name || ' ' || a.last_name WHEN 'adjustment' THEN l.memo ELSE t.title END, ''))
                 ORDER BY abs(p.amount) DESC, source, part), '[]') AS parts`;
const partRows = sql`
            FROM part p
            LEFT JOIN accounts a ON effect = 'referral' AND a.id = p.id
            LEFT JOIN ledger_transactions l ON effect = 'adjustment' AND l.id = p.id
            LEFT JOIN tracks t ON effect NOT IN ('referral', 'adjustment') AND t.id = p.id`;

export const compareAtoms = (db: Database | Trx, before: RawBuilder<unknown>) => querySingle<ComparisonRow>(db)`
  ${comparison(before)}
  SELECT (SELECT coalesce(sum(na), 0) FROM atom) AS amount_a, (SELECT coalesce(sum(nb), 0) FROM atom) AS amount_b,
         ${ofBoth((of, isB) => sql`EXISTS (SELECT FROM atoms WHERE is_waiting AND ${isB}) AS ${of('is_forecast_')}`)},
         (SELECT coalesce(jsonb_agg(to_jsonb(u) ORDER BY currency), '[]')
            FROM (SELECT currency, coalesce(sum(amount) FILTER (WHERE NOT is_b), 0) AS "amountA", coalesce(sum(amount) FILTER (WHERE is_b), 0) AS "amountB"
                    FROM atoms WHERE eur IS NULL GROUP BY currency) u) AS missing,
         (SELECT coalesce(jsonb_agg(jsonb_build_object('id', st.id, 'fileName', st.file_name) ORDER BY st.id), '[]')
            FROM statements st WHERE st.id IN (SELECT statement_id FROM atoms) AND ${isDoubled('st')}) AS doubled,
         (SELECT ${parts} ${partRows})`;

/** Of each subject; parts of sources without the tracks they are made of. */
const compareEach = (db: Database | Trx, before: RawBuilder<unknown>) => queryRows<
  Pick<ComparisonRow, 'amountA' | 'amountB' | 'parts'> & { subject: number }
>(db)`
  ${comparison(before)}
  SELECT s.*, ${parts} ${partRows}
    JOIN (SELECT subject, coalesce(sum(na), 0) AS amount_a, coalesce(sum(nb), 0) AS amount_b FROM atom GROUP BY subject) s USING (subject)
   WHERE part IS NULL OR effect IN ('referral', 'adjustment')
   GROUP BY s.subject, s.amount_a, s.amount_b`;

/** Of the two periods' months, `asked`; live statements, `live_month`; what came from where, `received` and `sending`. */
const asked = ({ a, b }: Periods, isAsked: (month: RawBuilder<unknown>) => RawBuilder<unknown>) => sql`
  asked AS MATERIALIZED (
    SELECT (n - 1) % ${sql.lit(a.length)} AS place, n > ${sql.lit(a.length)} AS is_b, month
      FROM unnest(${[...a, ...b]}::date[]) WITH ORDINALITY AS m (month, n)
  ),
  ${liveMonths(isAsked)},
  received AS MATERIALIZED (
    SELECT DISTINCT k.place, k.is_b, l.source FROM asked k JOIN live_month l USING (month)
    UNION
    SELECT k.place, k.is_b, ${importSource} FROM asked k JOIN imports i USING (month)
     WHERE i.kind <> 'automatic' AND i.reversed_at IS NULL
       AND (SELECT true FROM reports r WHERE r.import_id = i.id AND r.reversed_at IS NULL LIMIT 1)
  ),
  -- Files of one archive are one sending, and of several currencies each has its first.
  sending AS MATERIALIZED (
    SELECT l.statement_id, l.month, l.currency,
           coalesce(st.unpacked_from, st.id) > min(coalesce(st.unpacked_from, st.id)) OVER (PARTITION BY l.source, l.month, l.currency) AS is_later
      FROM (SELECT DISTINCT source, statement_id, month, currency FROM live_month) l JOIN statements st ON st.id = l.statement_id
  )`;

const atomsOf = (
  revenueRows: RawBuilder<unknown>,
  of: Record<'subject' | 'item' | 'track' | 'report' | 'isWaiting' | 'hasLeft' | 'share', RawBuilder<unknown>>,
  rest = sql``,
) => sql`
  income AS MATERIALIZED (${revenueRows}),
  own AS MATERIALIZED (
    SELECT ${of.subject} AS subject, k.place, k.is_b, CASE WHEN f.is_later THEN 'correction' ELSE 'income' END AS nature, v.source, v.kind, v.currency,
           ${of.item} AS item, ${of.track} AS track_id, ${of.hasLeft} AS has_left, v.quantity, v.amount, ${toEuros(sql`v.amount`, sql`v.rate`)} AS eur,
           ${toEuros(sql`v.amount`, sql`v.rate`)} * ${of.share} AS net, ${of.report} AS report_id, v.statement_id, ${of.isWaiting} AS is_waiting
      FROM income v
      JOIN asked k USING (month)
      LEFT JOIN sending f ON f.statement_id = v.statement_id AND f.month = v.month AND f.currency = v.currency
  ),
  atoms AS MATERIALIZED (SELECT * FROM own ${rest})`;

/** OFFSET: the rows of the subject are read first, whatever the size of the months. */
const rowsOf = (table: 'statement_sums' | 'reports', isOwn: RawBuilder<unknown>) =>
  sql`(SELECT * FROM ${sql.table(table)} WHERE ${isOwn} OFFSET 0)`;
const isOfTracks = (tracks: readonly number[]) => sql`track_id = ANY(${tracks}::bigint[])`;

const ofTracks = {
  item: sql`coalesce(nullif(v.item, ''), '#' || v.track_id)`,
  track: sql`v.track_id`,
  report: sql`v.report_id`,
  isWaiting: sql`v.report_id IS NULL`,
};
const gross = { subject: sql`0`, hasLeft: sql`false`, share: sql`1` };

async function accountAtoms(
  db: Database | Trx,
  { accounts: ids, isGross }: { accounts: readonly number[]; isGross?: boolean },
  periods: Periods,
) {
  const tracks = await listTrackIds(db, ids, periods);
  return atomsOf(
    sql`SELECT i.*, coalesce(i.percentile, a.library_percentile) AS share, t.account_id <> i.account_id AS has_left
          FROM (${revenue(isIn(periods), {
            sums: rowsOf('statement_sums', isOfTracks(tracks)),
            reports: rowsOf(
              'reports',
              sql`account_id = ANY(${ids}::bigint[]) AND month = ANY(${monthsOf(periods)}::date[]) AND reversed_at IS NULL`,
            ),
          })}) i
          JOIN accounts a ON a.id = i.account_id
          LEFT JOIN tracks t ON t.id = i.track_id
         WHERE i.account_id = ANY(${ids}::bigint[])`,
    { ...ofTracks, subject: sql`v.account_id`, hasLeft: sql`v.has_left`, share: isGross ? sql`1` : sql`v.share / 100` },
    // Reports round to 6 decimals.
    isGross
      ? sql``
      : sql`
    UNION ALL
    SELECT subject, place, is_b, 'share', '', '', 'EUR', '', NULL, NULL, NULL, NULL, 0, -net, NULL, NULL, NULL FROM own WHERE report_id IS NOT NULL
    UNION ALL
    SELECT r.account_id, k.place, k.is_b, 'share', '', '', 'EUR', '', NULL, NULL, NULL, NULL, 0, r.account_eur, NULL, NULL, NULL
      FROM asked k JOIN reports r ON r.account_id = ANY(${ids}::bigint[]) AND r.month = k.month AND r.reversed_at IS NULL
    UNION ALL
    SELECT m.subject, k.place, k.is_b, CASE m.kind WHEN 'report' THEN 'referral' ELSE m.kind END, '', '', 'EUR',
           CASE m.kind WHEN 'report' THEN m.account_id ELSE m.id END::text, NULL, NULL, NULL, m.amount, m.amount, m.amount, NULL, NULL, NULL
      FROM (SELECT u.subject, t.id, t.account_id, p.amount, coalesce(o.kind, t.kind) AS kind, p.occurred_at, i.month
              FROM unnest(${ids}::bigint[]) AS u (subject)
              JOIN ledger_postings p ON p.account = ${ledgerName.account('u.subject')} AND p.currency = 'EUR'
              JOIN ledger_transactions t ON t.id = p.transaction_id
              LEFT JOIN ledger_transactions o ON o.id = t.reverses
              LEFT JOIN imports i ON i.id = t.import_id) m
      JOIN asked k ON k.month = CASE WHEN m.kind = 'adjustment' THEN month_in_paris(m.occurred_at) WHEN m.kind = 'report' AND m.account_id <> m.subject THEN m.month END`,
  );
}

const storeAtoms = (store: string | undefined, isAsked: Parameters<typeof revenue>[0]) =>
  atomsOf(
    sql`SELECT source, statement_id, month, kind, currency, rate, sum(quantity) AS quantity, sum(amount) AS amount
          FROM (${revenueByPlace(isAsked)}) p WHERE dimension = 'store' AND ${store === undefined ? sql`true` : sql`value = ${store}`}
         GROUP BY source, statement_id, month, kind, currency, rate`,
    {
      ...gross,
      ...{ item: sql`''`, track: sql`NULL::bigint`, report: sql`NULL::bigint` },
      isWaiting: sql`EXISTS (SELECT FROM live_month l WHERE l.statement_id = v.statement_id AND l.month = v.month AND l.waiting_eur <> 0)`,
    },
  );

const trackAtoms = (tracks: readonly number[], isAsked: Parameters<typeof revenue>[0]) =>
  atomsOf(
    revenue(isAsked, {
      sums: rowsOf('statement_sums', isOfTracks(tracks)),
      reports: rowsOf('reports', sql`${isOfTracks(tracks)} AND reversed_at IS NULL`),
    }),
    { ...ofTracks, ...gross },
  );

const monthsOf = ({ a, b }: Periods) => [...a, ...b];
const isIn =
  (periods: Periods): Parameters<typeof revenue>[0] =>
  (month) =>
    sql`${month} = ANY(${monthsOf(periods)}::date[])`;

export async function compareSubject(db: Database | Trx, subject: Subject, periods: Periods): Promise<ComparisonRow> {
  const isAsked = isIn(periods);
  const atoms =
    'account' in subject
      ? await accountAtoms(db, { ...subject, accounts: [subject.account] }, periods)
      : 'store' in subject
        ? storeAtoms(subject.store, isAsked)
        : trackAtoms(subject.tracks, isAsked);
  return compareAtoms(db, sql`${asked(periods, isAsked)}, ${atoms}`);
}

/** Without forecasts, doubled statements and missing rates. */
export const compareAccounts = async (db: Database | Trx, accounts: readonly number[], periods: Periods) =>
  compareEach(db, sql`${asked(periods, isIn(periods))}, ${await accountAtoms(db, { accounts }, periods)}`);

const listTrackIds = (db: Database | Trx, accounts: readonly number[], periods: Periods) => queryColumn<number>(db)`
  SELECT id FROM tracks WHERE account_id = ANY(${accounts}::bigint[])
  UNION
  SELECT track_id FROM reports
   WHERE account_id = ANY(${accounts}::bigint[]) AND month = ANY(${monthsOf(periods)}::date[]) AND reversed_at IS NULL
     AND track_id IS NOT NULL`;

/** The name of a record and the tracks whose income it is. */
export function findSubject(db: Database | Trx, subject: 'account' | 'release' | 'track', id: number) {
  const { table, name, tracks } = {
    account: {
      table: sql`accounts`,
      name: sql`coalesce(nullif(trim(first_name || ' ' || last_name), ''), company, email::text, 'Compte ' || id)`,
      tracks: sql`false`,
    },
    release: { table: sql`releases`, name: sql`title`, tracks: sql`t.release_id = s.id` },
    track: { table: sql`tracks`, name: sql`title`, tracks: sql`t.id = s.id` },
  }[subject];
  return queryRow<{ name: string; tracks: number[] }>(db)`
    SELECT ${name} AS name, ARRAY(SELECT t.id FROM tracks t WHERE ${tracks}) AS tracks FROM ${table} s WHERE s.id = ${id}`;
}
