import { type RawBuilder, sql } from 'kysely';
import { type Database, queryRow, queryRows, type Trx } from '#src/lib/db.ts';
import { liveMonths } from '#src/modules/income/revenue/revenue.service.ts';

/** First days of the compared month and the one it is compared with. */
type Months = Record<'month' | 'formerMonth', string>;

/** `without` is the id of a live statement that this one corrects; 0 for none. */
type Compared = Months & { source: string; without: number };

export type DifferenceRow = Record<'label' | 'amountEur' | 'formerEur' | 'differenceEur', string> & {
  trackId: number | null;
};

const shownDifferences = 10;
const isLive = sql`st.status IN ('loaded', 'checked')`;

/** Revenue of live statements in two months by a value, for each requested source, without an excluded statement. */
const amountsOf = (
  { month, formerMonth }: Months,
  asked: RawBuilder<unknown>,
  value: RawBuilder<unknown>,
  sums: RawBuilder<unknown>,
) => sql`
  SELECT source, without, value, coalesce(sum(eur) FILTER (WHERE month = ${month}::date), 0) AS amount_eur,
         coalesce(sum(eur) FILTER (WHERE month = ${formerMonth}::date), 0) AS former_eur
    FROM (
      WITH ${liveMonths((of) => sql`${of} IN (${month}::date, ${formerMonth}::date)`)}
      SELECT a.source, a.without, ${value} AS value, l.month, sum(x.amount) / l.mean_rate AS eur
        FROM ${asked} a
        JOIN live_month l ON l.source = a.source AND l.statement_id <> a.without
        JOIN ${sums} x ON x.statement_id = l.statement_id AND x.month = l.line_month AND x.currency = l.currency
       GROUP BY 1, 2, 3, 4, l.mean_rate
    ) e GROUP BY source, without, value`;
const askedOf = ({ source, without }: Compared) =>
  sql`(SELECT ${source}::text AS source, ${without}::bigint AS without)`;

const rollups = (dimension: 'store' | 'country') =>
  sql`(SELECT * FROM statement_rollups WHERE dimension = ${sql.lit(dimension)})`;
const shownColumns = sql`round(d.amount_eur, 6) AS amount_eur, round(d.former_eur, 6) AS former_eur,
       round(d.amount_eur, 6) - round(d.former_eur, 6) AS difference_eur`;

/** The largest differences first; sums without a rate are left out. */
export const listDifferences = (
  db: Database | Trx,
  compared: Compared,
  dimension: 'store' | 'country',
) => queryRows<DifferenceRow>(db)`
    SELECT value AS label, NULL::bigint AS track_id, ${shownColumns}
      FROM (${amountsOf(compared, askedOf(compared), sql`x.value`, rollups(dimension))}) d
     WHERE amount_eur <> former_eur
     ORDER BY abs(amount_eur - former_eur) DESC, value LIMIT ${sql.lit(shownDifferences)}`;

/** By track for each requested source; by item when there is no track. */
const trackDifferences = (months: Months, asked: RawBuilder<unknown>) => sql`
  SELECT * FROM (
    SELECT a.*, row_number() OVER (PARTITION BY source, without ORDER BY abs(amount_eur - former_eur) DESC, value) AS place
      FROM (${amountsOf(months, asked, sql`coalesce('#' || x.track_id, x.item)`, sql`statement_sums`)}) a
     WHERE amount_eur <> former_eur
  ) placed WHERE place <= ${sql.lit(shownDifferences)}`;

const nameDifferences = (db: Database | Trx, differences: RawBuilder<unknown>) => queryRows<DifferenceRow>(db)`
    SELECT coalesce(t.title, nullif(i.title, ''), i.isrc, d.value) AS label, t.id AS track_id, ${shownColumns}
      FROM (${differences}) d
      LEFT JOIN tracks t ON d.value = '#' || t.id AND t.id = CASE WHEN d.value LIKE '#%' THEN substr(d.value, 2)::bigint END
      LEFT JOIN income_items i ON i.key = d.value
     ORDER BY d.place`;

/** The last month with income of the source, within a year: a quarterly source is compared with its previous one. */
export async function findFormerMonth(
  db: Database | Trx,
  { source, without, month }: Omit<Compared, 'formerMonth'>,
): Promise<string | undefined> {
  const own = sql`coalesce(st.accounting_month, x.month)`;
  const former = await queryRow<{ month: string | null }>(db)`
    SELECT max(${own}) AS month FROM statements st JOIN statement_months x ON x.statement_id = st.id
     WHERE ${isLive} AND st.source = ${source} AND st.id <> ${without}
       AND ${own} < ${month}::date AND ${own} >= ${month}::date - interval '1 year'`;
  return former?.month ?? undefined;
}

/** The stored ones, or recomputed while totals are out of date or where the source skipped a month. */
export async function listTrackDifferences(db: Database | Trx, compared: Compared): Promise<DifferenceRow[]> {
  // As text, because JSON numbers lose precision in JavaScript.
  const stored = await queryRow<{ found: string }>(db)`
    SELECT k.found::text AS found FROM track_differences k
     WHERE k.source = ${compared.source} AND k.month = ${compared.month}::date AND k.without = ${compared.without}
       AND ${compared.formerMonth}::date = ${compared.month}::date - interval '1 month'
       AND NOT EXISTS (SELECT FROM analytics_marks m WHERE m.month IN (${compared.month}::date, ${compared.formerMonth}::date))`;
  return nameDifferences(
    db,
    stored
      ? sql`SELECT * FROM jsonb_to_recordset(${stored.found}::jsonb)
                AS k (place bigint, value text, amount_eur numeric, former_eur numeric)`
      : trackDifferences(compared, askedOf(compared)),
  );
}

/** Between a month and the previous one, for each source with a live statement. */
export async function storeTrackDifferences(trx: Trx, months: Months): Promise<void> {
  await sql`DELETE FROM track_differences WHERE month = ${months.month}::date`.execute(trx);
  await sql`
    WITH asked AS MATERIALIZED (
      SELECT DISTINCT st.source, coalesce(o.id, 0) AS without
        FROM statements st JOIN statement_months n ON n.statement_id = st.id
        LEFT JOIN statements o ON o.id = st.replaces AND o.status IN ('loaded', 'checked')
       WHERE ${isLive} AND coalesce(st.accounting_month, n.month) = ${months.month}::date
    )
    INSERT INTO track_differences (source, month, without, found)
    SELECT a.source, ${months.month}::date, a.without,
           coalesce(jsonb_agg(jsonb_build_object('place', d.place, 'value', d.value, 'amount_eur', d.amount_eur, 'former_eur', d.former_eur))
                      FILTER (WHERE d.place IS NOT NULL), '[]')
      FROM asked a LEFT JOIN (${trackDifferences(months, sql`asked`)}) d USING (source, without)
     GROUP BY a.source, a.without`.execute(trx);
}

export const sumMonths = (db: Database | Trx, compared: Compared) =>
  queryRow<{ amountEur: string; formerEur: string }>(db)`
    SELECT coalesce(round(sum(amount_eur), 6), 0) AS amount_eur, coalesce(round(sum(former_eur), 6), 0) AS former_eur
      FROM (${amountsOf(compared, askedOf(compared), sql`x.statement_id`, sql`statement_months`)}) d`;
