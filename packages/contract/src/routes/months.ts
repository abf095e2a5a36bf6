import { messages } from '#src/messages.ts';
import { MonthMs, MonthMsQuery } from '#src/month.ts';
import { defineRoute, ExpectedVersion, Id, Instant } from '#src/route.ts';
import { z } from '#src/zod.ts';

/**
 * Where a source stands with a month: expected when it used to send one; then what is least advanced of its statements.
 * `doubled` goes before all of them.
 */
const MonthState = z.enum(['expected', 'loaded', 'unmatched', 'checked', 'posted', 'doubled']);
export type MonthState = z.infer<typeof MonthState>;

/** A rate that is more than two months older than the month it is used for. */
const StaleRate = z.object({
  currency: z.string(),
  month: Instant,
  rateMonth: Instant,
  /** Units of the currency per euro. */
  rate: z.number(),
});
export type StaleRate = z.infer<typeof StaleRate>;

/** One source in one month. Sums in EUR at the month's rates, of what has a rate; what has none is counted apart. */
export const MonthCell = z.object({
  source: z.string(),
  month: Instant,
  state: MonthState,
  statements: z.array(z.object({ id: Id, fileName: z.string(), isChecked: z.boolean() })),
  amountEur: z.number(),
  unmatchedEur: z.number(),
  /** Matched, checked and not posted: what an automatic report would take. */
  readyEur: z.number(),
  /** How many sums that is: their amounts may cancel each other out. */
  readySums: z.number(),
  postedEur: z.number(),
  /** Currencies without a rate for the month. */
  missingRates: z.array(z.string()),
  /** Old rates, of what is not posted. */
  staleRates: z.array(StaleRate),
});
export type MonthCell = z.infer<typeof MonthCell>;

export const MonthBoard = z.object({
  months: z.array(z.object({ month: Instant, amountEur: z.number(), readyEur: z.number(), isFuture: z.boolean() })),
  cells: z.array(MonthCell),
});
export type MonthBoard = z.infer<typeof MonthBoard>;

/** What an automatic report posts, or would post: exact, in EUR and USD as the ledger has them. */
export const AutomaticReport = z.object({
  importId: Id.nullable(),
  /** What a posting of just this names. */
  version: z.string(),
  month: Instant,
  statements: z.array(z.object({ id: Id, source: z.string(), fileName: z.string() })),
  rows: z.number(),
  reports: z.number(),
  grossUsd: z.number(),
  grossEur: z.number(),
  accountsEur: z.number(),
  referralsEur: z.number(),
  platformEur: z.number(),
  /** What each account gets by its own tracks, the largest first. */
  accounts: z.array(
    z.object({ id: Id, fname: z.string(), lname: z.string(), reports: z.number(), accountEur: z.number() }),
  ),
  /** What stays on the month without a track, in EUR. */
  unmatchedEur: z.number(),
  /** Statements of the month that nobody has checked: they are left out. */
  unchecked: z.array(z.object({ id: Id, source: z.string(), fileName: z.string() })),
  /** Lines of these statements that others have too, which are posted or about to be. */
  duplicates: z.array(
    z.object({
      statementId: Id,
      fileName: z.string(),
      otherStatementId: Id,
      otherFileName: z.string(),
      /** Whether the other one has posted them; else it would now. */
      isPosted: z.boolean(),
      /** Rows of the file, and what they are worth at the month's rates. */
      lines: z.number(),
      amountEur: z.number(),
      /** Whoever validated one of the two was told. */
      isConfirmed: z.boolean(),
    }),
  ),
  /** Whether the month has been posted before: this is what came late. */
  isLate: z.boolean(),
  /** Old rates that it uses. */
  staleRates: z.array(StaleRate),
  /** Whether the month comes after the current one. */
  isFuture: z.boolean(),
  /** Whether one of them is not confirmed yet: it is only posted with `confirmRates`. */
  mustConfirm: z.boolean(),
});
export type AutomaticReport = z.infer<typeof AutomaticReport>;

export const monthRoutes = {
  listMonths: defineRoute({
    method: 'GET',
    path: '/reporting/months',
    capability: ['read_reports'],
    summary: 'The month board: every source in every month of a period.',
    query: z.object({ from: MonthMsQuery.optional(), to: MonthMsQuery.optional() }),
    response: MonthBoard,
  }),
  automaticReport: defineRoute({
    method: 'POST',
    path: '/reporting/automatic',
    capability: ['edit_reports'],
    stepUp: true,
    summary:
      "Build a month's platform reports from all checked statements not yet posted, or only tell what that would post.",
    body: z
      .object({
        fromDate: MonthMs,
        dryRun: z.boolean().default(false),
        /** Of the dry run that was shown; required to post. */
        version: ExpectedVersion.optional(),
        confirmRates: z.boolean().default(false),
        /** Required where `duplicates` has any that nobody confirmed yet. */
        confirmDuplicates: z.boolean().default(false),
      })
      .refine(({ dryRun, version }) => dryRun || version !== undefined, {
        path: ['version'],
        error: messages.unseen('version'),
      }),
    response: AutomaticReport,
    message: 'Les rapports du mois sont créés',
  }),
};
