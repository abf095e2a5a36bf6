import type { IncomeKind, StatementPreset } from '@regie/contract/statements.ts';
import { findCountryCode } from '@regie/values/countries.ts';
import { isrcPattern, normaliseIsrc } from '@regie/values/isrc.ts';
import type { MonthForm } from '@regie/values/period.ts';
import { foldName } from '@regie/values/search-text.ts';
import countries from 'i18n-iso-countries/index.js';
import german from 'i18n-iso-countries/langs/de.json' with { type: 'json' };
import spanish from 'i18n-iso-countries/langs/es.json' with { type: 'json' };
import russian from 'i18n-iso-countries/langs/ru.json' with { type: 'json' };

const frenchForms: Record<MonthForm, string> = {
  'YYYY-MM-DD': 'AAAA-MM-JJ',
  'YYYY-MM': 'AAAA-MM',
  YYYYMMDD: 'AAAAMMJJ',
  YYYYMM: 'AAAAMM',
  YYYY_MM: 'AAAA_MM',
  YYYYMnn: 'AAAAMmm',
  'M/D/YY': 'MM/JJ/AAAA',
  'D/M/YY': 'JJ/MM/AAAA',
  'MM-YYYY': 'MM-AAAA',
  'D-MMM-YY': 'JJ-mois-AA',
  'MMM-YY': 'mois-AA',
  'MMMM YYYY': 'mois AAAA',
  'YYYY-Qn': 'AAAA-Tn',
  YYYYQ: 'AAAAT',
};

/** French names of the date formats: `AAAA-MM-JJ ou mois-AA`. */
export const formNames = (forms: readonly MonthForm[]): string => forms.map((form) => frenchForms[form]).join(' ou ');

/** Country names in other languages and three-letter codes, folded. */
const countryNames = new Map([
  ...[german, russian, spanish].flatMap((language) => {
    countries.registerLocale(language);
    return Object.entries(countries.getNames(language.locale, { select: 'all' })).flatMap(([code, names]) =>
      names.map((name) => [foldName(name), code] as const),
    );
  }),
  ...Object.entries(countries.getAlpha3Codes()).map(([code3, code]) => [code3.toLowerCase(), code] as const),
  ['xk', 'XK'],
  ['xkx', 'XK'],
]);

const maxShown = 100;

/** Texts for an unknown country or several countries. */
const noCountry =
  /^(?:n\s*[/.]\s*a\.?|n[-\s]a|not available|none|null|unknown|inconnu|non précisé|zz|ou|ww|xx|qm|world\s?wide|world|monde|global|-+|\?+)$/i;

/**
 * The two-letter country code; empty when the file says it is unknown. Other texts are kept as written. `NA` is
 * Namibia, `N/A` is unknown.
 */
export function readCountry(text: string): string {
  const trimmed = text.trim();
  if (noCountry.test(trimmed)) return '';
  return findCountryCode(trimmed) ?? countryNames.get(foldName(trimmed)) ?? trimmed.slice(0, maxShown);
}

/** The kind a store's name implies, by words in it. */
const storeKinds: readonly [IncomeKind, RegExp][] = [
  [
    'download',
    /bandcamp|beatport|itunes|downloads|7digital|junodownload|traxsource|amazonmp3|(?:amazon|qobuz)download/,
  ],
  ['video', /youtube|vevo/],
];
/** Whether an income is streams, downloads or videos: by the file, else the preset, else the store's name. */
export function readKind(
  type: string,
  store: string,
  { kind: fixed, kinds }: Pick<StatementPreset, 'kind' | 'kinds'>,
): IncomeKind {
  const foldedType = foldName(type);
  if (foldedType !== '') {
    // A short word is a code and must match whole.
    const isIn = (word: string) => (word.length < 3 ? word === foldedType : foldedType.includes(word));
    for (const kind of ['video', 'stream', 'download'] as const)
      if ((kinds[kind] ?? []).map(foldName).some(isIn)) return kind;
  }
  if (fixed !== undefined) return fixed;
  const foldedStore = foldName(store);
  if (foldedStore === 'youtubemusic' || foldedStore.includes('youtubepremium')) return 'stream';
  return storeKinds.find(([, words]) => words.test(foldedStore))?.[0] ?? 'stream';
}

const dollars = ['USD', 'CAD', 'AUD', 'NZD', 'HKD', 'SGD', 'TWD', 'MXN', 'ARS', 'CLP', 'COP'];
const signs: Record<string, readonly string[]> = {
  $: dollars,
  US$: ['USD'],
  CA$: ['CAD'],
  C$: ['CAD'],
  A$: ['AUD'],
  AU$: ['AUD'],
  NZ$: ['NZD'],
  HK$: ['HKD'],
  S$: ['SGD'],
  NT$: ['TWD'],
  MX$: ['MXN'],
  R$: ['BRL'],
  '€': ['EUR'],
  '£': ['GBP', 'EGP'],
  '¥': ['JPY', 'CNY'],
  '₩': ['KRW'],
  '₹': ['INR'],
  '₽': ['RUB'],
  '₺': ['TRY'],
  '₴': ['UAH'],
};

const currencies = new Set(Intl.supportedValuesOf('currency'));

/** Whether this is a current or former ISO 4217 code. */
export const isCurrency = (text: string): boolean => currencies.has(text);

/** The possible currencies of a sign or code beside an amount. */
export const currenciesOfSign = (written: string): readonly string[] =>
  signs[written] ?? (isCurrency(written) ? [written] : []);

/** The sign or name of a currency after the last `=` of a formula: `£1.20 × 85% = £1.02` → `£`. */
export function currencySign(formula: string): string {
  let at = formula.lastIndexOf('=') + 1;
  const { length } = formula;
  while (at < length && isOfNumber(formula.charCodeAt(at))) at++;
  const start = at;
  while (at < length && !isOfNumber(formula.charCodeAt(at))) at++;
  return formula.slice(start, at);
}
/** Digits, spaces, marks and signs. */
const isOfNumber = (code: number) =>
  (code >= 43 && code <= 57) || code === 32 || code === 0xa0 || code === 0x202f || code === 0x2212;

/** The ISRC of a cell, whatever signs stand between its parts; undefined when it has none. */
export function readIsrc(text: string): string | undefined {
  const isrc = normaliseIsrc(text.replace(/[^A-Za-z0-9]/g, ''));
  return isrcPattern.test(isrc) ? isrc : undefined;
}

/** The digits of a barcode; `1.23E+12` from a spreadsheet is invalid. */
export function readUpc(text: string): string | undefined {
  const digits = text.replace(/[\s"'-]/g, '').replace(/\.0+$/, '');
  return /^\d{6,14}$/.test(digits) ? digits : undefined;
}
