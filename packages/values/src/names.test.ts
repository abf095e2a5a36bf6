import countries from 'i18n-iso-countries/index.js';
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' };
import french from 'i18n-iso-countries/langs/fr.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { countryCodes } from './countries.ts';
import { cldrLanguageCodes } from './languages.ts';
import { foldName } from './search-text.ts';

const cldr = (locale: 'fr' | 'en', type: 'region' | 'language') =>
  new Intl.DisplayNames(locale, { type, fallback: 'none' });
const [inFrench, inEnglish, languages] = [cldr('fr', 'region'), cldr('en', 'region'), cldr('fr', 'language')];
const capitalised = (name = '') => name.charAt(0).toLocaleUpperCase('fr') + name.slice(1);

test('names.generated.ts has the names of CLDR and ISO 3166', async () => {
  const codes = countryCodes.toSorted();
  const countryTable = codes.map((code) => [code, [inFrench.of(code), inEnglish.of(code)]] as const);
  const known = new Set(countryTable.flatMap(([, names]) => names.map((name = '') => foldName(name))));
  const aliases = new Map<string, string>();
  for (const locale of [french, english]) {
    countries.registerLocale(locale);
    for (const [code, names] of Object.entries(countries.getNames(locale.locale, { select: 'all' }))) {
      for (const name of names.map(foldName)) if (codes.includes(code) && !known.has(name)) aliases.set(name, code);
    }
  }
  const languageNames = cldrLanguageCodes.toSorted().map((code) => [code, capitalised(languages.of(code))] as const);
  const lines = (entries: Iterable<readonly [string, unknown]>) =>
    Array.from(entries, ([key, value]) => `  ${key}: ${JSON.stringify(value)},\n`).join('');
  await expect(`// Written by \`vitest run --project values names -u\`.

/** French and English names by ISO 3166 code, in a file so that all browsers show the same ones. */
export const countryTable: Readonly<Record<string, readonly [french: string, english: string]>> = {
${lines(countryTable)}};

/** Codes by the other French and English names, folded. */
export const countryAliases: Readonly<Record<string, string>> = {
${lines([...aliases].toSorted())}};

/** French names by ISO 639 code. */
export const cldrLanguages: Readonly<Record<string, string>> = {
${lines(languageNames)}};
`).toMatchFileSnapshot('names.generated.ts');
});
