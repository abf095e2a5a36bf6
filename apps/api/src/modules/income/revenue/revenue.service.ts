import { type RawBuilder, sql } from 'kysely';
import { rateOf } from '#src/modules/money/exchange-rates/exchange-rates.service.ts';

/** Condition on a month that income counts in. */
type Asked = (month: RawBuilder<unknown>) => RawBuilder<unknown>;

/** What reports that no statement posted are a source of, and a store, like those of files. */
export const importSource = sql`
  CASE WHEN i.type = 'youtube' THEN 'Vidéo' WHEN i.kind = 'single' THEN 'Saisie' ELSE 'Import CSV' END`;

/** The month an income counts in: staff's for the whole statement `st`, or the one that its lines name. */
const monthOf = (table: string) => sql`coalesce(st.accounting_month, ${sql.ref(`${table}.month`)})`;

/** Enough decimals for sums of millions of amounts to be the same in any order, up to the shown millionth. */
export const toEuros = (amount: RawBuilder<unknown>, rate: RawBuilder<unknown>) =>
  sql`${amount}::numeric(60, 20) / ${rate}`;

/**
 * CTE `live_month`: live statements by month and currency, with today's `rate`, what waits and what is posted in euros. For
 * stores and countries, of which it is not known what is posted, `mean_rate` gives the same euros in all.
 * @param isAsked condition on `month`, the month the income counts in; that of the lines is `line_month`
 */
export const liveMonths = (isAsked: Asked) => sql`
  live_month AS MATERIALIZED (
    SELECT l.*, CASE WHEN lowest = highest THEN lowest
                     ELSE coalesce(amount / nullif(coalesce(posted_eur, 0) + coalesce(waiting_eur, 0), 0), rate) END AS mean_rate
      FROM (
        SELECT st.id AS statement_id, st.source, m.month AS line_month, ${monthOf('m')} AS month, m.currency, m.amount, k.rate,
               least(p.lowest, w.rate) AS lowest, greatest(p.highest, w.rate) AS highest, p.eur AS posted_eur,
               ${toEuros(sql`(m.amount - m.posted_amount)`, sql`w.rate`)} AS waiting_eur
          FROM statements st
          JOIN statement_months m ON m.statement_id = st.id
         CROSS JOIN LATERAL (SELECT ${rateOf(sql`m.currency`, monthOf('m'))} AS rate OFFSET 0) k
         CROSS JOIN LATERAL (SELECT CASE WHEN m.sums > m.posted_sums THEN k.rate END AS rate) w
         CROSS JOIN LATERAL (
           SELECT min(u.rate) AS lowest, max(u.rate) AS highest, sum(${toEuros(sql`p.amount`, sql`u.rate`)}) AS eur
             FROM statement_postings p
             LEFT JOIN import_rates r USING (import_id, currency)
            CROSS JOIN LATERAL (SELECT coalesce(r.rate, k.rate) AS rate) u
            WHERE p.statement_id = m.statement_id AND p.month = m.month AND p.currency = m.currency) p
         WHERE st.status IN ('loaded', 'checked') AND ${isAsked(monthOf('m'))}
      ) l
  )`;

/** Reports of imports that no statement posted: the second half of `revenue`. @param reports a part of that table */
export const importRevenue = (isAsked: Asked, reports = sql`reports`) => sql`
  SELECT ${importSource} AS source, NULL::bigint AS statement_id, i.id AS import_id, i.month, '' AS item, r.track_id, r.account_id,
         r.percentile, v.kind, 'USD' AS currency, i.rate, v.quantity, v.amount, r.id AS report_id
    FROM imports i
    JOIN ${reports} r ON r.import_id = i.id AND r.reversed_at IS NULL
   CROSS JOIN LATERAL (VALUES ('stream', r.num_streams, r.income_streams_usd), ('download', r.num_downloads, r.income_downloads_usd),
                              ('video', r.num_youtube, r.income_youtube_usd)) AS v (kind, quantity, amount)
   WHERE i.kind <> 'automatic' AND i.reversed_at IS NULL AND ${isAsked(sql`i.month`)}
     AND (v.quantity <> 0 OR v.amount <> 0)`;

/**
 * The one revenue (product §22.17) by track: sums of `live_month`, posted ones at the rate and account of their import,
 * the others at today's, and reports of other imports. Columns: source, statement_id and import_id (null where none),
 * month, item, track_id, account_id, percentile and report_id (of a report), kind, currency, rate (units per euro),
 * quantity, amount.
 * @param sums, reports parts of these tables
 */
export const revenue = (isAsked: Asked, { sums = sql`statement_sums`, reports = sql`reports` } = {}) => sql`
  SELECT l.source, l.statement_id, s.import_id, l.month, s.item, s.track_id, coalesce(r.account_id, t.account_id) AS account_id,
         r.percentile, s.kind, s.currency, coalesce(k.rate, l.rate) AS rate, s.quantity, s.amount, r.id AS report_id
    FROM live_month l
    JOIN ${sums} s ON s.statement_id = l.statement_id AND s.month = l.line_month AND s.currency = l.currency
    LEFT JOIN import_rates k ON k.import_id = s.import_id AND k.currency = s.currency
    LEFT JOIN reports r ON r.import_id = s.import_id AND r.track_id = s.track_id AND r.reversed_at IS NULL
    LEFT JOIN tracks t ON t.id = s.track_id
  UNION ALL
  ${importRevenue(isAsked, reports)}`;

/**
 * The same revenue by store and country, as far as files say them. Columns: dimension, value, source, statement_id,
 * month, kind, currency, rate, quantity, amount. Reports of other imports have their source as a store, and no country.
 */
export const revenueByPlace = (isAsked: Asked) => sql`
  SELECT p.dimension, p.value, l.source, l.statement_id, l.month, p.kind, p.currency, l.mean_rate AS rate, p.quantity, p.amount
    FROM live_month l
    JOIN statement_rollups p ON p.statement_id = l.statement_id AND p.month = l.line_month AND p.currency = l.currency
  UNION ALL
  SELECT d.dimension, d.value, i.source, NULL, i.month, i.kind, i.currency, i.rate, i.quantity, i.amount
    FROM (${importRevenue(isAsked)}) i
   CROSS JOIN LATERAL (VALUES ('store', i.source), ('country', '')) AS d (dimension, value)`;
