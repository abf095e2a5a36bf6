import { importKindNames, valueFields } from '#src/imports.ts';
import { messages } from '#src/messages.ts';
import { MonthMs, MonthMsQuery } from '#src/month.ts';
import { AccountRef, DryRunQuery, defineRoute, Id, IdParams, Instant, listQuery, QueryId } from '#src/route.ts';
import { IncomeKind } from '#src/statements.ts';
import { keysOf, z } from '#src/zod.ts';

export const ReportType = z.enum(['platform', 'youtube']);
export type ReportType = z.infer<typeof ReportType>;

const maxCount = 1_000_000_000_000;
const maxIncome = 1_000_000_000;
const Count = z.number().int().min(-maxCount).max(maxCount);
/** USD; negative ones are refunds and corrections (product §33.3). */
const Income = z.number().min(-maxIncome).max(maxIncome);

/** Whether a figure is zero as it is stored: incomes are rounded to 10 decimals. */
export const isZeroFigure = (figure: number): boolean => Math.abs(figure) < 5e-11;

/** Means a second report of a track or account and month: false answers 409, omitted for equal figures only. */
const Again = z.boolean().optional();

export const ReportForm = z
  .object({
    trackId: Id,
    userId: Id,
    fromDate: MonthMs,
    toDate: z.number().optional(),
    numOfStreams: Count,
    incomeOfStreams: Income,
    numOfDownloads: Count,
    incomeOfDownloads: Income,
    numOfYoutube: Count,
    incomeOfYoutube: Income,
    again: Again,
  })
  .refine((report) => !valueFields.every((field) => isZeroFigure(report[field])), {
    error: messages.zeroReport,
    path: [valueFields[0]],
  });
export type ReportForm = z.infer<typeof ReportForm>;

export const YoutubeReportForm = z.object({
  userId: Id,
  fromDate: MonthMs,
  incomeOfYoutube: Income.refine((income) => !isZeroFigure(income), { error: messages.zeroReport }),
  again: Again,
});
export type YoutubeReportForm = z.infer<typeof YoutubeReportForm>;

const TrackRef = z.object({ id: Id, title: z.string(), isrc: z.string().nullable() });

/** Incomes and `totalIncome` are in USD; `fromDate` and `toDate` in milliseconds (product §23.1). */
export const Report = z.object({
  id: Id,
  type: ReportType,
  fromDate: Instant,
  toDate: Instant,
  numOfStreams: z.number(),
  incomeOfStreams: z.number(),
  numOfDownloads: z.number(),
  incomeOfDownloads: z.number(),
  numOfYoutube: z.number(),
  incomeOfYoutube: z.number(),
  totalIncome: z.number(),
  trackId: Id.nullable(),
  userId: Id,
  Track: TrackRef.nullable(),
  Account: AccountRef,
});
export type Report = z.infer<typeof Report>;

/** The amounts of a report by recipient, in EUR at 6 decimals, with the rate (USD per EUR) and percentages used. */
const ReportNeighbour = z.object({ id: Id, name: z.string() }).nullable();

export const ReportDetail = Report.extend({
  rate: z.number(),
  grossEur: z.number(),
  percentile: z.number(),
  accountEur: z.number(),
  platformEur: z.number(),
  referrals: z.array(z.object({ referralId: Id, referrer: AccountRef, percentile: z.number(), amountEur: z.number() })),
  import: z.object({ id: Id, kind: z.string(), fileName: z.string().nullable(), createdAt: Instant }),
  transactions: z.array(z.object({ id: Id, occurredAt: Instant, amountEur: z.number() })),
  /** Reports of the account and month with the next larger and smaller share. */
  previous: ReportNeighbour,
  next: ReportNeighbour,
  createdBy: z.string().nullable(),
});
export type ReportDetail = z.infer<typeof ReportDetail>;

/** Statement lines behind a report, in the file's currency; USD at the import's rates. */
const StatementPart = z.object({
  kind: IncomeKind,
  currency: z.string(),
  quantity: z.number(),
  amount: z.number(),
  amountUsd: z.number().nullable(),
  /** Rows of the file. */
  rows: z.number(),
});

export const ReportStatements = z.object({
  parts: z.array(
    StatementPart.extend({
      statementId: Id,
      fileName: z.string(),
      source: z.string(),
      month: Instant,
      /** Units of the currency per euro, as used by the import: 1 for euros. */
      rate: z.number().nullable(),
    }),
  ),
  /** False when the parts do not add up to the report: imports did not store their rates then. */
  isAsPosted: z.boolean(),
});
export type ReportStatements = z.infer<typeof ReportStatements>;

export const ReportLines = z.object({
  /** By store, country and kind, the largest first. */
  lines: z.array(
    StatementPart.extend({
      store: z.string(),
      country: z.string(),
      /** The first lines of the file where equal rows begin. */
      firstLines: z.array(z.number()),
      lines: z.number(),
    }),
  ),
  total: z.number(),
});
export type ReportLines = z.infer<typeof ReportLines>;

export const maxBatchRows = 5000;

/** Rows are parsed one by one (product §33.16): an invalid row does not block the others. */
const CsvRows = z.array(z.unknown()).min(1).max(maxBatchRows);

const GivenValues = z.partialRecord(z.enum(valueFields), z.string());
export type GivenValues = z.infer<typeof GivenValues>;

export const UnsavedRow = z.object({ row: z.number(), isrc: z.string(), reason: z.string() });
export type UnsavedRow = z.infer<typeof UnsavedRow>;

const ImportKind = z.enum(keysOf(importKindNames));

/** USD and EUR sums as in the ledger, 6 decimals. */
export const Import = z.object({
  id: Id,
  kind: ImportKind,
  type: ReportType,
  fileName: z.string().nullable(),
  month: Instant,
  toDate: Instant,
  rate: z.number(),
  batches: z.number(),
  /** The file's number of batches, when the sender gave it. */
  batchesExpected: z.number().nullable(),
  /** Staged batches and rows; `rows`, `saved` and `unsaved` include them, the sums do not. */
  stagedBatches: z.number(),
  stagedRows: z.number(),
  /** When the last batch arrived. */
  receivedAt: Instant,
  postedAt: Instant.nullable(),
  rows: z.number(),
  saved: z.number(),
  unsaved: z.number(),
  reports: z.number(),
  grossUsd: z.number(),
  grossEur: z.number(),
  accountsEur: z.number(),
  referralsEur: z.number(),
  platformEur: z.number(),
  createdAt: Instant,
  createdBy: z.string().nullable(),
  reversedAt: Instant.nullable(),
  reversedBy: z.string().nullable(),
});
export type Import = z.infer<typeof Import>;

export const LedgerTransaction = z.object({
  id: Id,
  kind: z.string(),
  occurredAt: Instant,
  memo: z.string(),
  importId: Id.nullable(),
  /** Of an import, with the account whose reports it is about. */
  import: z
    .object({ type: ReportType, month: Instant, fileName: z.string().nullable(), accountId: Id.nullable() })
    .nullable(),
  payoutId: Id.nullable(),
  reverses: Id.nullable(),
  reversedBy: z.array(Id),
  admin: z.string().nullable(),
  /** Credits are positive: owed to an account; `balance` is the account's current balance, EUR. */
  postings: z.array(
    z.object({
      /** `account:7`, `payout:54`, `store`; the label says it in words. */
      account: z.string(),
      label: z.string(),
      currency: z.string(),
      amount: z.number(),
      balance: z.number(),
    }),
  ),
});
export type LedgerTransaction = z.infer<typeof LedgerTransaction>;

export const reportRoutes = {
  listReports: defineRoute('GET /reporting/all', ['read_reports'], {
    query: listQuery(['month', 'id'], 'desc', {
      type: ReportType.optional(),
      from: MonthMsQuery.optional(),
      to: MonthMsQuery.optional(),
      import: QueryId.optional(),
      userId: QueryId.optional(),
    }),
    response: z.array(Report),
  }),
  getReport: defineRoute('GET /reporting/:id', ['read_reports'], { response: ReportDetail }),
  listReportStatements: defineRoute('GET /reporting/:id/statements', ['read_reports'], { response: ReportStatements }),
  listReportLines: defineRoute('GET /reporting/:id/statements/:statement/lines', ['read_reports'], {
    params: IdParams.extend({ statement: IdParams.shape.id }),
    response: ReportLines,
  }),
  deleteReport: defineRoute('DELETE /reporting/delete/:id', ['edit_reports'], {
    stepUp: true,
    response: z.object({ deleted: z.number(), amountEur: z.number() }),
    message: 'Le rapport est supprimé et ses montants sont contre-passés',
  }),
  createReport: defineRoute('POST /reporting/create', ['edit_reports'], {
    stepUp: true,
    body: ReportForm,
    response: z.object({ id: Id }),
    message: 'Le rapport est créé',
  }),
  createYoutubeReport: defineRoute('POST /reporting/youtube/create', ['edit_reports'], {
    stepUp: true,
    body: YoutubeReportForm,
    response: z.object({ id: Id }),
    message: 'Le revenu vidéo est enregistré',
  }),
  importReportBatch: defineRoute('POST /reporting/csv', ['edit_reports'], {
    stepUp: true,
    summary: 'The same batch again changes nothing; of several batches, the last to come posts them all.',
    query: z.object({
      date: MonthMsQuery,
      to: z.coerce.number().optional(),
      /** The file's SHA-256; without it each call is a separate import. */
      import: z.string().trim().toLowerCase().min(1).max(100).optional(),
      batch: z.coerce.number().int().min(0).max(10_000_000).default(0),
      /** The file's number of batches. With more than one, rows are posted once all have arrived. */
      batches: z.coerce.number().int().min(1).max(10_000_000).optional(),
      name: z.string().max(255).optional(),
      /** Whether rows that another import of the month has are meant: false answers 409, an omitted one warns. */
      again: z.stringbool().optional(),
    }),
    body: CsvRows,
    response: z.object({
      saved: z.number(),
      unsavedISRC: z.array(z.string()),
      unsaved: z.array(UnsavedRow),
      importId: Id,
      grossUsd: z.number(),
      /** The amount this batch gave to accounts; 0 for a file that is posted as a whole. */
      accountsEur: z.number(),
      isPosted: z.boolean(),
      /** Rows of earlier batches whose track was deleted before posting: unsaved rows of the import. */
      dropped: z.number(),
      /** True when this batch was already counted: nothing was added. */
      alreadyCounted: z.boolean(),
    }),
    bodyLimitBytes: 8 * 1024 * 1024,
  }),
  deleteReportsByMonth: defineRoute('DELETE /reporting/deleteByMonth', ['edit_reports'], {
    stepUp: true,
    query: DryRunQuery.extend({ date: MonthMsQuery, type: ReportType.default('platform') }),
    response: z.object({ deleted: z.number(), amountEur: z.number() }),
    message: 'Les rapports du mois sont supprimés',
  }),
  listImports: defineRoute('GET /imports', ['read_reports'], {
    query: listQuery(['createdAt'], 'desc', {
      kind: ImportKind.optional(),
      type: ReportType.optional(),
      month: MonthMsQuery.optional(),
      state: z.enum(['active', 'staged', 'reversed']).optional(),
    }),
    response: z.array(Import),
  }),
  getImport: defineRoute('GET /imports/:id', ['read_reports'], { response: Import }),
  listUnsavedRows: defineRoute('GET /imports/:id/unsaved', ['read_reports'], {
    summary: '`row` counts from 1 over the whole file.',
    query: listQuery(['row'], 'asc', {}),
    response: z.array(UnsavedRow.extend({ batch: z.number(), given: GivenValues })),
  }),
  postImport: defineRoute('POST /imports/:id/post', ['edit_reports'], {
    stepUp: true,
    summary: 'Post what has come of a file that was cut short.',
    /** `stagedRows` on the caller's screen: a different number answers 409. */
    body: z.object({ rows: z.number().int().min(0), again: z.boolean().optional() }),
    response: z.object({ saved: z.number(), dropped: z.number(), reports: z.number(), accountsEur: z.number() }),
    message: 'Les lignes reçues sont comptabilisées',
  }),
  discardImport: defineRoute('DELETE /imports/:id', ['edit_reports'], {
    summary: 'Only while nothing of it is posted.',
    response: z.object({ rows: z.number() }),
    message: 'L’envoi est supprimé',
  }),
  previewReversal: defineRoute('GET /imports/:id/reversal', ['edit_reports'], {
    summary: 'Accounts whose balance would be negative after reversing the import, and by how much in all.',
    response: z.object({ negative: z.number(), negativeEur: z.number() }),
  }),
  reverseImport: defineRoute('POST /imports/:id/reverse', ['edit_reports'], {
    stepUp: true,
    response: z.object({ deleted: z.number(), amountEur: z.number() }),
    message: 'L’import est contre-passé',
  }),
  getLedgerTransaction: defineRoute('GET /ledger/transactions/:id', ['read_reports', 'manage_profiles'], {
    summary: 'One of no report takes manage_profiles, or of a payout a right to read those.',
    response: LedgerTransaction,
  }),
};
