import type { AnalyticsDimension, AnalyticsSpan } from '@regie/contract/analytics.ts';
import type { AnalyticsRow } from '@regie/contract/routes/analytics.ts';
import { countryName } from '@regie/values/countries.ts';
import { formatAlignedPercent, formatMonth } from '@regie/values/formats.ts';
import { monthOfInstant } from '@regie/values/month.ts';
import { frAnalytics } from './analytics.fr.ts';

const t = frAnalytics;

export const analyticsKinds = ['streams', 'downloads', 'videos'] as const;

/** `sept. 2026`, `3e trim. 2026`, `2026`. */
export function periodName(span: AnalyticsSpan, fromDate: number): string {
  const month = monthOfInstant(fromDate);
  const year = month.slice(0, 4);
  if (span === 'month') return formatMonth(fromDate);
  return span === 'year' ? year : t.quarter(Math.ceil(Number(month.slice(5)) / 3), year);
}

type Named = Pick<AnalyticsRow, 'value' | 'name' | 'fromDate'>;

export const rowName = (by: AnalyticsDimension, span: AnalyticsSpan, row: Named): string =>
  by === 'period' ? periodName(span, row.fromDate) : valueName(by, row.value, row.name);

export const valueName = (by: AnalyticsDimension, value: string, name: string): string =>
  (by === 'country' ? countryName(value) : name) || t.nameless[by];

/** `+12,5 %` between two amounts; undefined without a previous amount. */
export function changeText(amount: number, previous: number | null): string | undefined {
  if (previous === null || previous === 0) return undefined;
  const percent = ((amount - previous) / Math.abs(previous)) * 100;
  const text = formatAlignedPercent(Math.abs(percent), 1);
  return Math.abs(percent) < 0.05 ? text : `${percent < 0 ? '−' : '+'}${text}`;
}
