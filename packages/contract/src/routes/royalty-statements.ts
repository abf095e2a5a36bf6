import { MonthMs, MonthMsQuery } from '#src/month.ts';
import { AccountRef, defineRoute, Id, Instant, listQuery, QueryId } from '#src/route.ts';
import { z } from '#src/zod.ts';
import { ChangeReason } from './compare.ts';

const LetterState = z.enum(['none', 'queued', 'sent', 'failed']);

/** `unreachable`: the mail server does not answer, the letter is tried again. */
export const LetterFailure = z.enum(['no_email', 'suspended', 'refused', 'unreachable', 'given_up']);
export type LetterFailure = z.infer<typeof LetterFailure>;

/** The statements published for all accounts whose period ends with a month. */
export const RoyaltyRun = z.object({
  id: Id,
  month: Instant,
  createdAt: Instant,
  createdBy: z.string().nullable(),
  /** Null while they are being made. */
  publishedAt: Instant.nullable(),
  /** Nothing was published; it can be tried again. */
  hasFailed: z.boolean(),
  statements: z.number(),
  incomeEur: z.number(),
  closingEur: z.number(),
  /** Statements by the state of their letter. */
  letters: z.object({ none: z.number(), queued: z.number(), sent: z.number(), failed: z.number() }),
  /** Of the statements that are not sent or waiting: accounts that have no address, or are suspended. */
  withoutEmail: z.number(),
  stopped: z.number(),
});
export type RoyaltyRun = z.infer<typeof RoyaltyRun>;

export const RoyaltyStatementRow = z.object({
  id: Id,
  runId: Id,
  Account: AccountRef,
  /** Of the account, from 1. */
  number: z.number(),
  /** Its first and last month. */
  from: Instant,
  to: Instant,
  openingEur: z.number(),
  incomeEur: z.number(),
  closingEur: z.number(),
  publishedAt: Instant,
  letter: z.object({
    state: LetterState,
    failure: LetterFailure.nullable(),
    /** Of its sending, or of being queued. */
    at: Instant.nullable(),
  }),
});
export type RoyaltyStatementRow = z.infer<typeof RoyaltyStatementRow>;

/** What an account's statement would be if it were published now. */
export const RoyaltyDraft = z.object({
  Account: AccountRef,
  from: Instant,
  isFirst: z.boolean(),
  hasEmail: z.boolean(),
  isStopped: z.boolean(),
  openingEur: z.number(),
  /** The account's own, as on its statement. */
  incomeEur: z.number(),
  closingEur: z.number(),
  /** The income of its former statement. */
  formerIncomeEur: z.number().nullable(),
  /** Between the months that brought most of the former statement's income and of this one's, where both are of one month. */
  reason: ChangeReason.nullable(),
});
export type RoyaltyDraft = z.infer<typeof RoyaltyDraft>;

const Amount = z.object({ netEur: z.number() });
const Named = Amount.extend({ name: z.string().nullable() });
const Dated = Amount.extend({ day: z.string() });

/** The sender. Unknown fields are empty. */
export const RoyaltyHouse = z.object({
  name: z.string(),
  address: z.string(),
  postcode: z.string(),
  city: z.string(),
  country: z.string(),
  email: z.string(),
  siren: z.string(),
  vatNumber: z.string(),
});

/** The frozen record; amounts in EUR to 6 decimals, months as `YYYY-MM`, days as `YYYY-MM-DD`. */
export const RoyaltyRecord = z.object({
  number: z.number(),
  from: z.string(),
  to: z.string(),
  house: RoyaltyHouse,
  account: z.object({ id: Id, name: z.string() }),
  /** The opening of a first statement is what came before it. */
  isFirst: z.boolean(),
  openingEur: z.number(),
  closingEur: z.number(),
  /** Payouts that are requested and not paid yet; the balance has them no more. */
  pendingEur: z.number(),
  income: z.object({
    totalEur: z.number(),
    lines: z.number(),
    tracks: z.array(
      Amount.extend({
        trackId: Id.nullable(),
        title: z.string().nullable(),
        isrc: z.string().nullable(),
        release: z.string().nullable(),
        quantity: z.number().nullable(),
      }),
    ),
    /** Null: reports without a store. */
    stores: z.array(Named),
    countries: z.array(Named),
  }),
  referrals: z.array(Named.extend({ month: z.string(), percentile: z.number().nullable() })),
  corrections: z.array(
    Dated.extend({
      month: z.string(),
      file: z.string().nullable(),
      referred: z.string().nullable(),
      beforeEur: z.number(),
      afterEur: z.number(),
      reason: z.string(),
    }),
  ),
  payouts: z.array(Dated.extend({ payoutId: Id, isReturn: z.boolean() })),
  adjustments: z.array(Dated.extend({ reason: z.string() })),
});
export type RoyaltyRecord = z.infer<typeof RoyaltyRecord>;

/** One line of a store's file, or one report; decimals as text. */
export interface RoyaltyLine {
  line: number;
  trackId: number | null;
  title: string;
  isrc: string;
  release: string;
  store: string;
  country: string;
  month: string;
  quantity: string;
  gross: string;
  currency: string;
  /** Units of the currency per euro. */
  rate: string;
  grossEur: string;
  percentile: string;
  netEur: string;
  fileName: string;
  /** 0: not of a store's file. */
  firstLine: number;
}

export const royaltyStatementRoutes = {
  listRoyaltyRuns: defineRoute('GET /royalty-runs', ['read_statements_out'], {
    query: listQuery(['month'], 'desc', {}),
    response: z.array(RoyaltyRun),
  }),
  getRoyaltyRun: defineRoute('GET /royalty-runs/:id', ['read_statements_out'], { response: RoyaltyRun }),
  listRoyaltyDrafts: defineRoute('GET /royalty-drafts', ['send_statements'], {
    summary: 'Accounts whose period ends with the month, and that have a movement or a balance.',
    query: listQuery(['name', 'income', 'closing'], 'asc', { month: MonthMsQuery }),
    response: z.array(RoyaltyDraft),
  }),
  publishRoyaltyRun: defineRoute('POST /royalty-runs', ['send_statements'], {
    summary: 'For the month or a later one no statement may be published.',
    body: z.object({ month: MonthMs }),
    response: z.object({ id: Id }),
    message: 'Les relevés sont en cours de publication',
  }),
  retryRoyaltyRun: defineRoute('POST /royalty-runs/:id/retry', ['send_statements'], {
    message: 'Les relevés sont en cours de publication',
  }),
  listRoyaltyStatements: defineRoute('GET /royalty-statements', ['read_statements_out'], {
    query: listQuery(['publishedAt', 'closing', 'income'], 'desc', {
      runId: QueryId.optional(),
      userId: QueryId.optional(),
      letter: LetterState.optional(),
    }),
    response: z.array(RoyaltyStatementRow),
  }),
  getRoyaltyStatement: defineRoute('GET /royalty-statements/:id', ['read_statements_out'], {
    response: RoyaltyStatementRow.extend({
      sha256: z.string(),
      record: RoyaltyRecord.nullable(),
      /** Null, as `link`, without `manage_profiles` or `send_statements`. */
      email: z.string().nullable(),
      /** The public page; null without letter, or once it is revoked or expired. */
      link: z.string().nullable(),
      linkExpiresAt: Instant.nullable(),
    }),
  }),
  getRoyaltyStatementPdf: defineRoute('GET /royalty-statements/:id/pdf', ['read_statements_out'], { isFile: true }),
  sendRoyaltyRun: defineRoute('POST /royalty-runs/:id/send', ['send_statements'], {
    summary: 'Queues the letter of each statement that has none, or whose letter was not delivered.',
    response: z.object({ queued: z.number(), failed: z.number() }),
    message: 'Les relevés partent',
  }),
  sendRoyaltyStatement: defineRoute('POST /royalty-statements/:id/send', ['send_statements'], {
    summary: 'Queues the letter, again if it was sent at `seenAt`; also to a suspended account.',
    body: z.object({ seenAt: Instant.nullable().default(null) }),
    message: 'Le relevé part',
  }),
  revokeRoyaltyLink: defineRoute('POST /royalty-statements/:id/revoke-link', ['send_statements'], {
    message: 'Le lien est révoqué',
  }),
  downloadRoyaltyLines: defineRoute('GET /royalty-statements/:id/lines.csv', ['read_statements_out'], { isFile: true }),
};
