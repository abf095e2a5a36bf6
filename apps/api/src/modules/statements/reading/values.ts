import type { IncomeKind, MonthForm, StatementPreset } from '@regie/contract/statements.ts';
import { isrcPattern, normaliseIsrc } from '@regie/values/isrc.ts';
import { foldName } from '@regie/values/search-text.ts';
import countries from 'i18n-iso-countries/index.js';
import german from 'i18n-iso-countries/langs/de.json' with { type: 'json' };
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' };
import spanish from 'i18n-iso-countries/langs/es.json' with { type: 'json' };
import french from 'i18n-iso-countries/langs/fr.json' with { type: 'json' };
import russian from 'i18n-iso-countries/langs/ru.json' with { type: 'json' };

const monthNames = new Map(
  [
    ['january', 'janvier', 'jan', 'janv', 'januar', 'enero', 'ene'],
    ['february', 'fevrier', 'feb', 'fevr', 'fev', 'februar', 'febrero'],
    ['march', 'mars', 'mar', 'marz', 'mrz', 'marzo'],
    ['april', 'avril', 'apr', 'avr', 'abril', 'abr'],
    ['may', 'mai', 'mayo'],
    ['june', 'juin', 'jun', 'juni', 'junio'],
    ['july', 'juillet', 'jul', 'juil', 'juli', 'julio'],
    ['august', 'aout', 'aug', 'agosto', 'ago'],
    ['september', 'septembre', 'sep', 'sept', 'septiembre'],
    ['october', 'octobre', 'oct', 'oktober', 'okt', 'octubre'],
    ['november', 'novembre', 'nov', 'noviembre'],
    ['december', 'decembre', 'dec', 'dezember', 'dez', 'diciembre', 'dic'],
  ].flatMap((names, index) => names.map((name) => [name, index + 1] as const)),
);

const years = (text: string) => (text.length === 2 ? 2000 + Number(text) : Number(text));
const nameOf = (text: string) => monthNames.get(foldName(text));

const rest = String.raw`(?:[T\s].*)?`;
const year = String.raw`(?<year>\d{4}|\d{2})`;
const patterns: Record<Exclude<MonthForm, 'YYYY-Qn'>, readonly RegExp[]> = {
  'YYYY-MM-DD': [new RegExp(`^(?<year>\\d{4})[-/.](?<month>\\d{1,2})[-/.](?<day>\\d{1,2})${rest}$`)],
  'YYYY-MM': [/^(?<year>\d{4})[-/.](?<month>\d{1,2})$/],
  YYYYMMDD: [/^(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})$/],
  YYYYMM: [/^(?<year>\d{4})(?<month>\d{2})$/],
  YYYY_MM: [/^(?<year>\d{4})_(?<month>\d{1,2})$/],
  YYYYMnn: [/^(?<year>\d{4})\s?M(?<month>\d{1,2})$/i],
  'M/D/YY': [new RegExp(`^(?<month>\\d{1,2})[/.-](?<day>\\d{1,2})[/.-]${year}${rest}$`)],
  'D/M/YY': [new RegExp(`^(?<day>\\d{1,2})[/.-](?<month>\\d{1,2})[/.-]${year}${rest}$`)],
  'MM-YYYY': [/^(?<month>\d{1,2})[-/._](?<year>\d{4})$/],
  'D-MMM-YY': [
    new RegExp(`^(?<day>\\d{1,2})[-/.\\s]*(?<name>\\p{L}{3,10})[-/.\\s]*${year}${rest}$`, 'u'),
    /^(?<name>\p{L}{3,10})\.?\s+(?<day>\d{1,2}),?\s+(?<year>\d{4})$/u,
  ],
  'MMM-YY': [
    new RegExp(`^(?:(?<name>[\\p{L}.]{3,10})(?:[-\\s]+[\\p{L}.]{3,10})?|Q(?<quarter>[1-4]))[-\\s']*${year}$`, 'iu'),
  ],
  'MMMM YYYY': [/^(?<name>\p{L}+)\.?\s+(?<year>\d{4})$/u],
};

const ordinals = [
  ['1', 'first', 'premier', 'primer'],
  ['2', 'second', 'deuxieme', 'segundo'],
  ['3', 'third', 'troisieme', 'tercer'],
  ['4', 'fourth', 'quatrieme', 'cuarto'],
].map((words) => words.join('|'));
const quarterWords = 'q|t|trim|trimestre|quarter|quartal';
const halfWords = 'h|s|semestre|semester|half|halbjahr';
const periodOf = (number: string) =>
  new RegExp(
    `^(?:(?:(?<quarter>${quarterWords})|${halfWords}) ?(?:${number})|(?:${number})(?:st|nd|rd|th|er|re|e|eme)? ?(?:(?<quarterBehind>${quarterWords})|${halfWords}))$`,
  );
const periods = ordinals.map(periodOf);

/** The first month of a quarter or half-year: `2024-Q1`, `1er trimestre 2024`, `H2 2023`. */
function readPeriod(text: string): DateParts | undefined {
  const folded = text.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '');
  const [found, of] = /(?<!\d)(\d{4})(?!\d)/.exec(folded) ?? [];
  if (found === undefined) return undefined;
  const words = folded
    .replace(found, ' ')
    .replace(/\b(?:of|de|du|del)\b|[^a-z0-9]+/g, ' ')
    .replace(/ +/g, ' ')
    .trim();
  for (const [index, pattern] of periods.entries()) {
    const { quarter, quarterBehind } = pattern.exec(words)?.groups ?? {};
    if (!pattern.test(words)) continue;
    const months = quarter !== undefined || quarterBehind !== undefined ? 3 : 6;
    return index * months < 12 ? { year: Number(of), month: index * months + 1, day: undefined } : undefined;
  }
  return undefined;
}

interface DateParts {
  year: number;
  month: number;
  /** Undefined for formats without a day. */
  day: number | undefined;
}

function readParts(text: string, forms: readonly MonthForm[]): DateParts | undefined {
  const trimmed = text.trim();
  for (const form of forms) {
    if (form === 'YYYY-Qn') {
      const period = readPeriod(trimmed);
      if (period) return period;
      continue;
    }
    for (const pattern of patterns[form]) {
      const found = pattern.exec(trimmed)?.groups;
      if (!found) continue;
      const quarterMonth = found.quarter === undefined ? undefined : Number(found.quarter) * 3 - 2;
      const month = found.month === undefined ? (quarterMonth ?? nameOf(found.name ?? '')) : Number(found.month);
      const parts = {
        year: years(found.year ?? ''),
        month: month ?? 0,
        day: found.day === undefined ? undefined : Number(found.day),
      };
      if (parts.month >= 1 && parts.month <= 12 && parts.year >= 1990 && parts.year <= 2100 && isDay(parts))
        return parts;
    }
  }
  return undefined;
}
const isDay = ({ year, month, day }: DateParts) =>
  day === undefined || (day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate());

/** Whether a date contains a day, in one of these formats. */
export const namesDay = (text: string, forms: readonly MonthForm[]): boolean =>
  readParts(text, forms)?.day !== undefined;

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
};

/** French names of the date formats: `AAAA-MM-JJ ou mois-AA`. */
export const formNames = (forms: readonly MonthForm[]): string => forms.map((form) => frenchForms[form]).join(' ou ');

const dayMs = 86_400_000;
const firstOfMonth = (yearNumber: number, month: number) => `${yearNumber}-${String(month).padStart(2, '0')}-01`;

/** Weeks of Apple's fiscal year before each of its months, from October: quarters of five, four and four weeks. */
const appleWeeks = [0, 5, 9, 13, 18, 22, 26, 31, 35, 39, 44, 48];

/** Apple's fiscal year starts on the Sunday after the last Saturday of September. */
function appleYearStart(endYear: number): number {
  const lastOfSeptember = new Date(Date.UTC(endYear - 1, 8, 30));
  return lastOfSeptember.getTime() - ((lastOfSeptember.getUTCDay() + 1) % 7) * dayMs + dayMs;
}

/** The fiscal month of a day. A year of 53 weeks adds one to its third month, December. */
function appleMonth(time: number): string {
  const calendarYear = new Date(time).getUTCFullYear();
  const endYear = time >= appleYearStart(calendarYear + 1) ? calendarYear + 1 : calendarYear;
  const start = appleYearStart(endYear);
  const isLong = appleYearStart(endYear + 1) - start > 364 * dayMs;
  const week = Math.floor((time - start) / (7 * dayMs));
  const index = appleWeeks.findLastIndex((weeks, month) => weeks + (isLong && month > 2 ? 1 : 0) <= week);
  return index < 3 ? firstOfMonth(endYear - 1, index + 10) : firstOfMonth(endYear, index - 2);
}

/** A longer period counts in its first month, like quarters and half-years. */
const longestMonthDays = 45;

export interface Period {
  /** Its last day, in the same format. */
  end?: string | undefined;
  calendar?: StatementPreset['calendar'];
}

/**
 * The first day of the month of a date or period, as `YYYY-MM-01`; undefined when no format matches. With an end, the
 * month of the period's middle; on Apple's calendar the fiscal month.
 */
export function readMonth(
  text: string,
  forms: readonly MonthForm[],
  { end, calendar }: Period = {},
): string | undefined {
  const from = readParts(text, forms);
  if (!from) return undefined;
  if (end === undefined && calendar !== 'apple') return firstOfMonth(from.year, from.month);
  const to = end === undefined ? from : readParts(end, forms);
  if (!to) return undefined;
  if (from.day === undefined || to.day === undefined) return firstOfMonth(from.year, from.month);
  const start = Date.UTC(from.year, from.month - 1, from.day);
  const last = Date.UTC(to.year, to.month - 1, to.day);
  if (last < start) return undefined;
  if ((last - start) / dayMs > longestMonthDays) return firstOfMonth(from.year, from.month);
  const middle = start + Math.floor((last - start) / dayMs / 2) * dayMs;
  if (calendar === 'apple') return appleMonth(middle);
  const day = new Date(middle);
  return firstOfMonth(day.getUTCFullYear(), day.getUTCMonth() + 1);
}

for (const language of [english, french, german, russian, spanish]) countries.registerLocale(language);
const countryNames = new Map<string, string>();
for (const language of ['en', 'fr', 'de', 'ru', 'es']) {
  for (const [code, names] of Object.entries(countries.getNames(language, { select: 'all' }))) {
    for (const name of names) countryNames.set(foldName(name), code);
  }
}
for (const [code3, code] of Object.entries(countries.getAlpha3Codes())) countryNames.set(code3.toLowerCase(), code);
for (const code of Object.keys(countries.getAlpha2Codes())) countryNames.set(code.toLowerCase(), code);
// Names used by stores.
for (const [name, code] of [
  ['uk', 'GB'],
  ['greatbritain', 'GB'],
  ['usa', 'US'],
  ['unitedstatesofamerica', 'US'],
  ['russia', 'RU'],
  ['southkorea', 'KR'],
  ['koreasouth', 'KR'],
  ['republicofkorea', 'KR'],
  ['korearepublicof', 'KR'],
  ['czechrepublic', 'CZ'],
  ['macedonia', 'MK'],
  ['turkey', 'TR'],
  ['vietnam', 'VN'],
  ['taiwan', 'TW'],
  ['hongkong', 'HK'],
  ['iran', 'IR'],
  ['bolivia', 'BO'],
  ['venezuela', 'VE'],
  ['moldova', 'MD'],
  ['tanzania', 'TZ'],
  ['kosovo', 'XK'],
  ['xk', 'XK'],
  ['xkx', 'XK'],
] as const) {
  countryNames.set(name, code);
}

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
  return countryNames.get(foldName(trimmed)) ?? trimmed.slice(0, maxShown);
}

/** The kind a store's name implies: normalised words, longest first. */
const storeKinds: readonly [IncomeKind, readonly string[]][] = [
  [
    'download',
    [
      'bandcamp',
      'beatport',
      'itunes',
      'downloads',
      '7digital',
      'junodownload',
      'traxsource',
      'amazonmp3',
      'amazondownload',
      'qobuzdownload',
    ],
  ],
  ['video', ['youtube', 'vevo']],
];
const foundIn = (folded: string, words: readonly string[]) => words.some((word) => folded.includes(word));

/** Whether an income is streams, downloads or videos: by the file, else the preset, else the store's name. */
export function readKind(
  type: string,
  store: string,
  { kind: fixed, kinds }: Pick<StatementPreset, 'kind' | 'kinds'>,
): IncomeKind {
  const foldedType = foldName(type);
  if (foldedType !== '') {
    for (const kind of ['video', 'stream', 'download'] as const) {
      // A single letter is a code and must match whole.
      if (
        (kinds[kind] ?? [])
          .map(foldName)
          .some((word) => (word.length < 3 ? word === foldedType : foldedType.includes(word)))
      ) {
        return kind;
      }
    }
  }
  if (fixed !== undefined) return fixed;
  const foldedStore = foldName(store);
  if (foldedStore === 'youtubemusic' || foldedStore.includes('youtubepremium')) return 'stream';
  return storeKinds.find(([, words]) => foundIn(foldedStore, words))?.[0] ?? 'stream';
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
