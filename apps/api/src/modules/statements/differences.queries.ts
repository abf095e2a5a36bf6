import { sql } from 'kysely';
import type { Database, Trx } from '#src/lib/db.ts';
import { rateOf } from '#src/modules/exchange-rates/exchange-rates.service.ts';

export interface Compared {
  source: string;
  /** The statement that this one corrects is left out: it is about to go. */
  replaces: number | null;
  /** First days of the month looked at and of the one before. */
  month: string;
  formerMonth: string;
}

export interface DifferenceRow {
  label: string;
  trackId: number | null;
  amountEur: string;
  formerEur: string;
  differenceEur: string;
}

const shownDifferences = 10;

/** What a source's live statements have in two months, by a value. */
const amountsOf = (compared: Compared, value: ReturnType<typeof sql>, from: ReturnType<typeof sql>) => sql`
  SELECT value, coalesce(sum(eur) FILTER (WHERE month = ${compared.month}::date), 0) AS amount_eur,
         coalesce(sum(eur) FILTER (WHERE month = ${compared.formerMonth}::date), 0) AS former_eur
    FROM (
      SELECT k.value, k.month, k.amount / r.rate AS eur
        FROM (
          SELECT ${value} AS value, coalesce(st.accounting_month, x.month) AS month, x.currency, sum(x.amount) AS amount
            FROM statements st ${from}
           WHERE st.source = ${compared.source} AND st.status IN ('loaded', 'checked')
             AND st.id IS DISTINCT FROM ${compared.replaces}::bigint
             AND EXISTS (SELECT FROM statement_months n
                          WHERE n.statement_id = st.id
                            AND coalesce(st.accounting_month, n.month) IN (${compared.month}::date, ${compared.formerMonth}::date))
             AND coalesce(st.accounting_month, x.month) IN (${compared.month}::date, ${compared.formerMonth}::date)
           GROUP BY 1, 2, 3
        ) k
        -- Looked up once a month and currency, not once a track.
        JOIN (
          SELECT c.currency, m.month, ${rateOf(sql`c.currency`, sql`m.month`)} AS rate
            FROM (SELECT DISTINCT currency FROM statement_months) c,
                 (VALUES (${compared.month}::date), (${compared.formerMonth}::date)) AS m (month) OFFSET 0
        ) r ON r.currency = k.currency AND r.month = k.month
    ) e GROUP BY value`;

const rollups = (dimension: 'store' | 'country') =>
  sql`JOIN statement_rollups x ON x.statement_id = st.id AND x.dimension = ${sql.lit(dimension)}`;
const sums = sql`JOIN statement_sums x ON x.statement_id = st.id`;

/** The values that differ most, the largest difference first; sums that no rate is known for are left out. */
export async function listDifferences(
  db: Database | Trx,
  compared: Compared,
  dimension: 'store' | 'country',
): Promise<DifferenceRow[]> {
  const { rows } = await sql<DifferenceRow>`
    SELECT value AS label, NULL::bigint AS track_id, round(amount_eur, 6) AS amount_eur, round(former_eur, 6) AS former_eur,
           round(amount_eur, 6) - round(former_eur, 6) AS difference_eur
      FROM (${amountsOf(compared, sql`x.value`, rollups(dimension))}) d
     WHERE amount_eur <> former_eur
     ORDER BY abs(amount_eur - former_eur) DESC, value LIMIT ${sql.lit(shownDifferences)}`.execute(db);
  return rows;
}

/** The same of tracks; of what no track is known for, by what the file calls it. */
export async function listTrackDifferences(db: Database | Trx, compared: Compared): Promise<DifferenceRow[]> {
  const value = sql`coalesce('#' || x.track_id, x.item)`;
  const { rows } = await sql<DifferenceRow>`
    SELECT coalesce(t.title, nullif(i.title, ''), i.isrc, d.value) AS label, t.id AS track_id,
           round(d.amount_eur, 6) AS amount_eur, round(d.former_eur, 6) AS former_eur,
           round(d.amount_eur, 6) - round(d.former_eur, 6) AS difference_eur
      FROM (
        SELECT * FROM (${amountsOf(compared, value, sums)}) a
         WHERE amount_eur <> former_eur
         ORDER BY abs(amount_eur - former_eur) DESC, value LIMIT ${sql.lit(shownDifferences)}
      ) d
      LEFT JOIN tracks t ON d.value = '#' || t.id AND t.id = CASE WHEN d.value LIKE '#%' THEN substr(d.value, 2)::bigint END
      LEFT JOIN income_items i ON i.key = d.value
     ORDER BY abs(d.amount_eur - d.former_eur) DESC, d.value`.execute(db);
  return rows;
}

/** What a source has in the two months altogether, EUR. */
export async function sumMonths(
  db: Database | Trx,
  compared: Compared,
): Promise<{ amountEur: string; formerEur: string }> {
  const from = sql`JOIN statement_months x ON x.statement_id = st.id`;
  const { rows } = await sql<{ amountEur: string; formerEur: string }>`
    SELECT coalesce(round(sum(amount_eur), 6), 0) AS amount_eur, coalesce(round(sum(former_eur), 6), 0) AS former_eur
      FROM (${amountsOf(compared, sql`st.id`, from)}) d`.execute(db);
  return rows[0] ?? { amountEur: '0', formerEur: '0' };
}
