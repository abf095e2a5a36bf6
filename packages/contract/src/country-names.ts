import { continents } from './countries.ts';
import { countryTable } from './country-table.ts';
import { fold, hasWords } from './search-text.ts';

/** `France` for `FR`; anything that is no country's code as it is. */
export const countryName = (code: string): string => countryTable[code]?.[0] ?? code;

const nameKey = (text: string) =>
  fold(text)
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim();

/** Names in use beside those of the table. */
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

/** The codes of the countries whose name in French has the words, or that have it as their code. */
export function findCountries(text: string): string[] {
  return Object.values(continents)
    .flat()
    .filter((code) => code === text.trim().toUpperCase() || hasWords(countryName(code), text));
}

/**
 * The ISO 3166 code of a country as somebody wrote it: a code, or its name in French or English. Undefined when it
 * cannot be told.
 */
export function findCountryCode(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  if (code in countryTable) return code;
  codesByName ??= readNames();
  return codesByName.get(nameKey(text));
}
