import { countryAliases, countryTable } from './names.generated.ts';
import { foldName, hasWords } from './search-text.ts';

const codes = (text: string): readonly string[] => text.split(' ');

/** ISO 3166 alpha-2 codes by continent (product §19.6), that of the capital. */
export const continents = {
  africa: codes(
    'AO BF BI BJ BW CD CF CG CI CM CV DJ DZ EG EH ER ET GA GH GM GN GQ GW IO KE KM LR LS LY MA MG ML MR MU MW MZ NA NE NG RE RW SC SD SH SL SN SO SS ST SZ TD TG TN TZ UG YT ZA ZM ZW',
  ),
  northAmerica: codes(
    'AG AI AW BB BL BM BQ BS BZ CA CR CU CW DM DO GD GL GP GT HN HT JM KN KY LC MF MQ MS MX NI PA PM PR SV SX TC TT US VC VG VI',
  ),
  southAmerica: codes('AR BO BR CL CO EC FK GF GY PE PY SR UY VE'),
  antarctica: codes('AQ BV GS HM TF'),
  asia: codes(
    'AE AF AM AZ BD BH BN BT CC CN CX GE HK ID IL IN IQ IR JO JP KG KH KP KR KW KZ LA LB LK MM MN MO MV MY NP OM PH PK PS QA SA SG SY TH TJ TL TM TR TW UZ VN YE',
  ),
  europe: codes(
    'AD AL AT AX BA BE BG BY CH CY CZ DE DK EE ES FI FO FR GB GG GI GR HR HU IE IM IS IT JE LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS RU SE SI SJ SK SM UA VA',
  ),
  oceania: codes('AS AU CK FJ FM GU KI MH MP NC NF NR NU NZ PF PG PN PW SB TK TO TV UM VU WF WS'),
} as const satisfies Record<string, readonly string[]>;
export type Continent = keyof typeof continents;

export const countryCodes: readonly string[] = Object.values(continents).flat();

/** Whether `code` is a country code in upper case. */
export const isCountryCode = (code: string): boolean => Object.hasOwn(countryTable, code);

/** `France` for `FR`; any other text is returned unchanged. */
export const countryName = (code: string): string => countryTable[code]?.[0] ?? code;

/** Codes in the order of their French names. */
export function byCountryName(some: readonly string[]): string[] {
  const { compare } = new Intl.Collator('fr');
  return some.toSorted((a, b) => compare(countryName(a), countryName(b)));
}

/** The codes of the countries whose French name contains the words, or whose code is the text. */
export const findCountries = (text: string): string[] =>
  countryCodes.filter((code) => code === text.trim().toUpperCase() || hasWords(countryName(code), text));

/** Names by which files call a country, besides those of CLDR and ISO 3166, folded. */
const alsoCalled: Readonly<Record<string, string>> = {
  angleterre: 'GB',
  birmanie: 'MM',
  congo: 'CG',
  england: 'GB',
  grandebretagne: 'GB',
  hollande: 'NL',
  koreasouth: 'KR',
  macau: 'MO',
  macedonia: 'MK',
  rdc: 'CD',
};
let codesByName: ReadonlyMap<string, string> | undefined;

/** The ISO 3166 code of a country written as a code or as a French or English name. */
export function findCountryCode(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  if (isCountryCode(code)) return code;
  codesByName ??= new Map([
    ...Object.entries({ ...countryAliases, ...alsoCalled }),
    ...Object.entries(countryTable).flatMap(([one, names]) => names.map((name) => [foldName(name), one] as const)),
  ]);
  return codesByName.get(foldName(text));
}
