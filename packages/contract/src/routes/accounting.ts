import { exchangeRateMessages, maxEcbCharacters } from '#src/exchange-rates.ts';
import { messages } from '#src/messages.ts';
import { MonthMs } from '#src/month.ts';
import { anyEditLibraries, anyReadLibraries } from '#src/releases.ts';
import { defineRoute, Id, Instant, listQuery } from '#src/route.ts';
import { z } from '#src/zod.ts';

const Rate = z
  .number()
  .gt(0, { error: 'Le taux est un nombre positif' })
  .min(0.0001, { error: 'Le taux est d’au moins 0,0001' })
  .max(1_000_000, { error: 'Ce taux est trop grand' });

export const ExchangeRate = z.object({
  /** The first month of the rate, milliseconds. */
  month: Instant,
  currency: z.string(),
  /** Units of `currency` per euro. */
  rate: z.number(),
  updatedAt: Instant,
  updatedBy: z.string().nullable(),
});
export type ExchangeRate = z.infer<typeof ExchangeRate>;

export const ExchangeRateForm = z.object({
  month: MonthMs,
  currency: z
    .string()
    .trim()
    .toUpperCase()
    .regex(/^[A-Z]{3}$/, { error: messages.currencyCode })
    .refine((code) => code !== 'EUR', { error: 'L’euro vaut toujours un euro' }),
  rate: Rate,
  /** Required for the first rate of a currency, and for one that differs by more than a fifth from the one it replaces or follows. */
  confirmFar: z.boolean().default(false),
});

/** Why a series of the file is skipped: its frequency, variation (end of period), denominator, or measure. */
const EcbSkipReason = z.enum(['frequency', 'variation', 'denominator', 'kind']);
export type EcbSkipReason = z.infer<typeof EcbSkipReason>;

export const EcbRates = z.object({
  /** What the import changes: first the rates that replace a stored one, then the new ones, newest month first. */
  changes: z.array(
    z.object({
      month: Instant,
      currency: z.string(),
      /** Units of the currency per euro, and the stored rate of that month. */
      rate: z.number(),
      former: z.number().nullable(),
      /** For a month after the current one, which has no average yet. */
      isFuture: z.boolean(),
      /** A rate from which it differs by more than a fifth: the stored one, or that of the month before. */
      farFrom: z.number().nullable(),
    }),
  ),
  unchanged: z.number(),
  /** Currencies without statements and without rates: imported only on request. */
  unused: z.array(z.string()),
  /** Rates of months before January 2020, which have no reports. */
  tooEarly: z.number(),
  /** Series that are not monthly averages against the euro: their number and the first ones. */
  leftOut: z.array(z.object({ reason: EcbSkipReason, count: z.number(), series: z.array(z.string()) })),
});
export type EcbRates = z.infer<typeof EcbRates>;

export const exchangeRateRoutes = {
  listExchangeRates: defineRoute('GET /exchange-rates', ['manage_settings', 'read_reports'], {
    query: listQuery(['month'], 'desc', { currency: z.string().max(3).optional() }),
    response: z.array(ExchangeRate),
  }),
  putExchangeRate: defineRoute('PUT /exchange-rates', ['manage_settings'], {
    stepUp: true,
    summary: 'Imported reports keep their rate.',
    body: ExchangeRateForm,
    response: ExchangeRate,
    message: 'Le taux est enregistré',
  }),
  importEcbRates: defineRoute('POST /exchange-rates/ecb', ['manage_settings'], {
    stepUp: true,
    summary: 'Monthly averages of the ECB’s CSV, all or none; with dryRun only preview the changes.',
    body: z.object({
      text: z
        .string({ error: exchangeRateMessages.ecbRequired })
        .min(1, { error: exchangeRateMessages.ecbRequired })
        .max(maxEcbCharacters, { error: exchangeRateMessages.ecbTooLarge }),
      withUnused: z.boolean().default(false),
      dryRun: z.boolean().default(false),
    }),
    // Quotes and line ends are two characters in JSON.
    bodyLimitBytes: 3 * maxEcbCharacters,
    response: EcbRates,
    message: 'Les taux sont enregistrés',
  }),
};

const LookupItem = z.object({ id: Id, label: z.string(), hint: z.string() });
const lookupQuery = z.object({ q: z.string().trim().max(200).default('') });
export type LookupItem = z.infer<typeof LookupItem>;

const accountReaders = [
  ...(['edit_reports', 'read_reports', 'manage_profiles', 'edit_tools', 'edit_pending_payout'] as const),
  ...(['read_subscriptions', ...anyEditLibraries] as const),
] as const;

export const lookupRoutes = {
  lookupAccounts: defineRoute('GET /lookup/accounts', accountReaders, {
    query: lookupQuery,
    response: z.array(LookupItem),
  }),
  lookupReleases: defineRoute('GET /lookup/releases', [...anyReadLibraries, 'edit_smartlink'], {
    query: lookupQuery,
    response: z.array(LookupItem),
  }),
  lookupPeople: defineRoute('GET /lookup/people', anyEditLibraries, {
    query: lookupQuery,
    response: z.array(LookupItem),
  }),
  lookupTracks: defineRoute('GET /lookup/tracks', ['edit_reports', 'read_reports', 'edit_tools'], {
    query: lookupQuery,
    response: z.array(LookupItem.extend({ accountId: Id })),
  }),
  listDeliveredTracks: defineRoute('GET /tracks/delivered', ['edit_reports'], {
    query: listQuery(['title', 'id'], 'asc', {}),
    response: z.array(
      z.object({ id: Id, title: z.string(), isrc: z.string().nullable(), releaseTitle: z.string(), userId: Id }),
    ),
  }),
};

/** How many days back the home page looks at the journal, beside today. */
export const homeDays = { alerts: 7 } as const;

/** A figure is null when the admin may not see it. */
export const HomeFigures = z.object({
  accounts: z.number().nullable(),
  unpaidReleases: z.number().nullable(),
  pendingPayouts: z.object({ count: z.number(), amountEur: z.number() }).nullable(),
  unpaidAccounts: z.object({ count: z.number(), amountEur: z.number(), payableEur: z.number() }).nullable(),
  reports: z.object({ count: z.number(), countIsExact: z.boolean(), lastMonth: Instant.nullable() }).nullable(),
  qualityControl: z.number().nullable(),
  openTickets: z.number().nullable(),
  /** Income of statement lines without a known track, in EUR where the currencies have a rate. */
  unmatched: z
    .object({
      items: z.number(),
      amountEur: z.number(),
      withoutRate: z.array(z.object({ currency: z.string(), amount: z.number() })),
    })
    .nullable(),
  /** Statements that are refused, or not recognised: their income counts nowhere yet. */
  blockedStatements: z.number().nullable(),
  /** ISRCs of imported CSV files whose income is not on any report of the month yet. */
  unsaved: z
    .object({
      isrcs: z.number(),
      isExact: z.boolean(),
      imports: z.number(),
      lastImportId: Id.nullable(),
    })
    .nullable(),
  /** Months with reports, and the last complete month, whose rate is from an earlier year. */
  missingRates: z.object({ months: z.number(), first: Instant.nullable() }).nullable(),
  /** What the caller can sign; for signatories and readers of the staff or the journal. */
  signatures: z.object({ toSign: z.number(), signatories: z.number(), unsignedEur: z.number() }).nullable(),
  /** Companies in France. */
  withoutSiren: z.number().nullable(),
  alerts: z.number().nullable(),
  /** E-mails that the mail server refused and that were not sent since. */
  undeliveredMails: z.number().nullable(),
  /** Statements to customers of the latest run that was sent. */
  undeliveredStatements: z.object({ count: z.number(), runId: Id.nullable() }).nullable(),
  /** No backup for more than a day. */
  isBackupLate: z.boolean().nullable(),
  /** When the oldest of each began to wait. */
  since: z.object({
    unpaidReleases: Instant.nullable(),
    pendingPayouts: Instant.nullable(),
    /** The arrival of the oldest statement with such income. */
    unmatched: Instant.nullable(),
    blockedStatements: Instant.nullable(),
    /** The oldest import with such rows; null while `unsaved` is not exact. */
    unsaved: Instant.nullable(),
    qualityControl: Instant.nullable(),
    openTickets: Instant.nullable(),
  }),
});
export type HomeFigures = z.infer<typeof HomeFigures>;

/** Counted up to this number, which stands for "more than 99". */
export const mostWaiting = 100;
const Waiting = z.int().max(mostWaiting).nullable();

/** What waits in the lists of the sidebar. A count is null when the admin may not open the list. */
export const WaitingCounts = z.object({
  unpaidReleases: Waiting,
  paidReleases: Waiting,
  pendingPayouts: Waiting,
  unpaidAccounts: Waiting,
  unmatched: Waiting,
  openTickets: Waiting,
  /** What the caller can sign; null for others than signatories. */
  signatures: Waiting,
});
export type WaitingCounts = z.infer<typeof WaitingCounts>;

export const homeRoutes = {
  getHome: defineRoute('GET /home', 'session', { response: HomeFigures }),
  getWaiting: defineRoute('GET /home/waiting', 'session', { response: WaitingCounts }),
};
