import { countryName, findCountryCode } from '@regie/values/countries.ts';
import { isMaskedAccountNumber, normaliseIban } from '@regie/values/iban.ts';
import { countrySpecs, isValidBIC, ValidationErrorsIBAN, validateIBAN } from 'ibantools';
import { messages } from './messages.ts';
import { BankForm } from './routes/billing.ts';
import { SettingsForm } from './routes/settings.ts';
import type { House } from './settings.ts';

/** Countries whose accounts use another country's IBAN: French and British territories, Åland. */
const ibanCountries: Record<string, readonly string[]> = {
  FR: ['GP', 'GF', 'MQ', 'RE', 'YT', 'PM', 'BL', 'MF', 'PF', 'NC', 'WF', 'TF'],
  GB: ['IM', 'JE', 'GG'],
  FI: ['AX'],
  NO: ['SJ'],
};
const carrierOf = new Map(
  Object.entries(ibanCountries).flatMap(([country, territories]) =>
    territories.map((territory) => [territory, country] as const),
  ),
);

/** Whether accounts of the country have an IBAN of the official registry; elsewhere the number is free text. */
export const hasIbans = (country: string): boolean =>
  carrierOf.has(country) || countrySpecs[country]?.IBANRegistry === true;

const ofNationalNumber = new Set([
  ValidationErrorsIBAN.WrongBBANFormat,
  ValidationErrorsIBAN.WrongAccountBankBranchChecksum,
]);
/** Checks country, length, format of the national number, and the modulo 97 key (product §34.14). */
export function isIbanValid(text: string): boolean {
  const iban = normaliseIban(text);
  const spec = countrySpecs[iban.slice(0, 2)];
  if (!spec?.bban_regexp) return false;
  const { errorCodes } = validateIBAN(iban);
  // National keys inside the number are not checked: banks issue numbers that break their own rule.
  return errorCodes.every((code) => ofNationalNumber.has(code)) && new RegExp(spec.bban_regexp).test(iban.slice(4));
}

export const looksLikeIban = (text: string) => /^[A-Z]{2}\d{2}[A-Z0-9]{8,}$/.test(normaliseIban(text));

function findIbanFault(iban: string, bankCountry: string): string | undefined {
  const country = findCountryCode(bankCountry);
  const wantsIban = country !== undefined && hasIbans(country);
  // A number written like an IBAN is checked as one, whatever the bank's country.
  if (!wantsIban && !looksLikeIban(iban)) return undefined;
  if (!isIbanValid(iban)) return messages.ibanWrong;
  const own = normaliseIban(iban).slice(0, 2);
  if (country === undefined || own === country || own === carrierOf.get(country)) return undefined;
  return messages.ibanCountry(countryName(own), countryName(country));
}

export function findBankFaults(form: Pick<BankForm, 'iban' | 'swift' | 'bankCountry'>): {
  iban?: string;
  swift?: string;
} {
  // A masked number that was not edited; the server keeps the stored one.
  const iban = isMaskedAccountNumber(form.iban) ? undefined : findIbanFault(form.iban, form.bankCountry);
  return {
    ...(iban === undefined ? {} : { iban }),
    ...(isValidBIC(form.swift) ? {} : { swift: messages.bicWrong }),
  };
}

/** The stored form: an IBAN without spaces, any other number as typed. */
export const toStoredIban = (iban: string): string => (isIbanValid(iban) ? normaliseIban(iban) : iban);

/** A separate module, so that other pages do not load the country tables. */
export const CheckedBankForm = BankForm.superRefine((form, context) => {
  for (const [field, message] of Object.entries(findBankFaults(form))) {
    context.addIssue({ code: 'custom', path: [field], message });
  }
});

export function findHouseBankFaults({ iban, bic }: Pick<House, 'iban' | 'bic'>): { iban?: string; bic?: string } {
  return {
    ...(iban === '' || isIbanValid(iban) ? {} : { iban: messages.ibanWrong }),
    ...(bic === '' || isValidBIC(bic) ? {} : { bic: messages.bicWrong }),
  };
}

export const CheckedSettingsForm = SettingsForm.superRefine(({ house }, context) => {
  for (const [field, message] of Object.entries(house ? findHouseBankFaults(house) : {})) {
    context.addIssue({ code: 'custom', path: ['house', field], message });
  }
});
