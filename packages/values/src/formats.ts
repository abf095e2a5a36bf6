import { fold } from './search-text.ts';

const locale = 'fr-FR';
const timeZone = 'Europe/Paris';
export const nbsp = '\u00a0';
const minus = '\u2212';

/** Intl writes U+202F between thousands, which many fonts (and the PDF's) lack, and a hyphen for a minus. */
function tidy(text: string): string {
  return text.replaceAll('\u202f', nbsp).replace(/^-/, minus);
}

/** Making a format takes as long as formatting fifty values. */
export function once<Key, Format>(make: (key: Key) => Format): (key: Key) => Format {
  const formats = new Map<Key, Format>();
  return (key) => {
    const format = formats.get(key) ?? make(key);
    formats.set(key, format);
    return format;
  };
}

const moneyFormat = once((currency: string) =>
  once((decimals: number) =>
    once(
      (least: number) =>
        new Intl.NumberFormat(locale, {
          style: 'currency',
          currency,
          minimumFractionDigits: least,
          maximumFractionDigits: decimals,
          roundingMode: 'halfEven',
        }),
    ),
  ),
);

/** `1 234,56 €`, rounded half-even (product §33.2) at `decimals`; at least `least` are shown. */
export function formatMoney(amount: number, currency: string, decimals = 2, least = 2): string {
  const text = moneyFormat(currency)(decimals)(least).format(amount);
  return tidy(isShownAsZero(amount, decimals) ? text.replace(/^-/, '') : text);
}

/** True when the amount reads 0,00 at that many decimals: it is grey and unsigned. */
export function isShownAsZero(amount: number, decimals = 2): boolean {
  return Math.abs(amount) <= 0.5 * 10 ** -decimals;
}

const cents = new Intl.NumberFormat('en', { maximumFractionDigits: 2, useGrouping: false, roundingMode: 'halfEven' });
/** The amount that `formatMoney` shows. */
export const shownAmount = (amount: number): number => Number(cents.format(amount));

export const currencySymbol = (currency: string): string => formatMoney(0, currency).split(nbsp).at(-1) ?? currency;

const balanceUnits = 1_000_000;
const unitsPerCent = 10_000;
/** The exact sum of amounts with at most six decimals: in millionths they stay far below 2^53. */
export const sumAmounts = (amounts: readonly number[]): number =>
  amounts.reduce((units, amount) => units + Math.round(amount * balanceUnits), 0) / balanceUnits;

/** The last part of a total, as it is shown in cents: what the others leave, so that the shown parts add up. */
export const lastShare = (total: number, others: readonly number[]): number =>
  sumAmounts([shownAmount(total), ...others.map((amount) => -shownAmount(amount))]);

/** Whole cents to pay, and the rest that stays: the ledger has six decimals. A negative balance has no payable part. */
export function splitBalance(amount: number): { payable: number; rest: number } {
  const units = Math.round(amount * balanceUnits);
  if (units <= 0) return { payable: amount, rest: 0 };
  const rest = units % unitsPerCent;
  return { payable: (units - rest) / balanceUnits, rest: rest / balanceUnits };
}

export const formatBalance = (amount: number): string => formatMoney(splitBalance(amount).payable, 'EUR');

const numberFormat = once((decimals: number) => new Intl.NumberFormat(locale, { maximumFractionDigits: decimals }));
/** `12,5`: up to `decimals` decimals, without trailing zeros. */
export const formatNumber = (value: number, decimals = 2): string => tidy(numberFormat(decimals).format(value));

const rateFormat = new Intl.NumberFormat(locale, { minimumFractionDigits: 4, maximumFractionDigits: 10 });
/** An exchange rate: `1,0824`, with all its decimals. */
export const formatRate = (value: number): string => tidy(rateFormat.format(value));

export const formatInteger = (value: number): string => formatNumber(value, 0);

export const formatValue = (value: number, currency: string | null): string =>
  currency === null ? formatInteger(value) : formatMoney(value, currency);

export const formatPercent = (value: number): string => `${formatNumber(value)}${nbsp}%`;

const alignedFormat = once(
  (decimals: number) =>
    new Intl.NumberFormat(locale, { minimumFractionDigits: decimals, maximumFractionDigits: decimals }),
);
/** In a column: `12,50 %`, each decimal under its own. */
export const formatAlignedPercent = (value: number, decimals = 2): string =>
  `${tidy(alignedFormat(decimals).format(value))}${nbsp}%`;

/** `3 214`, or `au moins 10 000` when the count is a lower bound. */
export const formatTotal = (total: number, isExact: boolean): string =>
  isExact ? formatInteger(total) : `au moins ${formatInteger(total)}`;

/** `1 sortie`, `12 sorties`: in French zero and one are singular. */
export const plural = (count: number, singular: string, many: string): string =>
  `${formatInteger(count)} ${Math.abs(count) < 2 ? singular : many}`;

/** The text of a count. */
export const counted = (singular: string, many: string) => (count: number) => plural(count, singular, many);

export const notADate = 'y a long temps';
const isInstant = (ms: number) => !Number.isNaN(new Date(ms).getTime());

const dateFormat = once(
  (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { timeZone, ...options }),
);
const dateText =
  (options: Intl.DateTimeFormatOptions, show: (date: Record<string, string>) => string) =>
  (ms: number | null | undefined): string => {
    if (typeof ms !== 'number' || !isInstant(ms)) return notADate;
    const parts = dateFormat(options).formatToParts(ms);
    return show(Object.fromEntries(parts.map(({ type, value }) => [type, value])));
  };

const dayParts = { day: '2-digit', month: '2-digit', year: 'numeric' } as const;
const longMonth = { month: 'long', year: 'numeric' } as const;

/** `dd/MM/yyyy` in Paris; an invalid date reads 'y a long temps' (product §18.5). */
export const formatDate = dateText(dayParts, ({ day, month, year }) => `${day}/${month}/${year}`);

/** `dd/MM/yyyy HH:mm` in Paris. */
export const formatDateTime = dateText(
  { ...dayParts, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  ({ day, month, year, hour, minute }) => `${day}/${month}/${year} ${hour}:${minute}`,
);

/** `1er mars 2026` in Paris, for documents. */
export const formatLongDate = dateText(
  { day: 'numeric', ...longMonth },
  ({ day, month, year }) => `${day === '1' ? '1er' : day} ${month} ${year}`,
);

/** A report's date: `MM/dd/yyyy` in Paris (product §32.4). */
export const formatReportDate = dateText(dayParts, ({ day, month, year }) => `${month}/${day}/${year}`);

const monthAndYear = ({ month, year }: Record<string, string>) => `${month}${nbsp}${year}`;
/** A report month in prose: `janv. 2026`. */
export const formatMonth = dateText({ month: 'short', year: 'numeric' }, monthAndYear);
export const formatLongMonth = dateText(longMonth, monthAndYear);
/** `janv. 2026`, or `janv. 2026 – mars 2026`. */
export function formatMonths(first: number, last: number): string {
  const [from, to] = [formatMonth(first), formatMonth(last)];
  return from === to ? from : `${from} – ${to}`;
}
/** A report month in pickers: `MM/yyyy`. */
export const formatMonthNumeric = dateText(
  { month: '2-digit', year: 'numeric' },
  ({ month, year }) => `${month}/${year}`,
);

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const relativeFormat = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
const relativeSteps: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['week', 7 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** `il y a 3 jours`, `dans 2 heures`; within a minute, `à l'instant`. */
export function formatRelative(ms: number, nowMs: number = Date.now()): string {
  if (!isInstant(ms)) return notADate;
  const distance = ms - nowMs;
  for (const [unit, size] of relativeSteps) {
    if (Math.abs(distance) >= size) return tidy(relativeFormat.format(Math.trunc(distance / size), unit));
  }
  return 'à l’instant';
}

/** `45 s`, `3 min`, `1 h 05`. */
export function formatDuration(seconds: number): string {
  const total = Math.max(0, Math.round(seconds));
  if (total < 60) return `${total}${nbsp}s`;
  if (total < 3600) return `${Math.round(total / 60)}${nbsp}min`;
  return `${Math.floor(total / 3600)}${nbsp}h${nbsp}${String(Math.floor((total % 3600) / 60)).padStart(2, '0')}`;
}

/** A position in a recording: `3:07`, `1:02:45`. */
export function formatPlayTime(seconds: number): string {
  const total = Math.max(0, Math.floor(seconds));
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(total / 60);
  return total < 3600
    ? `${minutes}:${two(total % 60)}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(total % 60)}`;
}

const sizeUnits = ['octets', 'ko', 'Mo', 'Go'];
/** `1,2 Mo`. */
export function formatBytes(sizeBytes: number): string {
  let value = sizeBytes;
  let unit = 0;
  while (value >= 1000 && unit < sizeUnits.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${formatNumber(value, value < 10 ? 1 : 0)}${nbsp}${sizeUnits[unit]}`;
}

/** Undefined when empty, NaN when invalid. Spaces between thousands, one mark at most: `1.234,56` is ambiguous. */
export function parseNumber(text: string): number | undefined {
  const compact = text.replace(/[\s\u00a0\u202f]/g, '').replace('\u2212', '-');
  if (compact === '') return undefined;
  return /^-?(\d+([.,]\d*)?|[.,]\d+)$/.test(compact) ? Number(compact.replace(',', '.')) : Number.NaN;
}

const maxSlugLength = 60;

/** A title as part of a file name: `Été à l’Estaque` is `ete-a-l-estaque`; empty without Latin letters. */
export const slug = (text: string): string =>
  fold(text)
    .replaceAll('œ', 'oe')
    .replaceAll('æ', 'ae')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, maxSlugLength)
    .replaceAll(/^-+|-+$/g, '');
