import { findBankFaults, isIbanValid, looksLikeIban } from '@regie/contract/bank-details.ts';
import { formatPayoutNumber, type PaymentFile, type PreflightProblem } from '@regie/contract/payouts.ts';
import type { House } from '@regie/contract/settings.ts';
import { findCountryCode } from '@regie/values/countries.ts';
import { toCents } from '@regie/values/decimal.ts';
import { normaliseIban } from '@regie/values/iban.ts';
import { type SepaDebtor, type SepaTransfer, toSepaName, toSepaText, toSepaTown } from '#src/lib/sepa.ts';
import type { SentRow } from './bank-answers.queries.ts';
import type { Beneficiary } from './payouts.queries.ts';

/** Countries whose IBANs can receive a SEPA credit transfer. */
const sepaCountries = new Set(
  'AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS SE SI SK SM VA'.split(
    ' ',
  ),
);

/** By hand: without an IBAN, or with one outside SEPA. */
export function fileOf(beneficiary: Beneficiary): PaymentFile {
  if (beneficiary.type === 'paypal') return 'paypal';
  const iban = normaliseIban(beneficiary.iban ?? '');
  const country = looksLikeIban(iban) ? iban.slice(0, 2) : (findCountryCode(beneficiary.bankCountry ?? '') ?? '');
  return sepaCountries.has(country) ? 'sepa' : 'manual';
}

/** No formula for a spreadsheet; no real address starts like one. */
const isPaypalAddress = (email: string) => /^[A-Za-z0-9][^\s,;"@]*@[^\s,;"@]+\.[^\s,;"@]+$/.test(email);

/** Problems of a beneficiary in its payment file. */
export function findFileProblems(beneficiary: Beneficiary): PreflightProblem[] {
  const problems: PreflightProblem[] = [];
  const file = fileOf(beneficiary);
  if (file === 'paypal') return isPaypalAddress(beneficiary.email ?? '') ? [] : ['invalid_email'];
  const faults = findBankFaults({
    iban: beneficiary.iban ?? '',
    swift: beneficiary.swift ?? '',
    bankCountry: beneficiary.bankCountry ?? '',
  });
  if (faults.iban !== undefined || (file === 'sepa' && !isIbanValid(beneficiary.iban ?? ''))) {
    problems.push('invalid_iban');
  }
  // SEPA requires no BIC, but a BIC that is present must be valid.
  if (faults.swift !== undefined && (beneficiary.swift ?? '') !== '') problems.push('invalid_bic');
  if (file === 'sepa') {
    if (toSepaName(beneficiary.owner) === '') problems.push('unreadable_name');
    const country = findCountryCode(beneficiary.holderCountry);
    if (country === undefined || toSepaTown(beneficiary.holderCity) === '') problems.push('unreadable_town');
  }
  return problems;
}

/** The holder's name in the bank file when it differs; else null. */
export function findWrittenName(beneficiary: Beneficiary): string | null {
  const written = toSepaName(beneficiary.owner);
  return fileOf(beneficiary) === 'sepa' && written !== beneficiary.owner ? written : null;
}

const lines = (...parts: (string | null)[]) => parts.flatMap((part) => part?.split('\n') ?? []);

/** The label as debtor; a string names the missing setting. */
export function toDebtor(house: House): SepaDebtor | 'iban' | 'name' {
  if (!isIbanValid(house.iban)) return 'iban';
  const country = findCountryCode(house.country) ?? normaliseIban(house.iban).slice(0, 2);
  if (toSepaName(house.name) === '') return 'name';
  return {
    name: house.name,
    addressLines: lines(house.address),
    postcode: house.postcode,
    // The format requires a town; without one, use the country.
    town: toSepaTown(house.city) === '' ? country : house.city,
    country,
    iban: normaliseIban(house.iban),
    bic: house.bic,
  };
}

type FilePayment = Pick<SentRow, 'payoutId' | 'netEur' | 'beneficiary'>;

export const endToEndIdOf = (messageId: string, payoutId: number): string => `${messageId}-${payoutId}`;

export function toSepaTransfer(payout: FilePayment, batch: { messageId: string; houseName: string }): SepaTransfer {
  const { beneficiary } = payout;
  return {
    endToEndId: endToEndIdOf(batch.messageId, payout.payoutId),
    amountCents: toCents(payout.netEur),
    name: beneficiary.owner,
    addressLines: lines(beneficiary.holderAddress, beneficiary.holderAddress2),
    postcode: beneficiary.holderPostcode,
    town: beneficiary.holderCity,
    country: findCountryCode(beneficiary.holderCountry) ?? normaliseIban(beneficiary.iban ?? '').slice(0, 2),
    iban: normaliseIban(beneficiary.iban ?? ''),
    bic: (beneficiary.swift ?? '').toUpperCase(),
    remittance: `${formatPayoutNumber(payout.payoutId)} ${toSepaText(batch.houseName, 70)}`,
  };
}

/** Recipient, amount, currency, reference, note, wallet; without header. Values contain no commas or quotes. */
export function paypalLine(payout: FilePayment, houseName: string): string {
  const number = formatPayoutNumber(payout.payoutId);
  const note = `Versement ${number} ${toSepaText(houseName, 70).replaceAll(',', ' ')}`;
  return [payout.beneficiary.email ?? '', payout.netEur, 'EUR', number, note, 'PAYPAL'].join(',');
}
