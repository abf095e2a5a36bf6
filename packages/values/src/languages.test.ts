import { expect, test } from 'vitest';
import { languageName, languageNames, toLanguageCode } from './languages.ts';

test('about 190 languages have a French name, Instrumental first', () => {
  const names = languageNames();
  expect(names.length).toBeGreaterThanOrEqual(185);
  expect(names.length).toBeLessThanOrEqual(200);
  expect(names[0]).toBe('Instrumental');
  expect(names).toEqual(expect.arrayContaining(['Français', 'Arménien', 'Wolof', 'Kabyle', 'Créole guadeloupéen']));
  // A code without a name would be shown as itself.
  expect(names.filter((name) => name.length < 3 || name !== name.trim())).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

test('a language is stored by its code, from its name or its code', () => {
  for (const name of languageNames()) expect(languageName(toLanguageCode(name))).toBe(name);
  expect(['Kabyle', 'Kab', 'kab', ' KABYLE '].map(toLanguageCode)).toEqual(['kab', 'kab', 'kab', 'kab']);
  expect(toLanguageCode('Instrumental')).toBe('zxx');
  // Unknown languages are kept unchanged.
  for (const text of ['constructor', 'toString', '']) expect(languageName(toLanguageCode(text))).toBe(text);
  expect(toLanguageCode('Créole')).toBe('Créole');
  expect(languageName('Créole')).toBe('Créole');
});
