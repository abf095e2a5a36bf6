import {
  analyticsDimensions,
  analyticsSpans,
  pivotDimensions,
  pivotLimits,
  pivotMeasures,
  readValues,
} from '#src/analytics.ts';
import { messages } from '#src/messages.ts';
import { defineRoute, Id, Instant, listQuery } from '#src/route.ts';
import { mapKeys, z } from '#src/zod.ts';

/** Any instant within the period; statements may contain sales before the first report month. */
const From = z.coerce.number().int().min(0).max(4_102_444_800_000);
const Span = z.enum(analyticsSpans).default('month');
/** Control signs occur in no value of a line. */
export const Value = z
  .string()
  .max(200)
  .regex(/^\P{Cc}*$/u);

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
export type AnalyticsSums = z.infer<typeof Sums>;

export const AnalyticsSummary = Sums.extend({
  /** The requested period, or the last one with income. Null when there is none. */
  fromDate: Instant.nullable(),
  previousEur: z.number().nullable(),
  unmatchedEur: z.number(),
  /** Amounts without a rate for their month, excluded from sums in EUR. */
  missingRates: z.array(z.object({ month: Instant, currency: z.string(), amount: z.number() })),
  /** Income that two statements have, which nobody confirmed: sums in EUR include it twice. */
  doubledEur: z.number(),
  doubledStatements: z.array(z.object({ id: Id, fileName: z.string() })),
  previousDoubledEur: z.number(),
  /** Months being recomputed after a change. */
  pendingMonths: z.number(),
  firstMonth: Instant.nullable(),
  lastMonth: Instant.nullable(),
});
export type AnalyticsSummary = z.infer<typeof AnalyticsSummary>;

const Named = z.object({
  /** The unique value within its dimension; empty for income without a track. */
  value: z.string(),
  /** A track's or release's title, an account's name; otherwise the value. */
  name: z.string(),
  artists: z.string(),
  isrc: z.string().nullable(),
  libraryId: Id.nullable(),
  userId: Id.nullable(),
});

export const AnalyticsRow = Sums.extend({
  ...Named.shape,
  fromDate: Instant,
  /** The last earlier period with income; null when there is none. */
  previousEur: z.number().nullable(),
  previousFrom: Instant.nullable(),
});
export type AnalyticsRow = z.infer<typeof AnalyticsRow>;

export const AnalyticsHistory = z.object({
  /** Null when the value is unknown or none was requested. */
  of: Named.nullable(),
  /** Oldest first, without gaps. */
  months: z.array(Sums.extend({ fromDate: Instant })),
});
export type AnalyticsHistory = z.infer<typeof AnalyticsHistory>;

const AnalyticsChange = z.object({ ...Named.shape, amountEur: z.number(), previousEur: z.number() });
export type AnalyticsChange = z.infer<typeof AnalyticsChange>;

const AnalyticsChanges = z.object({
  /** The last month with income; null when there is none. */
  fromDate: Instant.nullable(),
  rows: z.array(AnalyticsChange),
});
export type AnalyticsChanges = z.infer<typeof AnalyticsChanges>;

export const pivotMessages = {
  sameAxes: 'Choisissez deux axes différents pour les lignes et les colonnes',
  currency: 'Choisissez la devise des montants',
  tooManyMonths: `Choisissez une période de ${pivotLimits.months} mois au plus`,
  tooManyValues: `Un filtre a au plus ${pivotLimits.filterValues} valeurs\u00a0: retirez-en`,
  tooLong: `Ce tableau demande plus de ${pivotLimits.seconds} secondes de calcul\u00a0: choisissez une période plus courte ou ajoutez un filtre`,
  tooLarge: 'Ce tableau demande trop de mémoire\u00a0: choisissez une période plus courte ou ajoutez un filtre',
} as const;

/** Several values, as `writeValues` writes them. */
const FilterValues = z
  .string()
  .max(8000)
  .transform(readValues)
  .pipe(z.array(Value).min(1).max(pivotLimits.filterValues, { error: pivotMessages.tooManyValues }))
  .optional();

const PivotQuery = z
  .object({
    /** The first and last month; by default the last twelve with income. */
    from: From.optional(),
    to: From.optional(),
    rows: z.enum(pivotDimensions).default('store'),
    columns: z.enum(pivotDimensions).optional(),
    measure: z.enum(pivotMeasures).default('euros'),
    /** Of the measure `amount`. */
    unit: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .optional(),
    ...mapKeys(pivotDimensions, () => FilterValues),
  })
  .superRefine(({ rows, columns, measure, unit, from, to }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (rows === columns) refuse('columns', pivotMessages.sameAxes);
    if (measure === 'amount' && unit === undefined) refuse('unit', pivotMessages.currency);
    if (from !== undefined && to !== undefined && from > to) refuse('to', messages.invalidPeriod);
  });
export type PivotQuery = z.output<typeof PivotQuery>;

/** A row or column; with `others`, the sum of so many that are not shown. */
const PivotEntry = z.object({ ...Named.shape, others: z.number().nullable() });
export type PivotEntry = z.infer<typeof PivotEntry>;

export const Pivot = z.object({
  /** The first and last month. Null when there is no income at all. */
  fromDate: Instant.nullable(),
  toDate: Instant.nullable(),
  /** Largest first, periods oldest first; the others last. */
  rows: z.array(PivotEntry),
  /** Empty without a second dimension. */
  columns: z.array(PivotEntry),
  /** For each row, its value in each column; null without income. */
  cells: z.array(z.array(z.number().nullable())),
  rowTotals: z.array(z.number()),
  columnTotals: z.array(z.number()),
  total: z.number(),
  missingRates: AnalyticsSummary.shape.missingRates,
  /** Income of the whole period that two statements have, which nobody confirmed, EUR: sums include it twice. */
  doubledEur: z.number(),
  doubledStatements: AnalyticsSummary.shape.doubledStatements,
  filters: z.array(z.object({ by: z.enum(pivotDimensions), ...Named.shape })),
});
export type Pivot = z.infer<typeof Pivot>;

export const analyticsRoutes = {
  getPivot: defineRoute('GET /reporting/analytics/pivot', ['read_reports'], { query: PivotQuery, response: Pivot }),
  getAnalytics: defineRoute('GET /reporting/analytics/summary', ['read_reports'], {
    query: z.object({ span: Span, from: From.optional() }),
    response: AnalyticsSummary,
  }),
  listAnalytics: defineRoute('GET /reporting/analytics', ['read_reports'], {
    query: listQuery(['amount', 'quantity', 'period'], 'desc', {
      by: z.enum(analyticsDimensions).default('period'),
      span: Span,
      /** Default: the last period with income; ignored for the dimension `period`. */
      from: From.optional(),
    }),
    response: z.array(AnalyticsRow),
  }),
  listAnalyticsChanges: defineRoute('GET /reporting/analytics/changes', ['read_reports'], {
    summary: 'Largest differences from the month before, by default of the last month.',
    query: z.object({ by: z.enum(['account', 'store']).default('account'), month: From.optional() }),
    response: AnalyticsChanges,
  }),
  listReleaseIncome: defineRoute('GET /reporting/analytics/release/:id/tracks', ['read_reports'], {
    summary: 'Of each track of a release, in the last twelve months with income.',
    response: z.array(z.object({ trackId: Id, amountEur: z.number() })),
  }),
  getAnalyticsHistory: defineRoute('GET /reporting/analytics/history', ['read_reports'], {
    summary: 'Twenty-four months.',
    query: z.object({
      by: z.enum(analyticsDimensions).default('period'),
      value: Value.default(''),
      to: From.optional(),
    }),
    response: AnalyticsHistory,
  }),
};
