import { normaliseIban } from '@regie/values/iban.ts';
import { isSirenValid } from '@regie/values/siren.ts';
import { isElectronicAddress, VatRegime } from './companies.ts';
import { ContractTemplates, defaultContractTemplates } from './contract-templates.ts';
import { findLetterFault, type Letter, type LetterName, letterKinds, letterNames } from './letters.ts';
import { defaultContractTemplate, findTemplateFault } from './licence-contract.ts';
import { messages } from './messages.ts';
import { hasCents, Percentile } from './percentile.ts';
import { defaultRetention, Retention } from './retention.ts';
import { SecondFactorPolicy } from './second-factors.ts';
import { defaultUnsignedEur, maxUnsignedEur } from './signatures.ts';
import { sepaAddresses } from './state-names.ts';
import { StatementPeriod } from './statement-period.ts';
import { keysOf, mapKeys, refuseFault, z } from './zod.ts';

const text = (max: number) => z.string().trim().max(max);
/** An identifier without spaces, in upper case; empty before it is set. */
const bankCode = z.string().max(60).transform(normaliseIban);
const code = (isValid: (value: string) => boolean, error: string) =>
  bankCode.refine((value) => value === '' || isValid(value), { error });

/** The house's identity, on every document and bank file (product §34.9). Unknown fields are empty. */
export const House = z.object({
  name: text(120).min(1),
  /** Street lines, one per line. */
  address: text(240),
  postcode: text(20),
  city: text(80),
  country: text(80),
  siren: code(isSirenValid, messages.invalidSiren),
  /** See `ElectronicAddress`. */
  electronicAddress: code(isElectronicAddress, messages.electronicAddress).default(''),
  vatRegime: z.union([z.literal(''), VatRegime]).default(''),
  vatNumber: code(
    (value) => /^[A-Z]{2}[A-Z0-9]{2,13}$/.test(value),
    'Un numéro de TVA commence par le pays, par exemple FR00 123456789',
  ),
  /** `findHouseBankFaults` checks it when settings are saved and when a file is generated: its tables are large. */
  iban: bankCode,
  bic: bankCode,
  email: z.union([z.literal(''), z.email()], { error: messages.email }),
});
export type House = z.infer<typeof House>;

const centsError = 'Indiquez un montant en euros, avec deux décimales au plus';
const euros = (negative: string, max: number, printedMax: string) =>
  z
    .number({ error: centsError })
    .min(0, { error: negative })
    .max(max, { error: messages.maxNumber(printedMax) })
    .refine(hasCents, { error: centsError });
/** VAT included. */
const Price = euros('Un prix ne peut pas être négatif', 100_000, '100\u00a0000');
const Limit = euros('Le montant ne peut pas être négatif', 10_000_000, '10\u00a0000\u00a0000');

/** Plans and fees of a release, EUR with VAT (product §34.6). */
export const Prices = z.object({
  single: Price,
  ep: Price,
  album: Price,
  /** A year of the label subscription. */
  label: Price,
  /** Release under a custom label name instead of the free digital label. */
  premiumLabelFee: Price,
  expressFee: Price,
});
export type Prices = z.infer<typeof Prices>;

const letterPart = (name: LetterName, part: keyof Letter, max: number) =>
  text(max)
    .min(1)
    .superRefine(refuseFault((value) => findLetterFault(name, part, value)));
const letter = (name: LetterName) =>
  z.object({
    subject: letterPart(name, 'subject', 200).regex(/^[^\r\n]*$/, {
      error: 'Un objet tient sur une ligne',
    }),
    text: letterPart(name, 'text', 10_000),
  });

const SepaAddress = z.enum(keysOf(sepaAddresses));

export const Settings = z.object({
  house: House,
  vatPercent: z.number().min(0).max(100).refine(hasCents, { error: 'Deux décimales au plus' }),
  prices: Prices,
  /** The share of a new account's income, percent; existing accounts keep theirs. */
  libraryIncomePercentile: Percentile,
  youtubeChannelIncomePercentile: Percentile,
  /** Fee on each payout, EUR (product §33.20). */
  payoutFeeEur: Price,
  /** Payments of unsigned money or to unsigned destinations that may stay without signature, in all, EUR (product §33.23). */
  unsignedEur: Limit.max(maxUnsignedEur, { error: messages.maxNumber('5\u00a0000') }),
  /** Payments of 24 hours that may leave without signature, EUR (product §33.23). */
  payoutApprovalEur: Limit,
  /** Above it within 30 days, balance changes of an account wait for a signature, EUR; null: none waits (product §39.16). */
  adjustmentApprovalEur: Limit.nullable(),
  /** Payouts above it are flagged in the preflight, EUR. */
  payoutAlertEur: Limit,
  /** How bank files write addresses: town and country apart from lines, or every part in its field. */
  sepaAddress: SepaAddress,
  /** Of accounts without one of their own. */
  statementPeriod: StatementPeriod,
  /** The house's ISRC prefixes: two letters and three characters; empty: no ISRC counts as foreign. */
  isrcPrefixes: z
    .array(
      z
        .string()
        .transform((value) => value.replaceAll(/[\s-]/g, '').toUpperCase())
        .pipe(z.string().regex(/^[A-Z]{2}[A-Z0-9]{3}$/, { error: 'Un préfixe a 5 caractères, par exemple FRX12' })),
    )
    .max(200),
  /** Releases that come out from this day on are to declare the part of AI, yyyy-MM-dd; null: none is. */
  aiDeclaredFrom: z.iso.date({ error: messages.invalidDate }).nullable(),
  /** Duration of a licence before its renewal. */
  licenceYears: z.number().int().min(1).max(99),
  licenceTemplate: z.string().max(40_000).superRefine(refuseFault(findTemplateFault)),
  contractTemplates: ContractTemplates,
  ...mapKeys(letterNames, letter),
  secondFactor: SecondFactorPolicy,
  retention: Retention,
  /** The response of the session check (product §31.17). */
  location: text(10),
  currency: z.string().regex(/^[A-Z]{3}$/, { error: messages.currencyCode }),
});
export type Settings = z.infer<typeof Settings>;
export type SettingName = keyof Settings;

export const defaultSettings: Settings = {
  house: {
    name: 'Régie',
    address: '',
    postcode: '',
    city: '',
    country: 'France',
    siren: '',
    electronicAddress: '',
    vatRegime: '',
    vatNumber: '',
    iban: '',
    bic: '',
    email: '',
  },
  vatPercent: 20,
  prices: { single: 9.9, ep: 19.9, album: 29.9, label: 99, premiumLabelFee: 15, expressFee: 25 },
  libraryIncomePercentile: 80,
  youtubeChannelIncomePercentile: 80,
  payoutFeeEur: 0.6,
  unsignedEur: defaultUnsignedEur,
  payoutApprovalEur: 10_000,
  adjustmentApprovalEur: 500,
  payoutAlertEur: 5000,
  sepaAddress: 'hybrid',
  statementPeriod: 'month',
  isrcPrefixes: [],
  aiDeclaredFrom: null,
  licenceYears: 3,
  licenceTemplate: defaultContractTemplate,
  contractTemplates: defaultContractTemplates,
  ...mapKeys(letterNames, (name) => letterKinds[name].default),
  secondFactor: 'money',
  retention: defaultRetention,
  location: 'am',
  currency: 'USD',
};
export const settingsMessages = {
  guardsChanged: 'Les réglages changent qui doit avoir un second facteur, ou le seuil d’alerte des versements.',
  lettersNeedEditAdmins: 'Changer ces e-mails demande le droit de modifier les administrateurs',
} as const;

/** Settings whose change needs two signatures: the limits, the house's bank account, and a weaker second-factor policy. */
export const GuardedSetting = z.enum([
  'unsignedEur',
  'payoutApprovalEur',
  'adjustmentApprovalEur',
  'houseBank',
  'secondFactor',
]);
export type GuardedSetting = z.infer<typeof GuardedSetting>;
const HouseBank = House.pick({ iban: true, bic: true });
/** EUR, null for no threshold, the house's account, or the second-factor policy. */
export const GuardedValue = z.union([z.number(), z.null(), HouseBank, SecondFactorPolicy]);
export type GuardedValue = z.infer<typeof GuardedValue>;

export const guardedValue = (settings: Settings, key: GuardedSetting): GuardedValue =>
  key === 'houseBank' ? { iban: settings.house.iban, bic: settings.house.bic } : settings[key];

export const settingNames = Object.keys(Settings.shape) as SettingName[];
