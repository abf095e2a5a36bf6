import { expect, test } from 'vitest';
import { continents, isCountryCode } from './countries.ts';
import { countryTable } from './country-table.ts';

const all = Object.values(continents).flat();

test('every country appears once and its code has a French name', () => {
  expect(new Set(all).size).toBe(all.length);
  expect(Object.keys(countryTable).toSorted()).toEqual(all.toSorted());
  const names = Object.values(countryTable).flat();
  expect(names.filter((name) => name.length < 3 || name !== name.trim())).toEqual([]);
  // ISO 3166-1 assigns 249 codes.
  expect(all).toHaveLength(249);
});

test('accepts codes in upper case only', () => {
  expect(isCountryCode('FR')).toBe(true);
  expect(isCountryCode('fr')).toBe(false);
  expect(isCountryCode('EU')).toBe(false);
});
