import { sql } from 'kysely';
import { queryColumn, queryRow, queryRows, queryValue, type Trx } from '#src/lib/db.ts';
import { exactly } from '#src/modules/income/lines/lines.service.ts';
import { rateOf } from '#src/modules/money/exchange-rates/exchange-rates.service.ts';

/** `month` is the one that the lines are posted to, `YYYY-MM`. */
type IncomeFile = Record<'storageKey' | 'source' | 'month', string> & { statementId: number };

/** Files of live statements' lines that are posted to these months. @param from, to `YYYY-MM-01` */
export function listIncomeFiles(db: Trx, from: string, to: string) {
  const month = sql`coalesce(st.accounting_month, l.month)`;
  return queryRows<IncomeFile>(db)`
    SELECT l.statement_id, f.storage_key, st.source, to_char(${month}, 'YYYY-MM') AS month
      FROM statements st JOIN statement_line_files l ON l.statement_id = st.id JOIN files f ON f.id = l.file_id
     WHERE st.status IN ('loaded', 'checked') AND ${month} BETWEEN ${from}::date AND ${to}::date
     ORDER BY l.statement_id, l.month`;
}

export type MonthRate = { month: string; currency: string; rate: string | null };

export function listRates(db: Trx, from: string, to: string) {
  const month = sql`coalesce(st.accounting_month, m.month)`;
  return queryRows<MonthRate>(db)`
    SELECT to_char(u.month, 'YYYY-MM') AS month, u.currency, ${rateOf(sql`u.currency`, sql`u.month`)}::text AS rate
      FROM (SELECT DISTINCT ${month} AS month, m.currency
              FROM statements st JOIN statement_months m ON m.statement_id = st.id
             WHERE st.status IN ('loaded', 'checked') AND ${month} BETWEEN ${from}::date AND ${to}::date) u`;
}

/** With more tracks, reading all items is faster. */
const mostTracks = 500;

/**
 * Items of the tracks that have a value of each filter, to read only their lines; undefined where all are read: without
 * such a filter, for many tracks, or for income without a track.
 */
export async function listOwnedItems(
  db: Trx,
  filters: Partial<Record<'track' | 'release' | 'account', readonly string[]>>,
): Promise<string[] | undefined> {
  const { track, release, account } = filters;
  const valueLists = [track, release, account].filter((values) => values !== undefined);
  if (valueLists.length === 0 || valueLists.some((values) => values.includes(''))) return undefined;
  const has = (column: string, values: readonly string[] | undefined) =>
    values === undefined
      ? sql`true`
      : sql`${sql.ref(column)} = ANY(${values.filter((value) => /^[1-9]\d{0,17}$/.test(value))}::bigint[])`;
  const tracks = await queryColumn<number>(db)`
    SELECT id FROM tracks WHERE ${has('id', track)} AND ${has('release_id', release)} AND ${has('account_id', account)}
     LIMIT ${sql.lit(mostTracks + 1)}`;
  if (tracks.length > mostTracks) return undefined;
  return queryColumn<string>(db)`SELECT DISTINCT item FROM statement_sums WHERE track_id = ANY(${tracks}::bigint[])`;
}

const itemsAtOnce = 100_000;
type OwnerPiece = Record<'text' | 'last', string | null>;
const ownerColumns = sql`coalesce(t.id::text, ''), coalesce(t.release_id::text, ''), coalesce(t.account_id::text, '')`;

/** Lines of text, in pieces: item, track, release, account. */
export async function* readOwners(db: Trx, items: readonly string[] | undefined): AsyncGenerator<string> {
  for (let after: string | null = ''; after !== null; ) {
    const piece: OwnerPiece | undefined = await queryRow<OwnerPiece>(db)`
      SELECT string_agg(concat_ws(E'\t', i.key, ${ownerColumns}) || E'\n', '') AS text, max(i.key) AS last
        FROM (SELECT key, track_id FROM income_items WHERE key > ${after} AND track_id IS NOT NULL ${items ? sql`AND key = ANY(${items})` : sql``}
               ORDER BY key LIMIT ${sql.lit(itemsAtOnce)}) i
        JOIN tracks t ON t.id = i.track_id`;
    if (piece?.text) yield piece.text;
    after = piece?.last ?? null;
  }
}

/**
 * Sums of another track than their item's, posted before it changed. Lines of text: statement, month, item, kind,
 * currency, track, release, account.
 */
export const findExceptions = (db: Trx, files: readonly IncomeFile[], items: readonly string[] | undefined) =>
  queryValue<string>(db)`
    SELECT coalesce(string_agg(concat_ws(E'\t', s.statement_id, s.month, s.item, s.kind, s.currency, ${ownerColumns}) || E'\n', ''), '')
      FROM statement_line_files l
      JOIN statement_sums s ON s.statement_id = l.statement_id AND s.month = l.month
      JOIN income_items i ON i.key = s.item AND i.track_id IS DISTINCT FROM s.track_id
      JOIN files f ON f.id = l.file_id
      LEFT JOIN tracks t ON t.id = s.track_id
     WHERE f.storage_key = ANY(${files.map(({ storageKey }) => storageKey)})
       ${items ? sql`AND s.item = ANY(${items})` : sql``}`;

export interface Sum {
  /** Places; null for the total of all rows or columns. */
  row: number | null;
  column: number | null;
  sum: string;
}

/** The engine's cells: row, column, month, kind, currency, number and rest. */
const cellsOf = (text: string) => sql`
  SELECT cell[1]::integer AS row, cell[2]::integer AS "column", cell[3] AS month, cell[4] AS kind, cell[5] AS currency,
         ${sql.raw(exactly('cell[6]::numeric', 'cell[7]::numeric'))} AS number
    FROM (SELECT string_to_array(line, E'\t') AS cell FROM string_to_table(${text}, E'\n') AS line WHERE line <> '') c`;

/** Exact sums of cells, rows, columns and the whole. */
export const sumCells = (db: Trx, text: string) => queryRows<Sum>(db)`
    SELECT CASE WHEN grouping(c.row) = 0 THEN c.row END AS row, CASE WHEN grouping(c."column") = 0 THEN c."column" END AS "column",
           trim_scale(sum(c.number)) AS sum
      FROM (${cellsOf(text)}) c GROUP BY CUBE (c.row, c."column")`;

/** The same in euros: like a month's analytics (`addUpMonth`), each month and kind is rounded to ten decimals. */
export const sumEuros = (db: Trx, text: string, rates: readonly MonthRate[]) => queryRows<Sum>(db)`
    WITH amounts AS (
      SELECT grouping(c.row) AS all_rows, grouping(c."column") AS all_columns, c.row, c."column", c.month, c.kind, c.currency,
             sum(c.number) AS amount
        FROM (${cellsOf(text)}) c GROUP BY c.month, c.kind, c.currency, CUBE (c.row, c."column")
    ),
    kinds AS (
      SELECT a.all_rows, a.all_columns, a.row, a."column", round(coalesce(sum(a.amount / r.rate), 0), 10) AS sum
        FROM amounts a
        LEFT JOIN jsonb_to_recordset(${JSON.stringify(rates)}::jsonb) AS r (month text, currency text, rate numeric) USING (month, currency)
       GROUP BY a.all_rows, a.all_columns, a.row, a."column", a.month, a.kind
    )
    SELECT CASE WHEN all_rows = 0 THEN row END AS row, CASE WHEN all_columns = 0 THEN "column" END AS "column", sum(sum) AS sum
      FROM kinds GROUP BY all_rows, all_columns, row, "column"`;

export async function listUnrated(db: Trx, text: string, rates: readonly MonthRate[]) {
  const unrated = rates.filter(({ rate }) => rate === null);
  if (unrated.length === 0) return [];
  return queryRows<{ month: string; currency: string; amount: string }>(db)`
    SELECT c.month, c.currency, sum(c.number) AS amount
      FROM (${cellsOf(text)}) c
      JOIN jsonb_to_recordset(${JSON.stringify(unrated)}::jsonb) AS r (month text, currency text) USING (month, currency)
     GROUP BY c.month, c.currency ORDER BY c.month, c.currency`;
}
