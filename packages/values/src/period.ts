import { foldName } from './search-text.ts';

/**
 * Formats of dates and periods. A period of several months is given by its first one. `M/D/YY` and `D/M/YY` accept
 * years of two or four digits and ignore a time of day. `YYYY-Qn` accepts quarters and half-years in digits and words
 * (`2024-Q1`, `1er trimestre 2024`, `H2 2023`), `YYYYQ` quarters without a word (`20241`, `2024 1`).
 */
export const monthForms = [
  'YYYY-MM-DD',
  'YYYY-MM',
  'YYYYMMDD',
  'YYYYMM',
  'YYYY_MM',
  'YYYYMnn',
  'M/D/YY',
  'D/M/YY',
  'MM-YYYY',
  'D-MMM-YY',
  'MMM-YY',
  'MMMM YYYY',
  'YYYY-Qn',
  'YYYYQ',
] as const;
export type MonthForm = (typeof monthForms)[number];

const otherForms: readonly MonthForm[] = ['M/D/YY', 'D/M/YY', 'YYYYQ'];
/** Formats whose month is unambiguous without the file's other dates. */
export const plainForms: readonly MonthForm[] = monthForms.filter((form) => !otherForms.includes(form));

const monthNames = new Map(
  [
    ['january', 'janvier', 'jan', 'janv', 'januar', 'januari', 'enero', 'ene', 'gennaio', 'gen', 'janeiro'],
    ['february', 'fevrier', 'feb', 'fevr', 'fev', 'februar', 'februari', 'febrero', 'febbraio', 'fevereiro'],
    ['march', 'mars', 'mar', 'marz', 'mrz', 'marzo', 'maart', 'mrt', 'marco'],
    ['april', 'avril', 'apr', 'avr', 'abril', 'abr', 'aprile'],
    ['may', 'mai', 'mayo', 'mei', 'maggio', 'mag', 'maio'],
    ['june', 'juin', 'jun', 'juni', 'junio', 'giugno', 'giu', 'junho'],
    ['july', 'juillet', 'jul', 'juil', 'juli', 'julio', 'luglio', 'lug', 'julho'],
    ['august', 'aout', 'aug', 'agosto', 'ago', 'augustus'],
    ['september', 'septembre', 'sep', 'sept', 'septiembre', 'settembre', 'set', 'setembro'],
    ['october', 'octobre', 'oct', 'oktober', 'okt', 'octubre', 'ottobre', 'ott', 'outubro', 'out'],
    ['november', 'novembre', 'nov', 'noviembre', 'novembro'],
    ['december', 'decembre', 'dec', 'dezember', 'dez', 'diciembre', 'dic', 'dicembre', 'dezembro'],
  ].flatMap((names, index) => names.map((name) => [name, index + 1] as const)),
);

const years = (text: string) => (text.length === 2 ? 2000 + Number(text) : Number(text));
const nameOf = (text: string) => monthNames.get(foldName(text));

/** A time of day, or words; no second date. */
const rest = String.raw`(?:(?!.*\d(?<sign>[-/.])\d{1,2}\k<sign>\d)(?:T.*|\s+\d{1,2}[:h]\d.*|\s+\D*))?`;
const year = String.raw`(?<year>\d{4}|\d{2})`;
const patterns: Record<Exclude<MonthForm, 'YYYY-Qn'>, readonly RegExp[]> = {
  'YYYY-MM-DD': [new RegExp(`^(?<year>\\d{4})[-/.](?<month>\\d{1,2})[-/.](?<day>\\d{1,2})${rest}$`)],
  'YYYY-MM': [/^(?<year>\d{4})[-/.\s](?<month>\d{1,2})$/],
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
  'MMM-YY': [new RegExp(`^(?:(?<name>[\\p{L}.]{3,10})|Q(?<quarter>[1-4]))[-\\s']*${year}$`, 'iu')],
  'MMMM YYYY': [/^(?<name>\p{L}+)\.?\s+(?<year>\d{4})$/u],
  YYYYQ: [/^(?<year>\d{4})[-/\s]?(?<quarter>[1-4])$/, /^(?<quarter>[1-4])[-/\s](?<year>\d{4})$/],
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
  const [year, of] = /(?<!\d)(\d{4})(?!\d)/.exec(folded) ?? [];
  if (year === undefined) return undefined;
  const words = folded
    .replace(year, ' ')
    .replace(/\b(?:of|de|du|del)\b|[^a-z0-9]+/g, ' ')
    .replace(/ +/g, ' ')
    .trim();
  for (const [index, pattern] of periods.entries()) {
    const groups = pattern.exec(words)?.groups;
    if (!groups) continue;
    const months = (groups.quarter ?? groups.quarterBehind) ? 3 : 6;
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

/** Signs and words between both ends of a period, and before the first. */
const between =
  /\s*(?:[-\u2013\u2014\u2212~\u2192/_]|\.{2,})\s*|\s+(?:to|thru|through|until|till|au|à|jusqu['’]au|bis|al?|e|y|et|and|und|tot|t\/m|até)\s+/giu;
const opening = /^(?:from|du|vom|von|del?|dal|van)\s+/i;

/** Both ends of a period in one text: `01.01.2024-31.03.2024`, `du 1er au 31 mars 2024`, `Jan to Mar 2024`. */
function readRange(text: string, forms: readonly MonthForm[]): [DateParts, DateParts] | undefined {
  const range = text.trim().replace(opening, '');
  if (range.length > 80) return undefined;
  for (const part of range.matchAll(between)) {
    const start = range.slice(0, part.index).replace(/[\s.]+$/, '');
    const end = range.slice(part.index + part[0].length);
    for (const form of forms) {
      const to = readParts(end, [form]);
      if (!to) continue;
      // The first end may leave out the year, or the month too, unless it would be told from a date only by that.
      const [, day] = to.day === undefined ? [] : (/^(\d{1,2})(?:er|st|nd|rd|th|º|ª)?$/i.exec(start) ?? []);
      const [ofYear = ''] = /[^\p{L}\d]*\d+$/u.exec(end) ?? [];
      const shared = day !== undefined ? end.replace(/^\d{1,2}/, day) : `${start}${ofYear}`;
      const from =
        readParts(start, [form]) ??
        (to.day !== undefined || /\p{L}/u.test(start) ? readParts(shared, [form]) : undefined);
      if (from) return [from, to];
    }
  }
  return undefined;
}

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
  calendar?: 'common' | 'apple';
}

/**
 * The first day of the month of a date or period, as `YYYY-MM-01`; undefined when no format matches. Of a period with an
 * end, in its text or apart, the month of its middle; on Apple's calendar the fiscal month.
 */
export function readMonth(
  text: string,
  forms: readonly MonthForm[],
  { end, calendar }: Period = {},
): string | undefined {
  const single = readParts(text, forms);
  const range = single || end !== undefined ? undefined : readRange(text, forms);
  const from = range?.[0] ?? single;
  const to = range?.[1] ?? (end === undefined ? single : readParts(end, forms));
  if (!from || !to) return undefined;
  const start = Date.UTC(from.year, from.month - 1, from.day ?? 1);
  const last = Date.UTC(to.year, to.month - 1, to.day ?? 31);
  if (last < start) return undefined;
  if (from.day === undefined || to.day === undefined || (last - start) / dayMs > longestMonthDays)
    return firstOfMonth(from.year, from.month);
  const middle = start + Math.floor((last - start) / dayMs / 2) * dayMs;
  if (calendar === 'apple') return appleMonth(middle);
  const day = new Date(middle);
  return firstOfMonth(day.getUTCFullYear(), day.getUTCMonth() + 1);
}
