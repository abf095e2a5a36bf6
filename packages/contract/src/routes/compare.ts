import { MonthMsQuery } from '#src/month.ts';
import { defineRoute, Id, Instant } from '#src/route.ts';
import { IncomeKind } from '#src/statements.ts';
import { z } from '#src/zod.ts';
import { AnalyticsSummary, Value } from './analytics.ts';

/** What makes a difference, in the order in which it is shown. */
export const effects = [
  'missing',
  'extra',
  'correction',
  'new',
  'gone',
  'moved',
  'plays',
  'amount',
  'price',
  'rate',
  'share',
  'referral',
  'adjustment',
] as const;
const Effect = z.enum(effects);
export type Effect = z.infer<typeof Effect>;

export const maxComparedMonths = 12;

/** The first months of both periods, and how many months each has. */
const periods = {
  a: MonthMsQuery,
  b: MonthMsQuery,
  months: z.coerce.number().int().min(1).max(maxComparedMonths).default(1),
};

/** `grossAccount` is the income of an account's tracks. `all` is the income of the house; it has no value. */
export const revenueSubjects = ['track', 'release', 'grossAccount', 'store', 'all'] as const;
const RevenueQuery = z.object({ subject: z.enum(revenueSubjects), value: Value.default(''), ...periods });

/** Of both periods; null where there is none. */
const Pair = z.tuple([Id.nullable(), Id.nullable()]);
/** EUR: in cents, and exactly to 10 decimals. The shown ones of a sum add up to it. */
const amounts = { amountEur: z.number(), exactEur: z.number() };

const Part = z.object({
  ...amounts,
  /** A source, a track's title, an account's name, the reason of an adjustment; empty for other roundings. */
  name: z.string(),
  /** Of the track, account or ledger transaction. */
  id: Id.nullable(),
  /** The sum of so many that are not shown. */
  others: z.number().nullable(),
  /** What is counted or has a price. */
  kind: IncomeKind.nullable(),
  /** What changed: a quantity, the price of one in `currency`, units of it per euro, or a percentage. */
  before: z.number().nullable(),
  after: z.number().nullable(),
  currency: z.string().nullable(),
  /** The latest report and statement of each period. */
  reports: Pair,
  statements: Pair,
});

const SourcePart = Part.extend({ parts: z.array(Part) });
export type ComparisonPart = z.infer<typeof Part> & { parts?: z.infer<typeof Part>[] };

export const Comparison = z.object({
  name: z.string(),
  /** In cents; `differenceEur` is B less A as shown. */
  amountAEur: z.number(),
  amountBEur: z.number(),
  differenceEur: z.number(),
  fromA: Instant,
  fromB: Instant,
  /** Income that waits to be posted is among it, at today's rates and percentages. */
  isForecastA: z.boolean(),
  isForecastB: z.boolean(),
  bars: z.array(z.object({ ...amounts, effect: Effect, parts: z.array(SourcePart) })),
  /** Statements in both sums that may have the lines of another one. */
  doubledStatements: AnalyticsSummary.shape.doubledStatements,
  /** Amounts that are in no sum in EUR. */
  missingRates: z.array(z.object({ currency: z.string(), amountA: z.number(), amountB: z.number() })),
});
export type Comparison = z.infer<typeof Comparison>;

/** The largest effect between two months of an account. */
export const ChangeReason = z.object({
  effect: Effect,
  amountEur: z.number(),
  /** See `Comparison`: of its largest part. */
  name: z.string(),
  fromA: Instant,
  fromB: Instant,
});
export type ChangeReason = z.infer<typeof ChangeReason>;

export const compareRoutes = {
  compareAccount: defineRoute('GET /profile/:id/compare', ['manage_profiles'], {
    summary: "The account's net income of two periods, and what makes the difference.",
    query: z.object(periods),
    response: Comparison,
  }),
  compareRevenue: defineRoute('GET /reporting/compare', ['read_reports'], {
    summary: 'Gross income of two periods, and what makes the difference.',
    query: RevenueQuery,
    response: Comparison,
  }),
};
