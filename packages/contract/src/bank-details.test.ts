import { formatIban } from '@regie/values/iban.ts';
import { expect, it } from 'vitest';
import { findBankFaults, toStoredIban } from './bank-details.ts';
import { messages } from './messages.ts';

const bank = { iban: 'FR76 3000 6000 0112 3456 7890 189', swift: 'AGRIFRPP', bankCountry: 'France' };

it.each([
  ['a French one, with spaces', {}, {}],
  ['the country by its code', { bankCountry: 'FR' }, {}],
  ['of a territory', { bankCountry: 'Martinique' }, {}],
  ['in small letters', { iban: 'fr7630006000011234567890189' }, {}],
  ['a wrong key', { iban: 'FR77 3000 6000 0112 3456 7890 189' }, { iban: messages.ibanWrong }],
  ['a digit short', { iban: 'FR76 3000 6000 0112 3456 7890 18' }, { iban: messages.ibanWrong }],
  ['a domestic number', { iban: '30006000011234567890189' }, { iban: messages.ibanWrong }],
  ['another country', { bankCountry: 'Allemagne' }, { iban: messages.ibanCountry('France', 'Allemagne') }],
  ['a country without IBANs', { iban: '123456789', bankCountry: 'États-Unis', swift: 'CHASUS33' }, {}],
  ['free text where IBANs are not official', { iban: '00012345678901234567', bankCountry: 'Algérie' }, {}],
  [
    'what is written like one, wherever',
    { iban: 'FR0012345678901234', bankCountry: 'États-Unis' },
    { iban: messages.ibanWrong },
  ],
  ['a BIC of seven', { swift: 'AGRIFRP' }, { swift: messages.bicWrong }],
  ['a BIC of a country that is none', { swift: 'AGRI11PP' }, { swift: messages.bicWrong }],
])('%s', (_name, values, faults) => expect(findBankFaults({ ...bank, ...values })).toEqual(faults));

it('is stored without spaces and shown in groups of four; free text is unchanged', () => {
  expect(toStoredIban(bank.iban)).toBe('FR7630006000011234567890189');
  expect(formatIban('FR7630006000011234567890189')).toBe(bank.iban.replaceAll(' ', '\u00a0'));
  expect(toStoredIban('12 34-56')).toBe('12 34-56');
  expect(formatIban('12 34-56')).toBe('12 34-56');
});
