import { BankAnswer, bankMessages, maxReportBytes, Outcome, Verdict } from '#src/bank-answers.ts';
import { messages } from '#src/messages.ts';
import {
  BatchState,
  BillingType,
  minPayoutEur,
  PaymentFile,
  PayoutState,
  PreflightProblem,
  payoutMessages,
} from '#src/payouts.ts';
import { hasCents } from '#src/percentile.ts';
import { defineRoute, ExpectedVersion, Id, Instant, listQuery } from '#src/route.ts';
import { House } from '#src/settings.ts';
import { SignatureReason } from '#src/signatures.ts';
import { states } from '#src/states.ts';
import { z } from '#src/zod.ts';
import { AccountNumber, BillingDetails } from './billing.ts';

const AccountState = z.enum(states.account.toWire);

/** EUR. */
const Amount = z
  .number({ error: payoutMessages.amount })
  .min(minPayoutEur, { error: payoutMessages.amount })
  .max(1_000_000_000, { error: payoutMessages.amountOverBalance })
  .refine(hasCents, { error: payoutMessages.amountDecimals });

export const PayoutRequestForm = z.object({
  userId: Id,
  account: z.int({ error: payoutMessages.account }).positive({ error: payoutMessages.account }),
  amount: Amount,
});
export type PayoutRequestForm = z.infer<typeof PayoutRequestForm>;

export const PayoutEditForm = z.object({
  status: z.enum(states.payout.toWire, { error: payoutMessages.status }),
  /** The reason of a return or a cancellation; the form requires it of a return, the API does not. */
  reason: z.string().trim().max(1000).optional(),
});
export type PayoutEditForm = z.infer<typeof PayoutEditForm>;

/** Amounts in EUR; dates in milliseconds. */
export const Payout = z.object({
  payoutId: Id,
  userId: Id,
  payoutState: PayoutState,
  payoutAmount: z.number(),
  payoutFee: z.number(),
  /** What is transferred: amount minus fee. */
  payoutNet: z.number(),
  payoutDownloaded: z.union([z.literal(0), z.literal(1)]),
  payoutCreatedAt: Instant,
  paidAt: Instant.nullable(),
  cancelledAt: Instant.nullable(),
  cancelReason: z.string().nullable(),
  /** When a paid payout was returned (PAID → CANCEL); null when it was cancelled before payment. */
  returnedAt: Instant.nullable(),
  userFname: z.string(),
  userLname: z.string(),
  userEmail: z.string().nullable(),
  userIncome: z.number(),
  userState: AccountState,
  type: BillingType,
  owner: z.string(),
  /** The last characters of the IBAN, or the PayPal address with its middle hidden. */
  destination: z.string(),
  isExported: z.boolean(),
  isRecentlyChanged: z.boolean(),
  isBillingDeleted: z.boolean(),
  batchId: Id.nullable(),
  /** Of a pending payout: EUR of it that no signature covers (product §39.17). */
  unsignedEur: z.number(),
  /** Pending, and the destination is signed neither by its details nor by a payment. */
  isNewDestination: z.boolean(),
  /** Pending, and it would leave only with signatures that it lacks. */
  needsSignatures: z.boolean(),
});
export type Payout = z.infer<typeof Payout>;

const PayoutDetail = Payout.extend({
  /** As exported, otherwise as stored now; only the last 4 characters of the IBAN. */
  account: BillingDetails,
  /** Names of current admins; null for the system. */
  requestedBy: z.string().nullable(),
  paidBy: z.string().nullable(),
  cancelledBy: z.string().nullable(),
  exportedAt: Instant.nullable(),
  exportedBy: z.string().nullable(),
  /** Its last one. */
  bankAnswer: BankAnswer.nullable(),
});
export type PayoutDetail = z.infer<typeof PayoutDetail>;

const PayoutReceipt = Payout.pick({
  ...{ payoutId: true, payoutAmount: true, payoutFee: true, payoutNet: true },
  ...{ userId: true, userFname: true, userLname: true },
}).extend({
  paidAt: Instant,
  account: BillingDetails,
  house: House.omit({ iban: true, bic: true }),
});
export type PayoutReceipt = z.infer<typeof PayoutReceipt>;

const payoutFilters = {
  type: BillingType.optional(),
  user: z.coerce.number().int().positive().optional(),
  batch: z.coerce.number().int().positive().optional(),
};
const payoutQuery = () => listQuery(['date', 'amount'], 'desc', payoutFilters);

export const UnpaidAccount = z.object({
  id: Id,
  fname: z.string(),
  lname: z.string(),
  email: z.string().nullable(),
  income: z.number(),
  role: z.enum(states.role.toWire),
  state: AccountState,
  pendingAmount: z.number(),
  hasBilling: z.boolean(),
  obstacle: z.string().nullable(),
});
export type UnpaidAccount = z.infer<typeof UnpaidAccount>;

/** Payouts of an account that are requested, not paid. */
export const pendingFields = {
  pendingEur: z.number(),
  pendingCount: z.number(),
  /** The batch that holds all of them, or null. */
  pendingBatch: Id.nullable(),
};

const RequestOptions = z.object({
  userId: Id,
  fname: z.string(),
  lname: z.string(),
  email: z.string().nullable(),
  state: AccountState,
  income: z.number(),
  /** The largest possible request: the balance in whole cents, at least 0. */
  available: z.number(),
  fee: z.number(),
  /** Why nothing of the balance can be requested; null when it can. */
  obstacle: z.string().nullable(),
  ...pendingFields,
  accounts: z.array(
    z.object({
      id: Id,
      type: BillingType,
      owner: z.string(),
      destination: z.string(),
      isRecentlyChanged: z.boolean(),
    }),
  ),
});
export type RequestOptions = z.infer<typeof RequestOptions>;

export const maxBatch = 10_000;
/** Rows of payouts that left an exported batch. */
export const maxLeft = 500;
const BatchPayouts = z
  .array(Id, { error: payoutMessages.batchEmpty })
  .min(1, { error: payoutMessages.batchEmpty })
  .max(maxBatch, { error: messages.maxItems(maxBatch) })
  .transform((ids) => [...new Set(ids)]);

/** How a payment differs from the account's earlier ones: `much_more` is at least three times the last one. */
const PaymentChange = z.enum(['first_payment', 'new_destination', 'much_more']);

const PreflightRow = z.object({
  payoutId: Id,
  userId: Id,
  name: z.string(),
  payoutAmount: z.number(),
  payoutNet: z.number(),
  file: PaymentFile,
  destination: z.string(),
  /** The holder's name in the bank file's limited character set, when it differs. */
  writtenName: z.string().nullable(),
  problems: z.array(PreflightProblem),
  changes: z.array(PaymentChange),
  /** The account's last payout; null for the first. */
  lastEur: z.number().nullable(),
  /** The last one of this payout, in a former batch too. */
  bankAnswer: BankAnswer.nullable(),
});
export type PreflightRow = z.infer<typeof PreflightRow>;

const Preflight = z.object({
  rows: z.array(PreflightRow),
  count: z.number(),
  totalEur: z.number(),
  netEur: z.number(),
  /** How many of them would leave only with signatures, and why. */
  needSignatures: z.number(),
  signatureReasons: z.array(SignatureReason),
  hasBlocking: z.boolean(),
  hasWarnings: z.boolean(),
});
export type Preflight = z.infer<typeof Preflight>;

/** `amountEur` is the balance, or the amount of the pending payout, that is not paid. */
const SkippedAccount = z.object({ userId: Id, name: z.string(), amountEur: z.number(), reason: z.string() });

/** Who is paid when every balance is requested; payouts that wait outside any batch are paid with them. */
const Everyone = z.object({
  /** Null for a dry run. */
  batchId: Id.nullable(),
  /** Sent back to pay exactly this. */
  version: z.string(),
  /** `payoutId` is null for a balance that is still to be requested. */
  rows: z.array(
    PreflightRow.extend({
      payoutId: Id.nullable(),
      /** Pending payouts to this destination that it replaces, with one fee. */
      replaces: z.array(Id),
      /** Why the account has another payout: one is signed, in the batch `apartBatchId`, or to another destination. */
      apart: z.enum(['signed', 'batch', 'destination']).nullable(),
      apartBatchId: Id.nullable(),
    }),
  ),
  leftOut: z.array(SkippedAccount.extend({ payoutId: Id.nullable(), billingId: Id.nullable() })),
  netEur: z.number(),
  hasWarnings: z.boolean(),
  needSignatures: z.number(),
  signatureReasons: z.array(SignatureReason),
});
export type Everyone = z.infer<typeof Everyone>;

const Step = z.object({ at: Instant, by: z.string() });
export const Batch = z.object({
  id: Id,
  state: BatchState,
  messageId: z.string(),
  count: z.number(),
  totalEur: z.number(),
  created: Step,
  exported: Step.nullable(),
  paid: Step.nullable(),
  voided: Step.nullable(),
});
export type Batch = z.infer<typeof Batch>;
export const BatchDetail = Batch.extend({
  netEur: z.number(),
  files: z.object({ sepa: z.number(), paypal: z.number(), manual: z.number() }),
  /** The sum of its SEPA payments, EUR, and of an exported file its SHA-256: to compare before it is signed at the bank. */
  sepaEur: z.number(),
  sepaSha256: z.string().nullable(),
  /** For an unexported batch: what blocks its export. */
  blocking: z.number(),
  /** For an exported batch: accounts suspended since, which block marking it as paid. */
  stopped: z.array(z.object({ userId: Id, name: z.string() })),
  bank: z.object({
    /** Its answers so far, newest first; without `messageId` they were typed. */
    reports: z.array(z.object({ at: Instant, by: z.string(), messageId: z.string().nullable() })),
    /** Payments by the last verdict and outcome, those that left the batch included. */
    counts: z.record(z.string(), z.number()),
    /** The bank executed some, or the file in part: it is never given up. */
    isExecuted: z.boolean(),
    /** Of its payouts: those with a near or another name, and those that are rejected. */
    doubtful: z.number(),
    rejected: z.number(),
    /** What left the exported files: rejected payouts, or all of an abandoned batch; at most `maxLeft`. */
    left: z.array(PreflightRow),
    /** Those of all of them that wait outside any batch. */
    looseIds: z.array(Id),
    /** A change that waits for signatures (`/signatures/proposal/:id`). */
    proposal: z.object({ id: Id, move: z.enum(['pay', 'abandon', 'return']) }).nullable(),
  }),
});
export type BatchDetail = z.infer<typeof BatchDetail>;

const ManualPayment = z.object({ payoutId: Id, payoutNet: z.number(), account: BillingDetails });
export type ManualPayment = z.infer<typeof ManualPayment>;

/** `returned`: how many payouts wait again. */
const BankResult = z.object({ id: Id, answers: z.number(), returned: z.number() });

const editPayout = ['edit_pending_payout', 'edit_paid_payout'] as const;

export const payoutRoutes = {
  requestPayout: defineRoute('POST /payouts/request', ['edit_pending_payout'], {
    body: PayoutRequestForm,
    response: z.object({ payoutId: Id }),
    message: 'Le versement est demandé',
  }),
  getRequestOptions: defineRoute('GET /payouts/request/:id', ['edit_pending_payout'], { response: RequestOptions }),
  requestBalances: defineRoute('POST /payouts/request-balances', ['edit_pending_payout'], {
    summary: 'Each account is paid to the details it was last paid to.',
    body: z.object({
      users: z.array(Id).min(1).max(500),
    }),
    response: z.object({
      requested: z.array(z.object({ userId: Id, payoutId: Id, amount: z.number() })),
      skipped: z.array(SkippedAccount),
    }),
  }),
  listPendingPayouts: defineRoute('GET /payouts/pending', ['read_pending_payout'], {
    query: payoutQuery(),
    response: z.array(Payout),
  }),
  listPaidPayouts: defineRoute('GET /payouts/paid', ['read_paid_payout'], {
    query: payoutQuery(),
    response: z.array(Payout),
  }),
  listCancelledPayouts: defineRoute('GET /payouts/cancelled', ['read_paid_payout'], {
    summary: 'Also payments that came back: `returned` asks for one of the two.',
    query: listQuery(['date', 'amount'], 'desc', { ...payoutFilters, returned: z.enum(['true', 'false']).optional() }),
    response: z.array(Payout),
  }),
  getPayout: defineRoute('GET /payouts/payout/:id', editPayout, { response: PayoutDetail }),
  revealPayoutAccount: defineRoute('POST /payouts/payout/:id/reveal', editPayout, {
    stepUp: true,
    response: AccountNumber,
  }),
  getPayoutReceipt: defineRoute('GET /payouts/payout/:id/receipt', ['read_paid_payout'], {
    stepUp: true,
    response: PayoutReceipt,
  }),
  editPayout: defineRoute('PUT /payouts/edit/:id', editPayout, {
    stepUp: true,
    summary:
      'Move a payout as its state table allows (product §33.19); a paid one that becomes CANCEL is a returned payment.',
    body: PayoutEditForm,
    /** `batchId`: the open batch that a payment just taken back had left, and is in again. */
    response: z.object({ payoutId: Id, payoutState: PayoutState, batchId: Id.nullable() }),
    message: 'Le versement est enregistré',
  }),
  deletePayout: defineRoute('DELETE /payouts/edit/:id', editPayout, {
    stepUp: true,
    summary: 'Its amount goes back to the account.',
    response: z.object({ payoutId: Id }),
    message: 'Le versement est supprimé',
  }),
  markPayoutDownloaded: defineRoute('PUT /payouts/download/:id', ['read_paid_payout'], {
    body: z.object({ download: z.literal(true) }),
    response: z.object({ payoutId: Id, payoutDownloaded: z.literal(1) }),
  }),
  listUnpaidAccounts: defineRoute('GET /payouts/unpaid-accounts', ['read_unpaid_accounts'], {
    summary: 'Balances of at least 0.10 €.',
    query: listQuery(['income'], 'desc', {
      role: z.enum(states.role.toWire).optional(),
      state: AccountState.optional(),
    }),
    response: z.array(UnpaidAccount),
  }),
};

export const payoutBatchRoutes = {
  preflightBatch: defineRoute('POST /payouts/batches/preflight', ['edit_pending_payout'], {
    summary: 'Nothing is stored.',
    body: z.object({ payouts: BatchPayouts }),
    response: Preflight,
  }),
  createBatch: defineRoute('POST /payouts/batches', ['edit_pending_payout'], {
    summary: 'Refused while the preflight finds something.',
    body: z.object({ payouts: BatchPayouts, confirmWarnings: z.boolean().default(false) }),
    response: z.object({ id: Id }),
    message: 'Le lot est créé',
  }),
  payEveryone: defineRoute('POST /payouts/pay-everyone', ['edit_pending_payout'], {
    summary:
      'One batch of every balance that can be paid and of the payouts that wait, one per account and destination; with dryRun only list them.',
    body: z
      .object({
        dryRun: z.boolean().default(false),
        /** The `version` of the dry run shown; required to pay. */
        version: ExpectedVersion.optional(),
        confirmWarnings: z.boolean().default(false),
      })
      .refine(({ dryRun, version }) => dryRun || version !== undefined, {
        path: ['version'],
        error: messages.unseen('version'),
      }),
    response: Everyone,
    message: 'Le lot est créé',
  }),
  listBatches: defineRoute('GET /payouts/batches', ['read_pending_payout', 'read_paid_payout'], {
    query: listQuery(['date'], 'desc', { state: BatchState.optional() }),
    response: z.array(Batch),
  }),
  getBatch: defineRoute('GET /payouts/batches/:id', ['read_pending_payout', 'read_paid_payout'], {
    response: BatchDetail,
  }),
  listBatchPayouts: defineRoute('GET /payouts/batches/:id/payouts', ['read_pending_payout', 'read_paid_payout'], {
    query: listQuery(['id'], 'asc', {}),
    summary: 'Before the export those with a problem or a change come first.',
    response: z.array(PreflightRow),
  }),
  exportBatch: defineRoute('POST /payouts/batches/:id/export', ['edit_pending_payout'], {
    stepUp: true,
    summary: 'Freeze beneficiaries and make the files; repeated, nothing changes.',
    response: z.object({ id: Id, state: BatchState }),
    message: 'Les fichiers du lot sont prêts',
  }),
  getBatchSepa: defineRoute('GET /payouts/batches/:id/sepa.xml', ['edit_pending_payout'], {
    stepUp: true,
    summary: 'A pain.001.001.09 credit transfer: the same file every time.',
    isFile: true,
  }),
  getBatchPaypal: defineRoute('GET /payouts/batches/:id/paypal.csv', ['edit_pending_payout'], {
    stepUp: true,
    isFile: true,
  }),
  listManualPayments: defineRoute('GET /payouts/batches/:id/manual', ['edit_pending_payout'], {
    stepUp: true,
    response: z.array(ManualPayment),
  }),
  readBankReport: defineRoute('PUT /payouts/batches/:id/bank-report', ['edit_pending_payout'], {
    summary:
      'The bank’s pain.002.001.03 or .10. Payments rejected from a file executed in part wait again, out of the batch.',
    upload: { field: 'report', maxBytes: maxReportBytes },
    response: BankResult,
    message: 'La réponse de la banque est enregistrée',
  }),
  typeBankAnswer: defineRoute('POST /payouts/batches/:id/bank-answer', ['edit_pending_payout'], {
    summary: 'One payment’s, typed: it moves nothing, and lifts no doubt.',
    body: BankAnswer.omit({ at: true })
      .extend({
        payoutId: Id,
        verdict: Verdict.nullable().default(null),
        outcome: Outcome.exclude(['unexecuted']).nullable().default(null),
        code: z.string().trim().toUpperCase().max(35).nullable().default(null),
        said: z.string().trim().max(1000).nullable().default(null),
      })
      .refine(({ verdict, outcome }) => verdict ?? outcome, { path: ['verdict'], error: bankMessages.nothing }),
    response: BankResult,
    message: 'La réponse de la banque est enregistrée',
  }),
  returnRejected: defineRoute('POST /payouts/batches/:id/return', ['edit_pending_payout'], {
    stepUp: true,
    summary: 'With two signatures its rejected payouts wait again, out of the batch.',
    response: z.object({ id: Id, state: BatchState }),
    message: 'Les versements rejetés sont de nouveau en attente',
  }),
  abandonBatch: defineRoute('POST /payouts/batches/:id/abandon', ['edit_pending_payout'], {
    stepUp: true,
    summary: 'Nothing of its files was executed: with two signatures it is void, and its payouts wait again.',
    response: z.object({ id: Id, state: BatchState }),
    message: 'Le lot est abandonné',
  }),
  payBatch: defineRoute('POST /payouts/batches/:id/pay', ['edit_pending_payout'], {
    stepUp: true,
    summary:
      'The bank has taken the files: every payout of the batch is PAID. With a near or another name it waits for signatures.',
    response: z.object({ id: Id, state: BatchState }),
    message: 'Le lot est payé',
  }),
  voidBatch: defineRoute('DELETE /payouts/batches/:id', ['edit_pending_payout'], {
    summary: 'Before its export; its payouts wait again.',
    response: z.object({ id: Id, state: BatchState }),
    message: 'Le lot est abandonné',
  }),
};
