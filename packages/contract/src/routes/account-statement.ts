import { BillingType } from '#src/payouts.ts';
import { defineRoute, Id, Instant, listQuery, QueryId } from '#src/route.ts';
import { House } from '#src/settings.ts';
import { z } from '#src/zod.ts';
import { pendingFields } from './payouts.ts';
import { ReportType } from './reports.ts';

export const AccountStatementKind = z.enum(['import', 'referral', 'payout', 'adjustment']);
export type AccountStatementKind = z.infer<typeof AccountStatementKind>;

/** One movement of an account's balance: its posting in a ledger transaction. EUR, to 6 decimals. */
export const AccountStatementLine = z.object({
  id: Id,
  occurredAt: Instant,
  kind: AccountStatementKind,
  isReversal: z.boolean(),
  amountEur: z.number(),
  balanceEur: z.number(),
  import: z
    .object({
      id: Id,
      type: ReportType,
      month: Instant,
      fileName: z.string().nullable(),
      /** The batch of the file, from 0. */
      batch: z.number().nullable(),
    })
    .nullable(),
  referred: z.object({ id: Id, name: z.string() }).nullable(),
  payoutId: Id.nullable(),
  memo: z.string(),
  admin: z.string().nullable(),
});
export type AccountStatementLine = z.infer<typeof AccountStatementLine>;

export const AccountStatement = z.object({
  /** The balance before the first movement of the period, and after the last. */
  openingEur: z.number(),
  closingEur: z.number(),
  lines: z.array(AccountStatementLine),
});
export type AccountStatement = z.infer<typeof AccountStatement>;

/** Balance changes within a month in Paris. */
export const AccountStatementMonth = z.object({
  month: Instant,
  openingEur: z.number(),
  importsEur: z.number(),
  referralsEur: z.number(),
  payoutsEur: z.number(),
  adjustmentsEur: z.number(),
  closingEur: z.number(),
});
export type AccountStatementMonth = z.infer<typeof AccountStatementMonth>;

/** One report's part of a movement: gross USD ÷ rate × percentile, then a referrer's percentage. */
export const PostedReport = z.object({
  id: Id,
  trackId: Id.nullable(),
  trackTitle: z.string().nullable(),
  isrc: z.string().nullable(),
  grossUsd: z.number(),
  grossEur: z.number(),
  percentile: z.number(),
  accountEur: z.number(),
  /** Null for the account's own income. */
  referralPercentile: z.number().nullable(),
  shareEur: z.number(),
  isReversed: z.boolean(),
});
export type PostedReport = z.infer<typeof PostedReport>;

export const AccountStatementParties = z.object({
  house: House.omit({ iban: true, bic: true, email: true }),
  account: z.object({ id: Id, name: z.string(), lines: z.array(z.string()) }),
});
export type AccountStatementParties = z.infer<typeof AccountStatementParties>;

const AccountPayable = z.object({
  /** What can be paid now: the balance in whole cents; 0 with a reason. */
  payableEur: z.number(),
  /** Why nothing can be paid: the obstacle, or details that all changed recently. */
  reason: z.string().nullable(),
  obstacle: z.string().nullable(),
  ...pendingFields,
});
export type AccountPayable = z.infer<typeof AccountPayable>;

export const AccountFigures = z.object({
  /** Income by report month, oldest first: twelve months up to the latest with income, or none. */
  months: z.array(z.object({ month: Instant, ownEur: z.number(), referralsEur: z.number() })),
  /** The tracks with the highest income over the account's last twelve report months. */
  topTracks: z.array(
    z.object({
      id: Id,
      title: z.string(),
      isrc: z.string().nullable(),
      releaseId: Id,
      releaseTitle: z.string(),
      streams: z.number(),
      earnedEur: z.number(),
    }),
  ),
  pendingPayouts: z.array(z.object({ id: Id, amountEur: z.number(), createdAt: Instant })),
  releases: z.number(),
  /** Payment details changed within 72 hours and not confirmed (product §35.6). */
  blockedBillings: z.array(z.object({ id: Id, type: BillingType, blockedUntil: Instant })),
  hasBilling: z.boolean(),
  /** Null for a caller who may not read tickets. */
  openTickets: z.number().nullable(),
});
export type AccountFigures = z.infer<typeof AccountFigures>;

export const accountStatementRoutes = {
  getAccountPayable: defineRoute('GET /profile/:id/payable', ['manage_profiles'], { response: AccountPayable }),
  getAccountFigures: defineRoute('GET /profile/:id/figures', ['manage_profiles'], { response: AccountFigures }),
  getStatementParties: defineRoute('GET /profile/:id/statement-parties', ['manage_profiles'], {
    response: AccountStatementParties,
  }),
  getStatement: defineRoute('GET /accounts/statement', ['manage_profiles'], {
    query: listQuery(['occurredAt'], 'desc', {
      userId: QueryId,
      /** Instants, milliseconds, both included. */
      from: z.coerce.number().optional(),
      to: z.coerce.number().optional(),
    }),
    response: AccountStatement,
  }),
  listStatementMonths: defineRoute('GET /profile/:id/statement-months', ['manage_profiles'], {
    response: z.array(AccountStatementMonth),
  }),
  explainPosting: defineRoute('GET /ledger/transactions/:id/reports', ['read_reports', 'manage_profiles'], {
    query: listQuery(['id'], 'asc', { userId: QueryId }),
    response: z.object({
      /** USD per EUR, frozen at the import's first batch. */
      rate: z.number(),
      /** The total of the import's reports for the account; one batch posts part of it. */
      totalEur: z.number(),
      reports: z.array(PostedReport),
    }),
  }),
};
