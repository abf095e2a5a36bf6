import { MonthMsQuery } from '#src/month.ts';
import { defineRoute, Instant, listQuery } from '#src/route.ts';
import { z } from '#src/zod.ts';
import { ReportType } from './reports.ts';

/** Access depends on the requested type: read_platforms_stats or read_youtube_stats. */
const readers = ['read_platforms_stats', 'read_youtube_stats'] as const;

/** EUR (product §33.26). */
export const AccountingStats = z.object({
  /** Credits of the type's reports to accounts, minus reversals. */
  totalIncome: z.number(),
  /** Positive balances, both types together. */
  remainingIncome: z.number(),
  /** Accounts credited by reports of the type. */
  nombreOfCustomers: z.number(),
});
export type AccountingStats = z.infer<typeof AccountingStats>;

export const AccountingReport = z.object({
  fromDate: Instant,
  /** Credits of that month's reports of the type, EUR. */
  totalIncome: z.number(),
  type: ReportType,
});
export type AccountingReport = z.infer<typeof AccountingReport>;

/** EUR, by month. */
export const AccountingMonths = z.object({
  /** By report month; null for a type that the caller may not read. */
  income: z.array(z.object({ fromDate: Instant, platform: z.number().nullable(), youtube: z.number().nullable() })),
  /** By calendar month: the amount paid, and the amount owed at its end, pending payouts included. */
  payouts: z.array(z.object({ fromDate: Instant, paid: z.number(), owed: z.number() })),
});
export type AccountingMonths = z.infer<typeof AccountingMonths>;

const period = { from: MonthMsQuery.optional(), to: MonthMsQuery.optional() };
/** Default: the type that the caller may read, platform first. */
const type = ReportType.optional();

export const statsRoutes = {
  getAccountingStats: defineRoute('GET /accounting/stats/common', readers, {
    query: z.object({ type }),
    response: AccountingStats,
  }),
  listAccountingReports: defineRoute('GET /accounting/reports', readers, {
    query: listQuery(['month', 'income'], 'desc', { type, ...period }),
    response: z.array(AccountingReport),
  }),
  getAccountingMonths: defineRoute('GET /accounting/months', readers, {
    summary: 'By default the last 24 months.',
    query: z.object(period),
    response: AccountingMonths,
  }),
};
