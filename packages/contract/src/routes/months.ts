import { MonthMs, MonthMsQuery } from '#src/month.ts';
import { AccountRef, defineRoute, ExpectedVersion, Id, Instant } from '#src/route.ts';
import { z } from '#src/zod.ts';
import { StatementAlert } from './statements.ts';

/** `expected` when a statement is due by its rhythm; else the state of its least advanced statement, in this order. */
export const MonthState = z.enum(['expected', 'doubled', 'loaded', 'unmatched', 'checked', 'posted']);
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

/** One source in one month. Sums in EUR, posted ones at their import's rates; amounts without a rate are separate. */
export const MonthCell = z.object({
  source: z.string(),
  month: Instant,
  state: MonthState,
  /** None of those in `importSources`. */
  statements: z.array(z.object({ id: Id, fileName: z.string(), isChecked: z.boolean() })),
  amountEur: z.number(),
  unmatchedEur: z.number(),
  /** Matched, checked and not posted: the input of an automatic report. */
  readyEur: z.number(),
  /** The number of sums; their amounts may cancel out. */
  readySums: z.number(),
  postedEur: z.number(),
  isMatched: z.boolean(),
  /** Unposted income in currencies without a rate for the month, which no sum in EUR includes. */
  missingRates: z.array(z.object({ currency: z.string(), amount: z.number() })),
  /** Income that an earlier statement has too, which nobody confirmed: `amountEur` includes it twice. */
  doubledEur: z.number(),
  staleRates: z.array(StaleRate),
  /** For an expected statement: the day it usually arrives by, and the days since. */
  dueAt: Instant.nullable(),
  lateDays: z.number(),
});
export type MonthCell = z.infer<typeof MonthCell>;

const MonthTotal = z.object({ month: Instant, amountEur: z.number(), readyEur: z.number(), isFuture: z.boolean() });

/** Months before the period with something to validate or to post. */
export const EarlierMonths = z.object({
  first: Instant,
  /** Those with income to post, and its sum as in `readyEur`. */
  readyMonths: z.number(),
  readyEur: z.number(),
  missingRates: MonthCell.shape.missingRates,
  uncheckedMonths: z.number(),
});
export type EarlierMonths = z.infer<typeof EarlierMonths>;

export const MonthBoard = z.object({
  months: z.array(MonthTotal),
  cells: z.array(MonthCell),
  earlier: EarlierMonths.nullable(),
});
export type MonthBoard = z.infer<typeof MonthBoard>;

export const MonthDetail = MonthTotal.extend({
  sources: z.array(
    MonthCell.extend({
      statements: z.array(
        MonthCell.shape.statements.element.extend({
          amountEur: z.number(),
          unmatchedEur: z.number(),
          /** Whether some of it can be posted, once it is checked. */
          isWaiting: z.boolean(),
          state: MonthState.exclude(['expected']),
          doubledEur: z.number(),
          /** For a check; null once it is checked. */
          version: z.string().nullable(),
          alerts: z.array(StatementAlert),
        }),
      ),
      /** Of a source without income in the month: files that arrived in it or the two after, and were refused. */
      refused: z.array(z.object({ id: Id, fileName: z.string(), line: z.number().nullable() })),
    }),
  ),
  /** What is posted of the month: by its imports of statements, and by source for all other reports. */
  postings: z.array(
    z.object({
      importId: Id.nullable(),
      source: z.string().nullable(),
      reports: z.number(),
      grossEur: z.number(),
      accountsEur: z.number(),
      referralsEur: z.number(),
      platformEur: z.number(),
    }),
  ),
});
export type MonthDetail = z.infer<typeof MonthDetail>;

/** What became of what a month credited to accounts, in cents that add up to `creditedEur`; payouts use the oldest first. */
export const MonthPayments = z.object({
  creditedEur: z.number(),
  paidEur: z.number(),
  /** Of payouts that are requested. */
  pendingEur: z.number(),
  /** The batch that holds all of these payouts, or null. */
  pendingBatch: Id.nullable(),
  /** Set against debts: negative adjustments, reversals and months. */
  adjustedEur: z.number(),
  payableEur: z.number(),
  /** The largest amount first; none that is less than a cent. */
  blocked: z.array(z.object({ reason: z.string(), accounts: z.number(), amountEur: z.number() })),
  /** What leaves the bank when everyone is paid, of all months, in how many payouts. */
  netEur: z.number(),
  payouts: z.number(),
});
export type MonthPayments = z.infer<typeof MonthPayments>;

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
  accounts: z.array(AccountRef.extend({ reports: z.number(), accountEur: z.number() })),
  unmatchedEur: z.number(),
  /** Unchecked statements of the month: they are excluded. */
  unchecked: z.array(z.object({ id: Id, source: z.string(), fileName: z.string() })),
  /** Lines that these statements share with others, posted or about to be. */
  duplicates: z.array(
    z.object({
      statementId: Id,
      fileName: z.string(),
      /** One of these two. */
      otherStatementId: Id.nullable(),
      otherImportId: Id.nullable(),
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
  staleRates: z.array(StaleRate),
  isFuture: z.boolean(),
  /** Whether one of them is not confirmed yet; posting then asks for `confirmRates`. */
  mustConfirm: z.boolean(),
});
export type AutomaticReport = z.infer<typeof AutomaticReport>;

export const monthRoutes = {
  listMonths: defineRoute('GET /reporting/months', ['read_reports'], {
    query: z.object({ from: MonthMsQuery.optional(), to: MonthMsQuery.optional() }),
    response: MonthBoard,
  }),
  getMonth: defineRoute('GET /reporting/month', ['read_reports'], {
    query: z.object({ month: MonthMsQuery }),
    response: MonthDetail,
  }),
  getMonthPayments: defineRoute('GET /reporting/month/payments', ['read_unpaid_accounts', 'edit_pending_payout'], {
    query: z.object({ month: MonthMsQuery }),
    response: MonthPayments,
  }),
  previewMonth: defineRoute('POST /reporting/month/preview', ['edit_reports'], {
    summary: 'What an automatic report would post; optionally as if loaded statements were checked.',
    body: z.object({ fromDate: MonthMs, withUnchecked: z.boolean().default(false) }),
    response: AutomaticReport,
  }),
  automaticReport: defineRoute('POST /reporting/automatic', ['edit_reports'], {
    stepUp: true,
    summary: 'Reports of all checked statements not yet posted; with dryRun only preview them.',
    body: z.object({
      fromDate: MonthMs,
      dryRun: z.boolean().default(false),
      version: ExpectedVersion.optional(),
      /** False refuses old rates and future months, an omitted one posts with a warning. */
      confirmRates: z.boolean().optional(),
      /** Required when `duplicates` has unconfirmed ones. */
      confirmDuplicates: z.boolean().default(false),
    }),
    response: AutomaticReport,
    message: 'Les rapports du mois sont créés',
  }),
};
