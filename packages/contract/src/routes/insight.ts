import { insightDimensions, insightSpans } from '#src/insight.ts';
import { defineRoute, Id, Instant, listQuery } from '#src/route.ts';
import { z } from '#src/zod.ts';

/** Any instant within the period; statements may contain sales before the first report month. */
const From = z.coerce.number().int().min(0).max(4_102_444_800_000);
const Span = z.enum(insightSpans).default('month');
const Value = z.string().max(200);

/** Units, and EUR at each month's rate; income without a rate only counts in units. */
const Sums = z.object({
  streams: z.number(),
  downloads: z.number(),
  videos: z.number(),
  streamsEur: z.number(),
  downloadsEur: z.number(),
  videosEur: z.number(),
  amountEur: z.number(),
});
export type InsightSums = z.infer<typeof Sums>;

export const InsightSummary = Sums.extend({
  /** The requested period, or the last one with income. Null when there is none. */
  fromDate: Instant.nullable(),
  previousEur: z.number().nullable(),
  /** Income without a track, EUR. */
  unmatchedEur: z.number(),
  /** Amounts without a rate for their month, excluded from sums in EUR. */
  missingRates: z.array(z.object({ month: Instant, currency: z.string(), amount: z.number() })),
  /** Income that two statements have, which nobody confirmed: sums in EUR include it twice. */
  doubledEur: z.number(),
  /** The statements that have it again. */
  doubledStatements: z.array(z.object({ id: Id, fileName: z.string() })),
  /** The same of the period before, in `previousEur`. */
  previousDoubledEur: z.number(),
  /** Months being recomputed after a change. */
  pendingMonths: z.number(),
  firstMonth: Instant.nullable(),
  lastMonth: Instant.nullable(),
});
export type InsightSummary = z.infer<typeof InsightSummary>;

const Named = z.object({
  /** The unique value within its dimension; empty for income without a track. */
  value: z.string(),
  /** A track's or release's title, an account's name; otherwise the value. */
  name: z.string(),
  /** Artists of a track or release. */
  artists: z.string(),
  isrc: z.string().nullable(),
  libraryId: Id.nullable(),
  userId: Id.nullable(),
});

/** One store, country, track, release or account in a period, or one period. */
export const InsightRow = Sums.extend({
  ...Named.shape,
  fromDate: Instant,
  /** The last earlier period with income; null when there is none. */
  previousEur: z.number().nullable(),
  previousFrom: Instant.nullable(),
});
export type InsightRow = z.infer<typeof InsightRow>;

export const InsightHistory = z.object({
  /** Null when the value is unknown or none was requested. */
  of: Named.nullable(),
  /** Oldest first, without gaps. */
  months: z.array(Sums.extend({ fromDate: Instant })),
});
export type InsightHistory = z.infer<typeof InsightHistory>;

const InsightChange = z.object({
  ...Named.shape,
  amountEur: z.number(),
  previousEur: z.number(),
});
export type InsightChange = z.infer<typeof InsightChange>;

const InsightChanges = z.object({
  /** The last month with income; null when there is none. */
  fromDate: Instant.nullable(),
  rows: z.array(InsightChange),
});
export type InsightChanges = z.infer<typeof InsightChanges>;

export const insightRoutes = {
  getInsight: defineRoute({
    method: 'GET',
    path: '/reporting/insight/summary',
    capability: ['read_reports'],
    summary: 'What the statements say of a month, quarter or year, beside the one before.',
    query: z.object({ span: Span, from: From.optional() }),
    response: InsightSummary,
  }),
  listInsight: defineRoute({
    method: 'GET',
    path: '/reporting/insight',
    capability: ['read_reports'],
    summary: 'Income of a period by store, country, track, release or account, or of all periods one after the other.',
    query: listQuery(['amount', 'quantity', 'period'], 'desc', {
      by: z.enum(insightDimensions).default('period'),
      span: Span,
      /** Default: the last period with income; ignored for the dimension `period`. */
      from: From.optional(),
    }),
    response: z.array(InsightRow),
    list: true,
  }),
  listInsightChanges: defineRoute({
    method: 'GET',
    path: '/reporting/insight/changes',
    capability: ['read_reports'],
    summary: 'The accounts or stores whose income of the last month differs most from the month before.',
    query: z.object({ by: z.enum(['account', 'store']).default('account') }),
    response: InsightChanges,
  }),
  getInsightHistory: defineRoute({
    method: 'GET',
    path: '/reporting/insight/history',
    capability: ['read_reports'],
    summary: 'Twenty-four months of all income, or of one store, country, track, release or account.',
    query: z.object({
      by: z.enum(insightDimensions).default('period'),
      value: Value.default(''),
      /** The last month of the series. */
      to: From.optional(),
    }),
    response: InsightHistory,
  }),
};
