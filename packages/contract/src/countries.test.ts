import { expect, test } from 'vitest';
import { continents, isCountryCode } from './countries.ts';

const all = Object.values(continents).flat();

test('every country stands once, under a code that has a French name', () => {
  expect(new Set(all).size).toBe(all.length);
  const names = new Intl.DisplayNames('fr', { type: 'region', fallback: 'none' });
  expect(all.filter((code) => names.of(code) === undefined)).toEqual([]);
  // ISO 3166-1 assigns 249 codes.
  expect(all).toHaveLength(249);
});

test('knows codes by their upper case only', () => {
  expect(isCountryCode('FR')).toBe(true);
  expect(isCountryCode('fr')).toBe(false);
  expect(isCountryCode('EU')).toBe(false);
});
