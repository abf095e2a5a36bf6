import { type ProviderFailure, providerFailures } from './identity-provider.ts';
import { planNames } from './orders.ts';
import { batchStates, type PreflightProblem, preflightProblems } from './payouts.ts';
import { type QualityReason, qualityReasons, type ReleaseStatus, releaseStatuses } from './releases.ts';
import { secondFactorPolicies } from './second-factors.ts';
import { statementStatuses } from './statements.ts';
import { z } from './zod.ts';

/** Every journal action, with the kind of record it is about. */
export const auditActions = {
  'auth.signin': 'admin',
  'auth.signin_failed': 'admin',
  'auth.factor_failed': 'admin',
  'auth.signout': 'admin',
  'auth.end_session': 'admin',
  'auth.end_sessions': 'admin',
  'auth.password_reset_request': 'admin',
  'auth.password_reset': 'admin',
  'auth.change_password': 'admin',
  'auth.signup': 'admin',
  'auth.provider_signup': 'admin',
  'auth.confirm_identity': 'admin',
  'admin.link_identity': 'admin',
  'admin.follow_provider': 'admin',
  'admin.create': 'admin',
  'admin.edit': 'admin',
  'admin.reset_password': 'admin',
  'admin.delete': 'admin',
  'admin.export': 'admin',
  'admin.erase': 'admin',
  'admin.vouch': 'admin',
  'admin.add_factor': 'admin',
  'admin.ask_factor_lift': 'admin',
  'admin.cancel_factor_lift': 'admin',
  'admin.lift_factor': 'admin',
  'admin.remove_factor': 'admin',
  'admin.renew_recovery_codes': 'admin',
  'admin.invite': 'invitation',
  'admin.cancel_invitation': 'invitation',
  'job.fail': 'job',
  'mail.refuse': 'mail',
  'exchange_rate.set': 'exchange_rate',
  'exchange_rate.import_ecb': 'exchange_rate',
  'import.batch': 'import',
  'import.post': 'import',
  'import.discard': 'import',
  'import.reverse': 'import',
  'import.automatic': 'import',
  'report.create': 'report',
  'report.delete': 'report',
  'report.delete_month': 'month',
  'release.create': 'release',
  'release.delivery': 'release',
  'release.paid': 'release',
  'release.deliver': 'release',
  'release.edit': 'release',
  'release.withdraw': 'release',
  'release.close': 'release',
  'release.reopen': 'release',
  'release.delete': 'release',
  'release.cover': 'release',
  'release.import_tracks': 'release',
  'release.order_tracks': 'release',
  'order.create': 'order',
  'order.price': 'order',
  'order.start_card': 'order',
  'order.pay': 'order',
  'order.card_failed': 'order',
  'order.card_refused': 'order',
  'order.paid_twice': 'order',
  'order.set_status': 'order',
  'file.expire': 'file',
  'file.remove_orphans': 'file',
  'track.create': 'track',
  'track.edit': 'track',
  'track.audio': 'track',
  'track.delete': 'track',
  'track.take_isrc': 'track',
  'artist.create': 'artist',
  'artist.edit': 'artist',
  'settings.edit': 'settings',
  'settings.propose': 'settings',
  'settings.approve': 'settings',
  'settings.withdraw': 'settings',
  'retention.apply': 'settings',
  'journal.archive': 'settings',
  'journal.restore': 'settings',
  'ledger.archive': 'settings',
  'ledger.restore': 'settings',
  'report.archive': 'settings',
  'report.restore': 'settings',
  'payout.request': 'payout',
  'payout.approve': 'payout',
  'payout.pay': 'payout',
  'payout.reopen': 'payout',
  'payout.take_back': 'payout',
  'payout.cancel': 'payout',
  'payout.return': 'payout',
  'payout.delete': 'payout',
  'payout.download': 'payout',
  'payout.reveal': 'payout',
  'payout.receipt': 'payout',
  'payout_batch.create': 'payout_batch',
  'payout_batch.shrink': 'payout_batch',
  'payout_batch.rejoin': 'payout_batch',
  'payout_batch.approve': 'payout_batch',
  'payout_batch.export': 'payout_batch',
  'payout_batch.download': 'payout_batch',
  'payout_batch.pay': 'payout_batch',
  'payout_batch.void': 'payout_batch',
  'billing.create': 'billing_account',
  'billing.edit': 'billing_account',
  'billing.reveal': 'billing_account',
  'billing.confirm': 'billing_account',
  'referral.add': 'referral',
  'referral.delete': 'referral',
  'account.import_releases': 'account',
  'account.create': 'account',
  'account.edit': 'account',
  'account.export': 'account',
  'account.erase': 'account',
  'account.adjust': 'account',
  'account.propose_adjustment': 'account',
  'account.withdraw_adjustment': 'account',
  'contract.create': 'contract',
  'contract.delete': 'contract',
  'ticket.create': 'ticket',
  'ticket.edit': 'ticket',
  'income_item.assign': 'income_item',
  'income_item.match': 'income_item',
  'income_item.unassign': 'income_item',
  'code_edit.assign': 'code_edit',
  'code_edit.rows': 'code_edit',
  'code_edit.reverse': 'code_edit',
  'promo_code.create': 'promo_code',
  'promo_code.delete': 'promo_code',
  'subscription.create': 'order',
  'subscription.cancel': 'order',
  'subscription.move': 'order',
  'smartlink.create': 'smartlink',
  'smartlink.edit': 'smartlink',
  'smartlink.delete': 'smartlink',
  'statement.upload': 'statement',
  'statement.edit': 'statement',
  'statement.read_with': 'statement',
  'statement.check': 'statement',
  'statement.uncheck': 'statement',
  'statement.replace': 'statement',
  'statement.remove': 'statement',
  'statement_preset.create': 'statement_preset',
  'statement_preset.delete': 'statement_preset',
} as const;

export type AuditAction = keyof typeof auditActions;
export type AuditEntity = (typeof auditActions)[AuditAction];
export const AuditAction = z.enum(Object.keys(auditActions) as AuditAction[]);
export const AuditEntity = z.enum([...new Set(Object.values(auditActions))]);

/** The kinds of records whose acts are in the journal of an account: itself, and what belongs to it. */
export const accountEntities = [
  'account',
  'billing_account',
  'payout',
  'payout_batch',
  'referral',
  'release',
  'order',
  'contract',
  'ticket',
] as const satisfies readonly AuditEntity[];

/** Sign-ins and sign-outs: journal lists omit them by default. */
export const signInActions = [
  'auth.signin',
  'auth.signin_failed',
  'auth.factor_failed',
  'auth.signout',
  'auth.end_session',
  'auth.end_sessions',
  'auth.confirm_identity',
] as const satisfies readonly AuditAction[];

/** Why an entry is an alert. */
export const alertKinds = ['admin', 'adjustment', 'destination', 'import', 'job', 'night', 'rate'] as const;
export type AlertKind = (typeof alertKinds)[number];

/** Jobs that can fail. */
export const jobNames = [
  'send_mail',
  'send_password_reset',
  'send_invitation',
  'send_factor_code',
  'lift_factor',
  'tidy_up',
  'report_failed_jobs',
  'tidy_files',
  'verify_ledger',
  'seal_chain',
  'anchor_chain',
  'recount_duplicates',
  'read_statement',
  'help_statement',
  'resume_jobs',
  'resume_statements',
  'drop_statement',
  'refresh_insight',
  'apply_retention',
  'back_up',
  'report_late_backup',
  'make_partitions',
] as const;

const invoiceStatuses = ['PENDING', 'PAID', 'CANCEL'] as const;
const reportTypes = ['platform', 'youtube'] as const;

type AuditValue =
  /** The number of a record of this kind. */
  | AuditEntity
  /** The key of a statement preset: `distrokid`, or `custom:` and a number. */
  | 'preset'
  | 'text'
  /** A text of several lines. */
  | 'prose'
  /** Shown exactly as typed: ISRC, IBAN, a checksum. */
  | 'code'
  | 'number'
  /** A position: stored from 0, shown from 1. */
  | 'index'
  /** A number that is not a quantity: a year, a number in a series. */
  | 'figure'
  /** An exact amount, as typed or as in the ledger. */
  | 'eur'
  /** A computed amount, shown to the cent. */
  | 'eurSum'
  | 'usdSum'
  /** An amount in the currency given by another field of the entry. */
  | 'money'
  | 'percent'
  | 'rate'
  | 'bytes'
  | 'boolean'
  /** `2026-10-30` or `30/10/2026`. */
  | 'day'
  | 'instant'
  | 'month'
  | 'capability'
  | 'platform'
  | 'territory'
  /** `2024-04 USD 1.0824000000 (2024-01)`: month, currency, rate, and the earlier month of that rate. */
  | 'oldRate'
  /** `2025-02 USD 100.751 / 101.25 (-0.499)`: read, declared, and the difference. */
  | 'declaration'
  /** One of these values. */
  | readonly string[];

/**
 * The type of each field of an entry; a list holds several values of the type. A field whose type differs for one kind
 * of record, or for one action, has its own row: `payout:state`, `auth.signin:factor`.
 */
export const auditFields = {
  // People
  fname: 'text',
  lname: 'text',
  fullname: 'text',
  email: 'text',
  passwordChanged: 'boolean',
  capabilities: 'capability',
  factor: 'text',
  'auth.signin:factor': ['totp', 'passkey', 'recovery'],
  dueAt: 'instant',
  issuer: 'text',
  provider: 'text',
  'auth.signin_failed:provider': Object.keys(providerFailures) as ProviderFailure[],
  providerFactor: 'boolean',
  hasFactor: 'boolean',
  device: 'text',
  'auth:address': 'code',
  fingerprint: 'code',
  makers: 'admin',
  alert: alertKinds,
  unchecked: 'boolean',
  warnings: 'text',
  proposedBy: 'admin',
  approvedBy: 'admin',
  changedBy: 'text',
  task: jobNames,
  attempts: 'number',
  to: 'text',
  subject: 'text',
  reply: 'figure',
  year: 'figure',
  entries: 'number',
  postings: 'number',
  // Accounts
  userId: 'account',
  company: 'text',
  address: 'text',
  address2: 'text',
  city: 'text',
  postcode: 'code',
  country: 'text',
  tax: 'code',
  timezone: 'text',
  'account:state': ['ENABLED', 'HOLD', 'DISABLED'],
  role: ['CUSTOMER', 'LABEL'],
  libraryIncomePercentile: 'percent',
  youtubeChannelIncomePercentile: 'percent',
  memo: 'prose',
  income: 'eur',
  'account:id': 'account',
  reason: 'text',
  'order.card_refused:reason': ['unknown_payment', 'amount_or_currency'],
  'order.paid_twice:reason': ['already_paid', 'release_paid'],
  referrerId: 'account',
  referredId: 'account',
  percentile: 'percent',
  'billing_account:type': ['bank', 'paypal'],
  owner: 'text',
  holderAddress: 'text',
  holderAddress2: 'text',
  holderCity: 'text',
  holderCountry: 'text',
  holderPostcode: 'code',
  bankName: 'text',
  bankCountry: 'text',
  bankAddress: 'text',
  bankAddress2: 'text',
  bankCity: 'text',
  bankZipCode: 'code',
  iban: 'code',
  swift: 'code',
  // Releases and tracks
  title: 'text',
  'release:status': Object.keys(releaseStatuses) as ReleaseStatus[],
  genre: 'text',
  subgenre: 'text',
  language: 'text',
  version: 'text',
  label: 'text',
  barcode: 'code',
  catalogNumber: 'code',
  originalRealeaseDate: 'day',
  originalReleaseDate: 'day',
  digitalReleaseDate: 'day',
  digitalLabel: 'text',
  digitalGenre: 'text',
  digitalSubgenre: 'text',
  publisherLink: 'text',
  yearOfRegistration: 'figure',
  recordingOwnerName: 'text',
  coverDetailsOwner: 'text',
  coverDetailsYear: 'figure',
  coverFileId: 'figure',
  note: 'prose',
  confirmedQuality: Object.keys(qualityReasons) as QualityReason[],
  tracks: 'number',
  trackIds: 'track',
  trackId: 'track',
  libraryId: 'release',
  audio: 'text',
  sizeBytes: 'bytes',
  sha256: 'code',
  isrc: 'code',
  noVoice: 'boolean',
  starTime: 'code',
  artists: 'text',
  contributors: 'text',
  musicians: 'text',
  editors: 'text',
  spotifyId: 'code',
  appleMusicId: 'code',
  platforms: 'platform',
  territories: 'territory',
  hasExpressDelivery: 'boolean',
  // Orders
  plan: planNames,
  planPrice: 'eur',
  labelFees: 'eur',
  expressDeliveryPrice: 'eur',
  discount: 'eur',
  vatPercent: 'percent',
  total: 'eur',
  promoCode: 'code',
  'order:status': invoiceStatuses,
  invoiceNumber: 'code',
  creditNote: 'code',
  creditedInvoice: 'code',
  paidInstead: 'order',
  reference: 'text',
  cardTransactionId: 'code',
  dueDate: 'day',
  currency: 'code',
  'order:amount': 'money',
  percent: 'percent',
  'promo_code:name': 'code',
  description: 'text',
  // Payouts
  amount: 'eur',
  fee: 'eur',
  destination: 'code',
  'payout:state': ['PENDING', 'PAID', 'CANCEL'],
  'payout:type': ['bank', 'paypal'],
  'payout_batch:state': batchStates,
  'payout_batch.download:file': ['sepa', 'paypal', 'manual'],
  payouts: 'number',
  count: 'number',
  messageId: 'code',
  payoutId: 'payout',
  billingAccountId: 'billing_account',
  problems: Object.keys(preflightProblems) as PreflightProblem[],
  // Reports and statements
  month: 'month',
  type: reportTypes,
  file: 'text',
  batch: 'index',
  batches: 'number',
  batchesExpected: 'number',
  dropped: 'number',
  rows: 'number',
  saved: 'number',
  reports: 'number',
  sums: 'number',
  imports: 'number',
  'month:imports': 'import',
  importId: 'import',
  grossUsd: 'usdSum',
  accountEur: 'eurSum',
  accountsEur: 'eurSum',
  referralsEur: 'eurSum',
  amountEur: 'eurSum',
  rate: 'rate',
  statements: 'number',
  'import:statements': 'statement',
  waitingEur: 'eurSum',
  fileName: 'text',
  source: 'text',
  preset: 'preset',
  replaces: 'statement',
  'statement_preset:replaces': 'statement_preset',
  by: 'statement',
  'statement:status': statementStatuses,
  accountingMonth: 'month',
  declaredAmount: 'money',
  declaredCurrency: 'code',
  difference: 'money',
  announced: 'text',
  duplicateOf: 'statement',
  duplicateLines: 'number',
  duplicateEur: 'eurSum',
  confirmedRates: 'oldRate',
  declarations: 'declaration',
  charset: 'code',
  decimalMark: 'code',
  sheets: 'text',
  member: 'text',
  name: 'text',
  // Services and tools
  'smartlink:status': ['PENDING', 'ENABLED'],
  slug: 'code',
  urls: 'text',
  clicks: 'number',
  'ticket:status': ['OPENED', 'CLOSED'],
  url: 'text',
  startAt: 'code',
  endAt: 'code',
  isClaimed: 'boolean',
  isProtected: 'boolean',
  releases: 'number',
  created: 'number',
  completed: 'number',
  codeEdit: 'code_edit',
  kind: ['isrc', 'barcode'],
  unsaved: 'number',
  unsavedRows: 'text',
  reversed: 'number',
  kept: 'number',
  files: 'number',
  accounts: 'number',
  admins: 'number',
  billings: 'number',
  contracts: 'number',
  invoices: 'number',
  tickets: 'number',
  letters: 'number',
  journalEntries: 'number',
  // Settings
  'house.name': 'text',
  'house.address': 'text',
  'house.postcode': 'code',
  'house.city': 'text',
  'house.country': 'text',
  'house.siren': 'code',
  'house.vatNumber': 'code',
  'house.iban': 'code',
  'house.bic': 'code',
  'house.email': 'text',
  houseBank: 'text',
  'houseBank.iban': 'code',
  'houseBank.bic': 'code',
  'prices.single': 'eur',
  'prices.ep': 'eur',
  'prices.album': 'eur',
  'prices.label': 'eur',
  'prices.premiumLabelFee': 'eur',
  'prices.expressFee': 'eur',
  payoutFeeEur: 'eur',
  payoutApprovalEur: 'eur',
  payoutHouseApprovalEur: 'eur',
  adjustmentApprovalEur: 'eur',
  payoutAlertEur: 'eur',
  isrcPrefixes: 'code',
  licenceYears: 'number',
  licenceTemplate: 'prose',
  'contractTemplates.label': 'text',
  'contractTemplates.template': 'prose',
  'passwordResetLetter.subject': 'text',
  'passwordResetLetter.text': 'prose',
  'passwordChangedLetter.subject': 'text',
  'passwordChangedLetter.text': 'prose',
  'invitationLetter.subject': 'text',
  'invitationLetter.text': 'prose',
  'emailChangedLetter.subject': 'text',
  'emailChangedLetter.text': 'prose',
  'billingChangedLetter.subject': 'text',
  'billingChangedLetter.text': 'prose',
  'accessChangedLetter.subject': 'text',
  'accessChangedLetter.text': 'prose',
  'factorCodeLetter.subject': 'text',
  'factorCodeLetter.text': 'prose',
  'newDeviceLetter.subject': 'text',
  'newDeviceLetter.text': 'prose',
  secondFactor: secondFactorPolicies,
  'retention.journalOriginMonths': 'number',
  'retention.leftAdminMonths': 'number',
  'retention.closedAccountMonths': 'number',
  'retention.ticketMonths': 'number',
  'retention.contractMonths': 'number',
  'retention.accountingMonths': 'number',
  'retention.statementFileMonths': 'number',
  'retention.letterDays': 'number',
  location: 'text',
} as const satisfies Record<string, AuditValue>;
export type AuditField = keyof typeof auditFields;

const isAuditField = (name: string): name is AuditField => Object.hasOwn(auditFields, name);

/** The row of `auditFields` for a field of an entry, by its path (`prices.album`); undefined when there is none. */
export function findAuditField(action: AuditAction, path: string): AuditField | undefined {
  const [area] = action.split('.');
  // Custom contract templates have names chosen by staff.
  const name = path.replace(/^contractTemplates\.[^.]+\./, 'contractTemplates.');
  return [`${action}:${name}`, `${auditActions[action]}:${name}`, `${area}:${name}`, name].find(isAuditField);
}

/** The fields of a record's state by path: nested objects are flattened, lists are kept whole. */
export function flattenFields(fields: Record<string, unknown> | null, prefix = ''): Map<string, unknown> {
  const flat = new Map<string, unknown>();
  for (const [key, value] of Object.entries(fields ?? {})) {
    const path = prefix + key;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) flat.set(path, value);
    else for (const [inner, leaf] of flattenFields(value as Record<string, unknown>, `${path}.`)) flat.set(inner, leaf);
  }
  return flat;
}
