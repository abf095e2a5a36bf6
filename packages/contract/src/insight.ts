import { addMonths, type Month, monthOfInstant } from '@regie/values/month.ts';

/** The dimensions of income: by period, or within one period by source or owner. */
export const insightDimensions = ['period', 'store', 'country', 'track', 'release', 'account'] as const;
export type InsightDimension = (typeof insightDimensions)[number];

export const insightSpans = ['month', 'quarter', 'year'] as const;
export type InsightSpan = (typeof insightSpans)[number];
export const monthsOfSpan: Record<InsightSpan, number> = { month: 1, quarter: 3, year: 12 };

/** The first month of the period that contains the month. */
export function startOfSpan(span: InsightSpan, month: string): Month {
  const index = Number(month.slice(5, 7)) - 1;
  return addMonths(month, -(index % monthsOfSpan[span]));
}

/** The same for an instant on the wire. */
export const startOfSpanAt = (span: InsightSpan, ms: number): Month => startOfSpan(span, monthOfInstant(ms));
