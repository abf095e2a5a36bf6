import { addMonths, type Month, monthOfInstant } from '@regie/values/month.ts';

export const analyticsDimensions = ['period', 'store', 'country', 'track', 'release', 'account'] as const;
export type AnalyticsDimension = (typeof analyticsDimensions)[number];

export const analyticsSpans = ['month', 'quarter', 'year'] as const;
export type AnalyticsSpan = (typeof analyticsSpans)[number];
export const monthsOfSpan: Record<AnalyticsSpan, number> = { month: 1, quarter: 3, year: 12 };

export function startOfSpan(span: AnalyticsSpan, month: string): Month {
  const index = Number(month.slice(5, 7)) - 1;
  return addMonths(month, -(index % monthsOfSpan[span]));
}

/** The same for an instant on the wire. */
export const startOfSpanAt = (span: AnalyticsSpan, ms: number): Month => startOfSpan(span, monthOfInstant(ms));

/** What the cross table cuts income by. Months, quarters and years are those that income is posted to. */
export const pivotDimensions = [
  'month',
  'quarter',
  'year',
  'store',
  'country',
  'kind',
  'source',
  'currency',
  'track',
  'release',
  'account',
] as const;
export type PivotDimension = (typeof pivotDimensions)[number];

export const isSpan = (by: PivotDimension): by is AnalyticsSpan => analyticsSpans.some((span) => span === by);

/** Euros; units; or the amounts of one currency as the statements have them. */
export const pivotMeasures = ['euros', 'quantity', 'amount'] as const;
export type PivotMeasure = (typeof pivotMeasures)[number];

/** The largest rows and columns are shown; the others are added up. */
export const pivotLimits = { months: 120, rows: 200, columns: 60, filterValues: 50, seconds: 30 } as const;

/** The value of income without a track, country or name, which is empty. */
const nameless = '~';

/** Values of a filter as one text, for an address: `Deezer,YouTube`; `~` is the empty value. */
export const writeValues = (values: readonly string[]): string =>
  values.map((value) => (value === '' ? nameless : value.replaceAll(/[\\,]|^~$/g, '\\$&'))).join(',');

/** The inverse of `writeValues`. */
export const readValues = (text: string): string[] =>
  (text.match(/(?:\\.|[^,\\])+/gs) ?? []).map((value) => (value === nameless ? '' : value.replaceAll(/\\(.)/gs, '$1')));
