import type { PivotDimension } from '@regie/contract/analytics.ts';
import { type RawBuilder, sql } from 'kysely';
import { queryColumn, queryRow, queryRows, queryValue, type Trx } from '#src/lib/db.ts';
import { exactly } from '#src/modules/income/lines/lines.service.ts';
import { importRevenue, liveMonths, toEuros } from '#src/modules/income/revenue/revenue.service.ts';
import type { Cut } from './pivot.questions.ts';

/** `month` is the one that the lines are posted to, `YYYY-MM`; `rates` has a currency and its units per euro each. */
type IncomeFile = Record<'storageKey' | 'source' | 'month', string> & {
  statementId: number;
  rates: { currency: string; rate: string | null }[];
};

const between = (from: string, to: string) => (month: RawBuilder<unknown>) =>
  sql`${month} BETWEEN ${from}::date AND ${to}::date`;

/** Files of live statements' lines that are posted to these months. @param from, to `YYYY-MM-01` */
export const listIncomeFiles = (db: Trx, from: string, to: string) => queryRows<IncomeFile>(db)`
    WITH ${liveMonths(between(from, to))}
    SELECT l.statement_id, f.storage_key, m.source, to_char(m.month, 'YYYY-MM') AS month,
           jsonb_agg(jsonb_build_object('currency', m.currency, 'rate', m.mean_rate::text) ORDER BY m.currency) AS rates
      FROM live_month m
      JOIN statement_line_files l ON l.statement_id = m.statement_id AND l.month = m.line_month
      JOIN files f ON f.id = l.file_id
     GROUP BY l.statement_id, l.month, f.storage_key, m.source, m.month
     ORDER BY l.statement_id, l.month`;

/** Units of a currency per euro, for files and imports that have `rated`. */
export type Rate = { rated: string; month: string; currency: string; rate: string | null };

/** Of imports without a statement, whose income is in dollars. */
export const listImportRates = (db: Trx, from: string, to: string) => queryRows<Rate>(db)`
    SELECT DISTINCT ${ratedImports} AS rated, to_char(i.month, 'YYYY-MM') AS month, 'USD' AS currency, i.rate::text AS rate
      FROM imports i WHERE i.kind <> 'automatic' AND i.reversed_at IS NULL AND ${between(from, to)(sql`i.month`)}`;
const ratedImports = sql`to_char(i.month, 'YYYY-MM') || ' ' || i.rate`;

const ofMonth = (form: string) => sql`to_char(i.month, ${sql.lit(form)})`;
/** Of imported reports, as in files; a quarter and a year are named by their first month. */
const importColumns: Record<PivotDimension, RawBuilder<unknown>> = {
  month: ofMonth('YYYY-MM'),
  quarter: sql`to_char(date_trunc('quarter', i.month), 'YYYY-MM')`,
  year: ofMonth('YYYY-01'),
  store: sql`i.source`,
  country: sql`''`,
  kind: sql`i.kind`,
  source: sql`i.source`,
  currency: sql`i.currency`,
  track: sql`coalesce(i.track_id::text, '')`,
  release: sql`coalesce(t.release_id::text, '')`,
  account: sql`i.account_id::text`,
};

/**
 * Income of imports without a statement, added up by what a cut asks for. Lines of text: value of the row, value of the
 * column, rated, currency, number, rest.
 */
export const findImported = (db: Trx, { rows, columns, measure, unit, filters }: Cut, from: string, to: string) => {
  const filtered = Object.entries(filters).map(
    ([by, values]) => sql`${importColumns[by as PivotDimension]} = ANY(${values}::text[])`,
  );
  const conditions = [...filtered, measure === 'amount' ? sql`i.currency = ${unit ?? ''}` : sql`true`];
  const number = measure === 'quantity' ? sql`i.quantity` : sql`i.amount`;
  return queryValue<string>(db)`
    SELECT coalesce(string_agg(concat_ws(E'\t', row_value, column_value, rated, currency, number, 0) || E'\n', ''), '')
      FROM (SELECT ${importColumns[rows]} AS row_value, ${columns ? importColumns[columns] : sql`''`} AS column_value,
                   ${ratedImports} AS rated, i.currency, sum(${number}) AS number
              FROM (${importRevenue(between(from, to))}) i LEFT JOIN tracks t ON t.id = i.track_id
             WHERE ${sql.join(conditions, sql` AND `)} GROUP BY 1, 2, 3, 4) added`;
};

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
const trackColumns = sql`coalesce(t.id::text, ''), coalesce(t.release_id::text, '')`;

/** Lines of text, in pieces: item, track, release, account. */
export async function* readOwners(db: Trx, items: readonly string[] | undefined): AsyncGenerator<string> {
  for (let after: string | null = ''; after !== null; ) {
    const piece: OwnerPiece | undefined = await queryRow<OwnerPiece>(db)`
      SELECT string_agg(concat_ws(E'\t', i.key, ${trackColumns}, t.account_id) || E'\n', '') AS text, max(i.key) AS last
        FROM (SELECT key, track_id FROM income_items WHERE key > ${after} AND track_id IS NOT NULL ${items ? sql`AND key = ANY(${items})` : sql``}
               ORDER BY key LIMIT ${sql.lit(itemsAtOnce)}) i
        JOIN tracks t ON t.id = i.track_id`;
    if (piece?.text) yield piece.text;
    after = piece?.last ?? null;
  }
}

/**
 * Sums of another track or account than their item's, posted before it changed. Lines of text: statement, month, item, kind,
 * currency, track, release, account.
 */
export const findExceptions = (
  db: Trx,
  files: readonly Pick<IncomeFile, 'storageKey'>[],
  items: readonly string[] | undefined,
) =>
  queryValue<string>(db)`
    SELECT coalesce(string_agg(concat_ws(E'\t', s.statement_id, s.month, s.item, s.kind, s.currency,
                                         ${trackColumns}, coalesce(r.account_id, t.account_id)::text) || E'\n', ''), '')
      FROM statement_line_files l
      JOIN statement_sums s ON s.statement_id = l.statement_id AND s.month = l.month
      JOIN income_items i ON i.key = s.item
      JOIN files f ON f.id = l.file_id
      LEFT JOIN tracks t ON t.id = s.track_id
      LEFT JOIN reports r ON r.import_id = s.import_id AND r.track_id = s.track_id AND r.reversed_at IS NULL
     WHERE (i.track_id IS DISTINCT FROM s.track_id OR r.account_id <> t.account_id) AND f.storage_key = ANY(${files.map(({ storageKey }) => storageKey)})
       ${items ? sql`AND s.item = ANY(${items})` : sql``}`;

export interface Sum {
  /** Places; null for the total of all rows or columns. */
  row: number | null;
  column: number | null;
  sum: string;
}

/** The engine's cells: row, column, rated, currency, number and rest. */
const cellsOf = (text: string) => sql`
  SELECT cell[1]::integer AS row, cell[2]::integer AS "column", cell[3] AS rated, cell[4] AS currency,
         ${sql.raw(exactly('cell[5]::numeric', 'cell[6]::numeric'))} AS number
    FROM (SELECT string_to_array(line, E'\t') AS cell FROM string_to_table(${text}, E'\n') AS line WHERE line <> '') c`;

/** Exact sums of cells, rows, columns and the whole. */
export const sumCells = (db: Trx, text: string) => queryRows<Sum>(db)`
    SELECT CASE WHEN grouping(c.row) = 0 THEN c.row END AS row, CASE WHEN grouping(c."column") = 0 THEN c."column" END AS "column",
           trim_scale(sum(c.number)) AS sum
      FROM (${cellsOf(text)}) c GROUP BY CUBE (c.row, c."column")`;

/** The same in euros. */
export const sumEuros = (db: Trx, text: string, rates: readonly Rate[]) => queryRows<Sum>(db)`
    WITH amounts AS (
      SELECT grouping(c.row) AS all_rows, grouping(c."column") AS all_columns, c.row, c."column", c.rated, c.currency,
             sum(c.number) AS amount
        FROM (${cellsOf(text)}) c GROUP BY c.rated, c.currency, CUBE (c.row, c."column")
    )
    SELECT CASE WHEN all_rows = 0 THEN row END AS row, CASE WHEN all_columns = 0 THEN "column" END AS "column",
           round(coalesce(sum(${toEuros(sql`amount`, sql`r.rate`)}), 0), 10) AS sum
      FROM amounts LEFT JOIN jsonb_to_recordset(${JSON.stringify(rates)}::jsonb) AS r (rated text, currency text, rate numeric) USING (rated, currency)
     GROUP BY all_rows, all_columns, row, "column"`;

export async function listUnrated(db: Trx, text: string, rates: readonly Rate[]) {
  const unrated = rates.filter(({ rate }) => rate === null);
  if (unrated.length === 0) return [];
  return queryRows<{ month: string; currency: string; amount: string }>(db)`
    SELECT r.month, c.currency, sum(c.number) AS amount
      FROM (${cellsOf(text)}) c
      JOIN jsonb_to_recordset(${JSON.stringify(unrated)}::jsonb) AS r (rated text, month text, currency text) USING (rated, currency)
     GROUP BY r.month, c.currency ORDER BY r.month, c.currency`;
}
