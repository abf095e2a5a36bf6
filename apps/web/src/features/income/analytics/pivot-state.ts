import {
  isSpan,
  type PivotDimension,
  type PivotMeasure,
  pivotDimensions,
  pivotMeasures,
  readValues,
  writeValues,
} from '@regie/contract/analytics.ts';
import type { PivotEntry } from '@regie/contract/routes/analytics.ts';
import { countryName } from '@regie/values/countries.ts';
import { formatInteger } from '@regie/values/formats.ts';
import { earliestSaleMs, monthFromParam } from '#src/lib/months.ts';
import type { SearchParams } from '#src/lib/search-params.ts';
import { frAnalytics } from './analytics.fr.ts';
import { periodName } from './analytics-labels.ts';
import { frPivot } from './pivot.fr.ts';

const t = frPivot;

export interface PivotQuestion {
  rows: PivotDimension;
  columns: PivotDimension | undefined;
  measure: PivotMeasure;
  unit: string;
  /** Milliseconds; by default the last twelve months with income. */
  from: number | undefined;
  to: number | undefined;
  filters: Partial<Record<PivotDimension, readonly string[]>>;
}

export const noColumns = 'none';

export const oneOf = <Value extends string>(values: readonly Value[], text: string | undefined): Value | undefined =>
  values.find((value) => value === text);

export function readQuestion(search: SearchParams): PivotQuestion {
  const rows = oneOf(pivotDimensions, search.rows) ?? 'store';
  const columns =
    search.columns === noColumns
      ? undefined
      : (oneOf(pivotDimensions, search.columns) ?? (isSpan(rows) ? 'store' : 'month'));
  const [from, to] = [monthFromParam(search.from, earliestSaleMs), monthFromParam(search.to, earliestSaleMs)];
  const [first, last] = from !== undefined && to !== undefined && from > to ? [to, from] : [from, to];
  const filters = pivotDimensions.flatMap((by) => {
    const values = readValues(search[by] ?? '');
    return values.length === 0 ? [] : [[by, values] as const];
  });
  return {
    rows,
    columns: columns === rows ? undefined : columns,
    measure: oneOf(pivotMeasures, search.measure) ?? 'euros',
    unit: /^[A-Z]{3}$/.test(search.unit ?? '') ? (search.unit ?? '') : 'EUR',
    from: first,
    to: last,
    filters: Object.fromEntries(filters),
  };
}

export const currencyOf = ({ measure, unit }: PivotQuestion): string | null =>
  measure === 'quantity' ? null : measure === 'euros' ? 'EUR' : unit;

/** What each dimension says already: of a track the release and the account, of a month its quarter. */
const implied: Partial<Record<PivotDimension, readonly PivotDimension[]>> = {
  track: ['release', 'account'],
  release: ['account'],
  month: ['quarter', 'year'],
  quarter: ['year'],
};
const drillOrder = ['store', 'country', 'track', 'month', 'kind', 'account', 'release', 'source', 'currency'] as const;

export function drillInto(question: PivotQuestion, into: readonly (readonly [PivotDimension, string])[]): SearchParams {
  const single = [
    ...into.map(([by]) => by),
    ...pivotDimensions.filter((by) => question.filters[by]?.length === 1),
  ].flatMap((by) => [by, ...(implied[by] ?? [])]);
  const rest = drillOrder.filter((by) => !single.includes(by));
  const isGone = (by: PivotDimension | undefined) => by === undefined || single.includes(by);
  const columns = isGone(question.columns) ? undefined : question.columns;
  const rows = isGone(question.rows) ? (rest.find((by) => by !== columns) ?? question.rows) : question.rows;
  return {
    ...Object.fromEntries(into.map(([by, value]) => [by, writeValues([value])])),
    rows,
    columns: columns ?? noColumns,
    sort: undefined,
    order: undefined,
  };
}

export function entryName(
  by: PivotDimension,
  { value, name, others }: Pick<PivotEntry, 'value' | 'name' | 'others'>,
): string {
  if (others !== null) return t.others(formatInteger(others));
  if (isSpan(by)) {
    const ms = monthFromParam(value, earliestSaleMs);
    return ms === undefined ? value : periodName(by, ms);
  }
  if (by === 'kind') return t.kinds[value as keyof typeof t.kinds] ?? value;
  if (by === 'country') return countryName(value) || frAnalytics.nameless.country;
  if (by === 'source' || by === 'currency') return name;
  return name || (value === '' ? frAnalytics.nameless[by] : value);
}
