import { continents, isCountryCode } from './countries.ts';

const french = new Intl.DisplayNames('fr', { type: 'region' });

/** `France` for `FR`; anything that is no country's code as it is. */
export const countryName = (code: string): string => (isCountryCode(code) ? (french.of(code) ?? code) : code);

const fold = (text: string) =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim();

/** Names in use that `Intl` does not give. */
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
  const english = new Intl.DisplayNames('en', { type: 'region' });
  for (const code of Object.values(continents).flat()) {
    for (const name of [english.of(code), french.of(code)]) if (name) names.set(fold(name), code);
  }
  return names;
}

/** The codes of the countries whose name in French has the text in it, or that have it as their code. */
export function findCountries(text: string): string[] {
  const wanted = fold(text);
  return Object.values(continents)
    .flat()
    .filter((code) => code === text.trim().toUpperCase() || fold(countryName(code)).includes(wanted));
}

/**
 * The ISO 3166 code of a country as somebody wrote it: a code, or its name in French or English. Undefined when it
 * cannot be told.
 */
export function findCountryCode(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  if (isCountryCode(code)) return code;
  codesByName ??= readNames();
  return codesByName.get(fold(text));
}
