import { CellText, companyColumns, libraryColumns, rowOf } from '#src/columns.ts';
import { ElectronicAddress, Siren, VatRegime } from '#src/companies.ts';
import { messages } from '#src/messages.ts';
import { Percentile } from '#src/percentile.ts';
import { isPlain } from '#src/plain-text.ts';
import { ReleaseStatus } from '#src/releases.ts';
import { DryRunQuery, defineRoute, Id, Instant, listQuery } from '#src/route.ts';
import { StatementPeriod } from '#src/statement-period.ts';
import { states } from '#src/states.ts';
import { keysOf, mapKeys, optionalText, z } from '#src/zod.ts';
import { ImportRow } from './row-import.ts';

const AccountRole = z.enum(states.role.toWire);
const AccountState = z.enum(states.account.toWire);

/** Time zones offered by the form (product §29.4). */
export const timezones = [
  'GMT -6',
  'GMT -5',
  'GMT -4',
  'GMT -1',
  'GMT',
  'GMT +1',
  'GMT +2',
  'GMT +3',
  'GMT +4',
] as const;

const Name = (error: string) =>
  z.string({ error }).trim().min(2, { error }).max(50, { error }).refine(isPlain, { error: messages.hiddenCharacter });

/** Text of `min` to `max` characters, or empty; an omitted field keeps its value. */
const optional = (min: number, max: number, error: string) =>
  z
    .string({ error })
    .trim()
    .refine((text) => text === '' || (text.length >= min && text.length <= max), { error })
    .transform((text) => (text === '' ? null : text))
    .nullish();

/** A field that cannot be empty: null, like an omitted field, keeps its value. */
const kept = <Schema extends z.ZodType>(schema: Schema) =>
  schema
    .nullish()
    .transform((value) => value ?? undefined)
    .optional();

const maxIncome = 1_000_000_000;
const incomeError = 'Indiquez un solde en euros';
const Income = z
  .number({ error: incomeError })
  .min(-maxIncome, { error: incomeError })
  .max(maxIncome, { error: incomeError });

/**
 * The profile form (product §25.1); omitted fields keep their values. An `income` that differs at 2 decimals posts an
 * adjustment; a record changed since `incomeSeen` or `updatedAt` answers 409 (product §33.13).
 */
export const ProfileForm = z.object({
  fname: Name('Le prénom est requis\u00a0: de 2 à 50 caractères'),
  lname: Name('Le nom est requis\u00a0: de 2 à 50 caractères'),
  email: z
    .string({ error: messages.email })
    .trim()
    .max(254, { error: messages.email })
    .transform((text) => (text === '' ? null : text))
    .pipe(z.email().nullable())
    .nullish(),
  company: optionalText(120).refine((text) => isPlain(text ?? ''), {
    error: messages.hiddenCharacter,
  }),
  address: optional(3, 50, 'L’adresse compte de 3 à 50 caractères'),
  address2: optionalText(120),
  city: optional(2, 50, 'La ville compte de 2 à 50 caractères'),
  postcode: optional(2, 20, 'Le code postal compte de 2 à 20 caractères'),
  country: optional(2, 80, 'Choisissez un pays'),
  tax: optionalText(40),
  siren: Siren.nullish(),
  electronicAddress: ElectronicAddress.nullish(),
  vatRegime: z.union([z.literal('').transform(() => null), VatRegime], { error: messages.vatRegime }).nullish(),
  /** Empty or null: the house's. */
  statementPeriod: z.union([z.literal('').transform(() => null), StatementPeriod]).nullish(),
  timezone: optionalText(40),
  state: kept(AccountState),
  role: kept(AccountRole),
  libraryIncomePercentile: kept(Percentile),
  youtubeChannelIncomePercentile: kept(Percentile),
  memo: optionalText(5000),
  income: kept(Income),
  incomeSeen: kept(Income),
  /** The reason of the adjustment; the form requires it, the API does not. */
  reason: optionalText(1000),
  updatedAt: kept(Instant),
});
export type ProfileForm = z.infer<typeof ProfileForm>;

/** `income` is the balance in EUR (product §33.13). */
export const Profile = z.object({
  id: Id,
  fname: z.string(),
  lname: z.string(),
  email: z.string().nullable(),
  company: z.string().nullable(),
  address: z.string().nullable(),
  address2: z.string().nullable(),
  city: z.string().nullable(),
  postcode: z.string().nullable(),
  country: z.string().nullable(),
  tax: z.string().nullable(),
  siren: z.string().nullable(),
  electronicAddress: z.string().nullable(),
  vatRegime: VatRegime.nullable(),
  /** Null: the house's. */
  statementPeriod: StatementPeriod.nullable(),
  timezone: z.string().nullable(),
  state: AccountState,
  role: AccountRole,
  income: z.number(),
  libraryIncomePercentile: z.number(),
  youtubeChannelIncomePercentile: z.number(),
  memo: z.string().nullable(),
  createdAt: Instant,
  updatedAt: Instant,
  erasedAt: Instant.nullable(),
  /** The last day of the current label subscription, dd/MM/yyyy. */
  subscriptionUntil: z.string().nullable(),
  /** The sum of the referrers' percentages of the account's net, taken from the platform's share. */
  referrersPercentile: z.number(),
  /** EUR, waits for a signature: `/signatures/proposal/:id`. */
  pendingAdjustment: z.object({ id: Id, amountEur: z.number() }).nullable(),
});
export type Profile = z.infer<typeof Profile>;

/** A profile as the list has it; what callers without `manage_profiles` do not see is null (product §22.4). */
const AccountSummary = Profile.omit({ pendingAdjustment: true }).extend({
  libraryIncomePercentile: z.number().nullable(),
  youtubeChannelIncomePercentile: z.number().nullable(),
  createdAt: Instant.nullable(),
  updatedAt: Instant.nullable(),
  referrersPercentile: z.number().nullable(),
  /** Whether a paid order of plan `label` is not past its due date (product §34.7). */
  hasLabelSubscription: z.boolean(),
});
export type AccountSummary = z.infer<typeof AccountSummary>;

/** A release as the profile lists it (product §22.5). */
export const ProfileLibrary = z.object({
  id: Id,
  title: z.string(),
  barcode: z.string().nullable(),
  status: ReleaseStatus,
  tracks: z.array(z.object({ id: Id, title: z.string(), isrc: z.string().nullable(), artists: z.string() })),
});
export type ProfileLibrary = z.infer<typeof ProfileLibrary>;

/** A row is a track; rows with the same barcode are one release, others one each (product §34.5). */
const ProfileImportRow = ImportRow.extend({
  /** The release's title; by default its first track's title. */
  album: CellText,
});
export type ProfileImportRow = z.infer<typeof ProfileImportRow>;

export const maxProfileImportRows = 1000;
const ProfileImport = z.object({
  user: z
    .union([z.string(), z.number()])
    .transform(String)
    .pipe(z.string().regex(/^[1-9]\d{0,15}$/, { error: 'Le compte est un numéro' })),
  releases: z.array(rowOf(libraryColumns, ProfileImportRow)).min(1).max(maxProfileImportRows),
});

export const ProfileImportOutcome = z.object({
  releases: z.number(),
  created: z.number(),
  completed: z.number(),
  unchanged: z.number(),
  /** Errors by row, from 1; any error refuses the whole file. */
  refused: z.array(z.object({ row: z.number(), message: z.string() })),
  added: z.array(z.object({ title: z.string(), barcode: z.string().nullable(), tracks: z.number() })),
});
export type ProfileImportOutcome = z.infer<typeof ProfileImportOutcome>;

/** What the import of companies fills. */
export const CompanyNumbers = ProfileForm.pick({ siren: true, electronicAddress: true, tax: true, vatRegime: true });
export type CompanyNumbers = z.infer<typeof CompanyNumbers>;

export const maxCompanyRows = 5000;
/** A row is an account, found by its number, else by its e-mail; the regime is a value or its label. */
const CompanyRow = z.object(mapKeys(keysOf(companyColumns), () => CellText));
export type CompanyRow = z.infer<typeof CompanyRow>;

export const accountRoutes = {
  importCompanies: defineRoute('POST /accounts/profiles/import', ['manage_profiles'], {
    summary: 'Fills the empty numbers of companies, all or none; with dryRun only what it would do.',
    query: DryRunQuery,
    body: z.array(rowOf(companyColumns, CompanyRow)).min(1).max(maxCompanyRows),
    response: ProfileImportOutcome.pick({ completed: true, unchanged: true, refused: true }),
    message: 'Les comptes sont complétés',
    bodyLimitBytes: 8 * 1024 * 1024,
  }),
  // product §27.4.
  importProfileLibraries: defineRoute('POST /profile/:id/libraries', ['manage_profiles'], {
    summary: 'All rows or none; with dryRun only what it would do.',
    query: DryRunQuery,
    body: ProfileImport,
    response: ProfileImportOutcome,
    message: 'Les sorties sont importées',
    bodyLimitBytes: 8 * 1024 * 1024,
  }),
  listProfileLibraries: defineRoute('GET /profile/:id/libraries', ['manage_profiles'], {
    query: listQuery(['id'], 'asc', {}),
    response: z.array(ProfileLibrary),
  }),
  listProfiles: defineRoute('GET /accounts/profiles', ['manage_profiles', 'edit_reports'], {
    query: listQuery(['name', 'id'], 'asc', {
      kind: z.enum(['accounts', 'accountsWithLabelSubscription']).default('accounts'),
      role: AccountRole.optional(),
      state: AccountState.optional(),
      /** `label`: accounts with a current label subscription; `none`: the others. */
      subscription: z.enum(['label', 'none']).optional(),
      /** Companies in France without one. */
      siren: z.enum(['missing']).optional(),
    }),
    response: z.object({
      accounts: z.array(AccountSummary),
      accountsWithLabelSubscription: z.array(z.object({ userId: Id })),
    }),
  }),
  getNewProfile: defineRoute('GET /profile/new', ['manage_profiles'], {
    response: Profile.pick({ libraryIncomePercentile: true, youtubeChannelIncomePercentile: true }).extend({
      houseStatementPeriod: StatementPeriod,
    }),
  }),
  createProfile: defineRoute('POST /profile/new', ['manage_profiles'], {
    summary: 'An income other than 0 is posted as an adjustment: like other shares, it needs a recent second factor.',
    body: ProfileForm,
    response: z.object({ id: Id }),
    message: 'Le compte est créé',
  }),
  getProfile: defineRoute('GET /profile/:id/profile', ['manage_profiles'], { response: Profile }),
  editProfile: defineRoute('PUT /profile/:id/profile', ['manage_profiles'], {
    summary:
      'A changed income posts an adjustment; it, percentages, state, role and e-mail need a recent second factor.',
    body: ProfileForm,
    response: Profile,
    message: 'Le compte est enregistré',
  }),
};
