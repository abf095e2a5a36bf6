import {
  isSpan,
  type PivotDimension,
  type PivotMeasure,
  pivotDimensions,
  pivotLimits,
} from '@regie/contract/analytics.ts';
import type { Dialect } from './analytics-engine.service.ts';

/**
 * What the cross table asks, in SQL that DuckDB and ClickHouse share but for the `Dialect`. Values compare by bytes.
 */
export interface Cut {
  rows: PivotDimension;
  columns?: PivotDimension | undefined;
  measure: PivotMeasure;
  /** Of the measure `amount`. */
  unit?: string | undefined;
  /** Months, quarters, years and sources are chosen by file. */
  filters: Partial<Record<PivotDimension, readonly string[]>>;
}

/** Tables, or what stands for one. */
export interface Sources {
  dialect: Dialect;
  /** Undefined where only imports are asked for. */
  statements?: StatementSources | undefined;
  /** Of imports: row_value, column_value, rated, currency, number, rest. */
  imports?: string | undefined;
  /** Columns: rated, currency, rate. */
  rates: string;
}

export interface StatementSources {
  lines: { table: string; filename: string };
  /** Columns: file, statement_id, source, rated, and the month, quarter and year its lines are posted to. */
  files: string;
  /** The only items with income of the cut, if known; at least one. */
  items?: readonly string[] | undefined;
  /** Columns: item, track, release, account. */
  owners?: string;
  /** Lines of another track: statement_id, month, item, kind, currency, track, release, account. */
  exceptions?: string;
}

const owners = ['track', 'release', 'account'] as const;
const isOwner = (by: PivotDimension) => owners.some((owner) => owner === by);
/** Whether each line has it; the others are its file's or its item's. */
const isOfLine = (by: PivotDimension) => !isOwner(by) && !isSpan(by) && by !== 'source';

const dimensionsOf = ({ rows, columns, filters }: Cut): PivotDimension[] =>
  pivotDimensions.filter((by) => by === rows || by === columns || filters[by]);

export const needsOwners = (cut: Cut): boolean => dimensionsOf(cut).some(isOwner);

/** CTEs ending in `income`. */
function income(cut: Cut, { dialect, statements, imports }: Sources): string {
  const parts = [
    ...(statements ? [statementIncome(cut, dialect, statements)] : []),
    ...(imports === undefined
      ? []
      : [`SELECT row_value, column_value, rated, currency, number, rest FROM ${imports} i`]),
  ];
  return `income AS (${parts.join(' UNION ALL ')})`;
}

/** Lines are added up before they are joined. */
function statementIncome(
  cut: Cut,
  dialect: Dialect,
  { lines, files, items, owners, exceptions }: StatementSources,
): string {
  const { literal } = dialect;
  const isIn = (column: string, values: readonly string[]) => `${column} IN (${values.map(literal).join(', ')})`;
  const column = (by: PivotDimension) => {
    if (isOwner(by)) return `coalesce(${exceptions === undefined ? '' : `e.${by}, `}o.${by}, '')`;
    return `${isOfLine(by) ? 's' : 'f'}.${by}`;
  };
  const columns = new Set<string>([cut.rows, cut.columns].filter((by) => by !== undefined).filter(isOfLine));
  if (cut.measure === 'euros') columns.add('currency');
  if (owners !== undefined) columns.add('item');
  if (exceptions !== undefined) for (const name of ['month', 'kind', 'currency']) columns.add(name);
  const ofLines: string[] = [];
  const ofOwners: string[] = [];
  for (const by of pivotDimensions) {
    const values = cut.filters[by];
    if (!values) continue;
    if (isOfLine(by)) ofLines.push(isIn(`l.${by}`, values));
    if (isOwner(by)) ofOwners.push(isIn(column(by), values));
  }
  // The files are sorted by item: a reader skips the parts without these.
  if (items) ofLines.push(isIn('l.item', items));
  if (cut.measure === 'amount') ofLines.push(`l.currency = ${literal(cut.unit ?? '')}`);
  const where = (conditions: readonly string[]) => (conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`);
  const measured = cut.measure === 'quantity' ? 'quantity' : 'amount';
  // By item there are nearly as many sums as lines: only worth it where each node of a cluster adds up its own.
  const isSummed = owners === undefined || dialect.isOfNodes;
  const [number, rest] = [`l.${measured}`, `l.${measured}_rest`].map((of) => (isSummed ? `sum(${of})` : of));
  return `
    SELECT ${column(cut.rows)} AS row_value, ${cut.columns ? column(cut.columns) : "''"} AS column_value,
           f.rated AS rated, ${columns.has('currency') ? 's.currency' : "''"} AS currency, s.number AS number, s.rest AS rest
      FROM (
        SELECT ${[`l.${lines.filename} AS file`, ...[...columns].map((name) => `l.${name} AS ${name}`)].join(', ')},
               ${number} AS number, ${rest} AS rest
          FROM ${lines.table} l ${where(ofLines)}
         ${isSummed ? `GROUP BY ${[lines.filename, ...columns].map((name) => `l.${name}`).join(', ')}` : ''}
      ) s
      JOIN ${files} f ON f.file = s.file
      ${owners === undefined ? '' : `LEFT JOIN ${owners} o ON o.item = s.item`}
      ${
        exceptions === undefined
          ? ''
          : `LEFT JOIN ${exceptions} e ON e.statement_id = f.statement_id AND e.month = s.month AND e.item = s.item
                                      AND e.kind = s.kind AND e.currency = s.currency`
      }
     ${where(ofOwners)}`;
}

/** A row or column to show; the first place is 1. */
export type Ranked = { isRow: boolean; value: string; place: number; total: number };

/** The largest rows and columns, of periods the last. Euros are approximate: they only decide what is shown. */
export function rankQuestion(cut: Cut, sources: Sources): string {
  const isEuros = cut.measure === 'euros';
  // In hundredths, so that the order of addition does not decide; few sums lie where this rounds.
  const size = (by: PivotDimension | undefined) =>
    by !== undefined && isSpan(by) ? '0' : 'floor(abs(coalesce(weight, 0)) * 100 + 0.4142135)';
  return `
    WITH ${income(cut, sources)},
    -- Added up first: far fewer numbers are divided.
    summed AS (
      SELECT row_value, column_value${isEuros ? ', rated, currency' : ''}, CAST(sum(number) AS DOUBLE) AS weight
        FROM income GROUP BY row_value, column_value${isEuros ? ', rated, currency' : ''}
    ),
    weighed AS (
      SELECT grouping(s.column_value) AS is_row,
             CASE WHEN grouping(s.column_value) = 1 THEN s.row_value ELSE s.column_value END AS value,
             sum(s.weight${isEuros ? ' / r.rate' : ''}) AS weight
        FROM summed s ${isEuros ? `LEFT JOIN ${sources.rates} r ON r.rated = s.rated AND r.currency = s.currency` : ''}
       GROUP BY GROUPING SETS ((s.row_value), (s.column_value))
    ),
    ranked AS (
      SELECT is_row, value,
             row_number() OVER (PARTITION BY is_row ORDER BY CASE WHEN is_row = 1 THEN ${size(cut.rows)} ELSE ${size(cut.columns)} END DESC,
                                                             value DESC) AS place,
             count(*) OVER (PARTITION BY is_row) AS total
        FROM weighed
    )
    SELECT is_row, value, place, total FROM ranked
     WHERE place <= CASE WHEN is_row = 1 THEN ${pivotLimits.rows} ELSE ${pivotLimits.columns} END`;
}

/**
 * Exact sums by place of the shown rows and columns; place 0 has all others. For euros, by rates, kind and
 * currency; otherwise these are empty.
 */
export function cellsQuestion(cut: Cut, sources: Sources, shown: readonly Ranked[]): string {
  const places = (isRow: boolean) =>
    sources.dialect.values(
      { value: 'text', place: 'whole' },
      shown.filter((one) => one.isRow === isRow).map(({ value, place }) => [value, place]),
    );
  const parts = cut.measure === 'euros' ? 'i.rated, i.currency' : `'', ''`;
  return `
    WITH ${income(cut, sources)}
    SELECT coalesce(r.place, 0), coalesce(c.place, 0), ${parts}, sum(i.number), sum(i.rest)
      FROM income i
      LEFT JOIN ${places(true)} r ON r.value = i.row_value
      LEFT JOIN ${places(false)} c ON c.value = i.column_value
     GROUP BY 1, 2, 3, 4`;
}
