import {
  isSpan,
  type PivotDimension,
  type PivotMeasure,
  pivotDimensions,
  pivotLimits,
} from '@regie/contract/insight.ts';
import { literal } from '#src/lib/column-engine.ts';

/**
 * What the cross table asks of the lines, in SQL that column stores share; how files are read is the caller's. Values are
 * compared byte by byte.
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

/** What questions read: each a table or what stands for one. */
export interface Sources {
  /** The columns of the files, and `filename`. */
  lines: string;
  /** filename, statement_id, source and the month, quarter and year that its lines are posted to */
  files: string;
  /** month, currency, rate */
  rates: string;
  /** The only items with income of the cut, if they are known; at least one. */
  items?: readonly string[] | undefined;
  /** Whose income an item is: item, track, release, account. */
  owners?: string;
  /** Where lines are another track's: statement_id, month, item, kind, currency, track, release, account. */
  exceptions?: string;
}

const owners = ['track', 'release', 'account'] as const;
const isOwner = (by: PivotDimension) => owners.some((owner) => owner === by);

/** Whether the owners of items must be known. */
export const needsOwners = ({ rows, columns, filters }: Cut): boolean =>
  [rows, columns, ...pivotDimensions.filter((by) => filters[by])].some((by) => by !== undefined && isOwner(by));

function column(by: PivotDimension): string {
  if (isOwner(by)) return `coalesce(e.${by}, o.${by}, '')`;
  return isSpan(by) || by === 'source' ? `f.${by}` : `l.${by}`;
}

/** The lines of the cut: row, column, month, kind, currency and numbers. */
function income(cut: Cut, { lines, files, items, owners, exceptions }: Sources): string {
  const chosen = pivotDimensions.flatMap((by) => {
    const values = cut.filters[by];
    return values && !isSpan(by) && by !== 'source' ? [`${column(by)} IN (${values.map(literal).join(', ')})`] : [];
  });
  // The files are sorted by item: a reader skips the parts without these.
  if (items) chosen.push(`l.item IN (${items.map(literal).join(', ')})`);
  if (cut.measure === 'amount') chosen.push(`l.currency = ${literal(cut.unit ?? '')}`);
  return `income AS (
    SELECT ${column(cut.rows)} AS row_value, ${cut.columns ? column(cut.columns) : "''"} AS column_value,
           f.month AS month, l.kind AS kind, l.currency AS currency,
           l.quantity AS quantity, l.quantity_rest AS quantity_rest, l.amount AS amount, l.amount_rest AS amount_rest
      FROM ${lines} l
      JOIN ${files} f ON f.filename = l.filename
      ${owners === undefined ? '' : `LEFT JOIN ${owners} o ON o.item = l.item`}
      ${
        exceptions === undefined
          ? ''
          : `LEFT JOIN ${exceptions} e ON e.statement_id = f.statement_id AND e.month = l.month AND e.item = l.item
                                      AND e.kind = l.kind AND e.currency = l.currency`
      }
     ${chosen.length === 0 ? '' : `WHERE ${chosen.join(' AND ')}`}
  )`;
}

/** A row or column to show; the first place is 1. */
export interface Ranked {
  isRow: boolean;
  value: string;
  place: number;
  /** How many there are. */
  total: number;
}

/**
 * The largest rows and columns, of periods the last ones: is_row, value, place, total. Euros are approximate here: they
 * only decide what is shown.
 */
export function rankQuestion(cut: Cut, sources: Sources): string {
  const isEuros = cut.measure === 'euros';
  const number = cut.measure === 'quantity' ? 'quantity' : 'amount';
  // Rounded, so that the order in which numbers are added up does not decide.
  const size = (by: PivotDimension | undefined) =>
    by !== undefined && isSpan(by) ? '0' : 'abs(round(coalesce(weight, 0), 2))';
  return `
    WITH ${income(cut, sources)},
    -- Added up first: far fewer numbers are divided.
    summed AS (
      SELECT row_value, column_value${isEuros ? ', month, currency' : ''}, CAST(sum(${number}) AS DOUBLE) AS weight
        FROM income GROUP BY row_value, column_value${isEuros ? ', month, currency' : ''}
    ),
    weighed AS (
      SELECT grouping(s.column_value) AS is_row,
             CASE WHEN grouping(s.column_value) = 1 THEN s.row_value ELSE s.column_value END AS value,
             sum(s.weight${isEuros ? ' / r.rate' : ''}) AS weight
        FROM summed s ${isEuros ? `LEFT JOIN ${sources.rates} r ON r.month = s.month AND r.currency = s.currency` : ''}
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
 * The exact sums of the shown rows and columns, by place, and of all others at place 0: row, column, month, kind, currency,
 * number and rest. For euros, of each month, kind and currency, which have a rate of their own; otherwise these are empty.
 */
export function cellsQuestion(cut: Cut, sources: Sources, shown: readonly Ranked[]): string {
  const places = (isRow: boolean) =>
    `(VALUES ${shown
      .filter((one) => one.isRow === isRow)
      .map(({ value, place }) => `(${literal(value)}, ${place})`)
      .join(', ')})`;
  const number = cut.measure === 'quantity' ? 'quantity' : 'amount';
  const parts = cut.measure === 'euros' ? 'i.month, i.kind, i.currency' : `'', '', ''`;
  return `
    WITH ${income(cut, sources)}
    SELECT coalesce(r.place, 0), coalesce(c.place, 0), ${parts}, sum(i.${number}), sum(i.${number}_rest)
      FROM income i
      LEFT JOIN ${places(true)} r (value, place) ON r.value = i.row_value
      LEFT JOIN ${places(false)} c (value, place) ON c.value = i.column_value
     GROUP BY 1, 2, 3, 4, 5`;
}
