import { expect, it } from 'vitest';
import { continents } from './countries.ts';
import { countryName, findCountryCode } from './country-names.ts';

it.each([
  ['France', 'FR'],
  ['fr', 'FR'],
  [' germany ', 'DE'],
  ['Allemagne', 'DE'],
  ['COTE D’IVOIRE', 'CI'],
  ['République démocratique du Congo', 'CD'],
  ['La Réunion', 'RE'],
  ['États-Unis', 'US'],
  ['Atlantide', undefined],
  ['', undefined],
])('%s is %s', (text, code) => expect(findCountryCode(text)).toBe(code));

it('finds every country by its displayed name', () => {
  for (const code of Object.values(continents).flat()) expect(findCountryCode(countryName(code))).toBe(code);
});
