import { messages } from '#src/messages.ts';
import { MonthMs, MonthMsQuery } from '#src/month.ts';
import { defineRoute, ExpectedVersion, Id, Instant } from '#src/route.ts';
import { z } from '#src/zod.ts';

/**
 * The state of a source in a month: `expected` when it sent statements before; otherwise the state of its least
 * advanced statement. `doubled` takes precedence over all others.
 */
const MonthState = z.enum(['expected', 'loaded', 'unmatched', 'checked', 'posted', 'doubled']);
export type MonthState = z.infer<typeof MonthState>;

/** A rate more than two months older than the month it is used for. */
const StaleRate = z.object({
  currency: z.string(),
  month: Instant,
  rateMonth: Instant,
  /** Units of the currency per euro. */
  rate: z.number(),
});
export type StaleRate = z.infer<typeof StaleRate>;

/** One source in one month. Sums in EUR at the month's rates; amounts without a rate are separate. */
export const MonthCell = z.object({
  source: z.string(),
  month: Instant,
  state: MonthState,
  statements: z.array(z.object({ id: Id, fileName: z.string(), isChecked: z.boolean() })),
  amountEur: z.number(),
  unmatchedEur: z.number(),
  /** Matched, checked and not posted: the input of an automatic report. */
  readyEur: z.number(),
  /** The number of sums; their amounts may cancel out. */
  readySums: z.number(),
  postedEur: z.number(),
  /** Currencies without a rate for the month. */
  missingRates: z.array(z.string()),
  /** Old rates used by unposted income. */
  staleRates: z.array(StaleRate),
});
export type MonthCell = z.infer<typeof MonthCell>;

export const MonthBoard = z.object({
  months: z.array(z.object({ month: Instant, amountEur: z.number(), readyEur: z.number(), isFuture: z.boolean() })),
  cells: z.array(MonthCell),
});
export type MonthBoard = z.infer<typeof MonthBoard>;

/** What an automatic report posts: exact, in EUR and USD as in the ledger. */
export const AutomaticReport = z.object({
  importId: Id.nullable(),
  /** Sent back to post exactly this. */
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
  /** Amounts of accounts through their own tracks, the largest first. */
  accounts: z.array(
    z.object({ id: Id, fname: z.string(), lname: z.string(), reports: z.number(), accountEur: z.number() }),
  ),
  /** Income that stays unmatched, EUR. */
  unmatchedEur: z.number(),
  /** Unchecked statements of the month: they are excluded. */
  unchecked: z.array(z.object({ id: Id, source: z.string(), fileName: z.string() })),
  /** Lines that these statements share with others, posted or about to be. */
  duplicates: z.array(
    z.object({
      statementId: Id,
      fileName: z.string(),
      otherStatementId: Id,
      otherFileName: z.string(),
      /** Whether the other statement has posted them; otherwise it would now. */
      isPosted: z.boolean(),
      /** Rows of the file, and their amount at the month's rates. */
      lines: z.number(),
      amountEur: z.number(),
      /** Whether the person who validated one of the two statements was warned. */
      isConfirmed: z.boolean(),
    }),
  ),
  /** Whether the month was posted before: this posts late statements. */
  isLate: z.boolean(),
  /** Old rates that it uses. */
  staleRates: z.array(StaleRate),
  /** Whether the month comes after the current one. */
  isFuture: z.boolean(),
  /** Whether one of them is not confirmed yet; posting then requires `confirmRates`. */
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
      "Build a month's platform reports from all checked statements not yet posted; with dryRun only preview them.",
    body: z
      .object({
        fromDate: MonthMs,
        dryRun: z.boolean().default(false),
        /** The `version` of the dry run shown; required to post. */
        version: ExpectedVersion.optional(),
        confirmRates: z.boolean().default(false),
        /** Required when `duplicates` has unconfirmed ones. */
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
