import type { IncomeKind, MonthForm, StatementPreset } from '@regie/contract/statements.ts';
import countries from 'i18n-iso-countries';
import german from 'i18n-iso-countries/langs/de.json' with { type: 'json' };
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' };
import spanish from 'i18n-iso-countries/langs/es.json' with { type: 'json' };
import french from 'i18n-iso-countries/langs/fr.json' with { type: 'json' };
import russian from 'i18n-iso-countries/langs/ru.json' with { type: 'json' };

/** A name as names are compared: without case, accents, spaces and signs. */
export function foldName(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

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
const firstOfQuarter = (quarter: string) => Number(quarter) * 3 - 2;
const nameOf = (text: string) => monthNames.get(foldName(text));

const rest = String.raw`(?:[T\s].*)?`;
const patterns: Record<MonthForm, [RegExp, (...parts: string[]) => [number, number | undefined]]> = {
  'YYYY-MM-DD': [
    new RegExp(`^(\\d{4})[-/.](\\d{1,2})[-/.]\\d{1,2}${rest}$`),
    (y = '', m = '') => [years(y), Number(m)],
  ],
  'YYYY-MM': [/^(\d{4})[-/.](\d{1,2})$/, (y = '', m = '') => [years(y), Number(m)]],
  YYYYMMDD: [/^(\d{4})(\d{2})\d{2}$/, (y = '', m = '') => [years(y), Number(m)]],
  YYYYMM: [/^(\d{4})(\d{2})$/, (y = '', m = '') => [years(y), Number(m)]],
  YYYY_MM: [/^(\d{4})_(\d{1,2})$/, (y = '', m = '') => [years(y), Number(m)]],
  YYYYMnn: [/^(\d{4})\s?M(\d{1,2})$/i, (y = '', m = '') => [years(y), Number(m)]],
  'M/D/YY': [
    new RegExp(`^(\\d{1,2})[/.-]\\d{1,2}[/.-](\\d{4}|\\d{2})${rest}$`),
    (m = '', y = '') => [years(y), Number(m)],
  ],
  'D/M/YY': [
    new RegExp(`^\\d{1,2}[/.-](\\d{1,2})[/.-](\\d{4}|\\d{2})${rest}$`),
    (m = '', y = '') => [years(y), Number(m)],
  ],
  'MMM-YY': [
    /^(?:([\p{L}.]{3,10})(?:[-\s]+[\p{L}.]{3,10})?|Q([1-4]))[-\s']*(\d{4}|\d{2})$/iu,
    (name = '', quarter = '', y = '') => [years(y), quarter ? firstOfQuarter(quarter) : nameOf(name)],
  ],
  'MMMM YYYY': [/^(\p{L}+)\.?\s+(\d{4})$/u, (name = '', y = '') => [years(y), nameOf(name)]],
  'YYYY-Qn': [
    /^(?:(\d{4})[-\s]?Q([1-4])|([1-4])Q(\d{4}))$/i,
    (y = '', quarter = '', before = '', after = '') => [years(y || after), firstOfQuarter(quarter || before)],
  ],
};

/** The day of a date, of those that name one: what comes first decides between `M/D` and `D/M`. */
const days: Partial<Record<MonthForm, RegExp>> = {
  'YYYY-MM-DD': /^\d{4}[-/.]\d{1,2}[-/.](\d{1,2})/,
  YYYYMMDD: /^\d{6}(\d{2})/,
  'M/D/YY': /^\d{1,2}[/.-](\d{1,2})/,
  'D/M/YY': /^(\d{1,2})/,
};

/** The first of the month in which a date or period begins, as `YYYY-MM-01`; undefined when it is none of these forms. */
export function readMonth(text: string, forms: readonly MonthForm[]): string | undefined {
  const trimmed = text.trim();
  for (const form of forms) {
    const [pattern, read] = patterns[form];
    const found = pattern.exec(trimmed);
    if (!found) continue;
    const [year, month] = read(...found.slice(1).map((part) => part ?? ''));
    const day = Number(days[form]?.exec(trimmed)?.[1] ?? 1);
    if (month === undefined || month < 1 || month > 12 || year < 1990 || year > 2100 || day < 1 || day > 31) continue;
    return `${year}-${String(month).padStart(2, '0')}-01`;
  }
  return undefined;
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
// As stores write them.
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

/** The country's two letters; what is none is kept as it was written, so that nothing is lost of it. */
export function readCountry(text: string): string {
  const trimmed = text.trim();
  return countryNames.get(foldName(trimmed)) ?? trimmed.slice(0, maxShown);
}

/** What a store's name tells where the file does not: folded words, the longest stand for themselves. */
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

/** Whether an income is of streams, downloads or videos: by the file's own word, else as the preset says, else by the store. */
export function readKind(
  type: string,
  store: string,
  { kind: fixed, kinds }: Pick<StatementPreset, 'kind' | 'kinds'>,
): IncomeKind {
  const foldedType = foldName(type);
  if (foldedType !== '') {
    for (const kind of ['video', 'stream', 'download'] as const) {
      // A single letter is a code, not a part of a word.
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

/** The sign or name of a currency behind the last `=` of a formula: `£1.20 × 85% = £1.02` → `£`. */
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

/** Upper case, without the word ISRC, hyphens and spaces (decisions §3); undefined for what is none. */
export function readIsrc(text: string): string | undefined {
  const isrc = text
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .replace(/^ISRC/, '');
  return /^[A-Z]{2}[A-Z0-9]{3}\d{7}$/.test(isrc) ? isrc : undefined;
}

/** The digits of a barcode; a spreadsheet's `1.23E+12` is none. */
export function readUpc(text: string): string | undefined {
  const digits = text.replace(/[\s"'-]/g, '').replace(/\.0+$/, '');
  return /^\d{6,14}$/.test(digits) ? digits : undefined;
}
