import { continents } from './countries.ts';
import { countryTable } from './country-table.ts';
import { fold, hasWords } from './search-text.ts';

/** `France` for `FR`; any other text is returned unchanged. */
export const countryName = (code: string): string => countryTable[code]?.[0] ?? code;

const nameKey = (text: string) =>
  fold(text)
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim();

/** Common alternatives to the names in the table. */
const alsoCalled: Record<string, string> = {
  'republique democratique du congo': 'CD',
  rdc: 'CD',
  congo: 'CG',
  'republique du congo': 'CG',
  usa: 'US',
  'etats unis d amerique': 'US',
  'united states of america': 'US',
  uk: 'GB',
  'grande bretagne': 'GB',
  'great britain': 'GB',
  angleterre: 'GB',
  england: 'GB',
  hollande: 'NL',
  'republique tcheque': 'CZ',
  'czech republic': 'CZ',
  'hong kong': 'HK',
  macao: 'MO',
  macau: 'MO',
  palestine: 'PS',
  birmanie: 'MM',
  'cap vert': 'CV',
  reunion: 'RE',
  turkey: 'TR',
  'cote d ivoire': 'CI',
  'ivory coast': 'CI',
};

let codesByName: Map<string, string> | undefined;
function readNames(): Map<string, string> {
  const names = new Map(Object.entries(alsoCalled));
  for (const [code, [french, english]] of Object.entries(countryTable)) {
    names.set(nameKey(english), code);
    names.set(nameKey(french), code);
  }
  return names;
}

/** The codes of the countries whose French name contains the words, or whose code is the text. */
export function findCountries(text: string): string[] {
  return Object.values(continents)
    .flat()
    .filter((code) => code === text.trim().toUpperCase() || hasWords(countryName(code), text));
}

/**
 * The ISO 3166 code for a country written as a code or as a French or English name. Undefined when it is not
 * recognised.
 */
export function findCountryCode(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  if (code in countryTable) return code;
  codesByName ??= readNames();
  return codesByName.get(nameKey(text));
}
