import { expect, it, test } from 'vitest';
import { byCountryName, continents, countryCodes, countryName, findCountryCode, isCountryCode } from './countries.ts';

test('every country of ISO 3166-1 is on one continent', () => {
  expect(new Set(countryCodes).size).toBe(249);
  expect(countryCodes).toHaveLength(249);
});

test('accepts codes in upper case only', () => {
  expect(isCountryCode('FR')).toBe(true);
  expect(isCountryCode('fr')).toBe(false);
  expect(isCountryCode('EU')).toBe(false);
});

test('sorts codes by their French names', () => {
  expect(byCountryName(continents.antarctica)).toEqual(['AQ', 'GS', 'BV', 'HM', 'TF']);
});

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
  ['constructor', undefined],
  ['', undefined],
])('the country %s has the code %s', (text, code) => expect(findCountryCode(text)).toBe(code));

it('finds every country by its displayed name', () => {
  for (const code of countryCodes) expect(findCountryCode(countryName(code))).toBe(code);
});
