import { expect, test } from 'vitest';
import { fromMicros, roundToCents } from './decimal.ts';
import {
  formatBytes,
  formatDate,
  formatDateTime,
  formatDuration,
  formatMoney,
  formatMonth,
  formatMonthNumeric,
  formatPlayTime,
  formatRelative,
  formatReportDate,
  formatTotal,
  isShownAsZero,
  lastShare,
  nbsp,
  parseNumber,
  plural,
  shownAmount,
  slug,
  splitBalance,
  sumAmounts,
} from './formats.ts';

const january2020 = 1_577_833_200_000;

test.each([
  [1234.56, 'EUR', `1${nbsp}234,56${nbsp}€`],
  [1234.56, 'USD', `1${nbsp}234,56${nbsp}$US`],
  [-12.5, 'EUR', `\u221212,50${nbsp}€`],
  [0, 'EUR', `0,00${nbsp}€`],
  [-0.001, 'EUR', `0,00${nbsp}€`],
  [2.345, 'EUR', `2,34${nbsp}€`],
  [0.125, 'EUR', `0,12${nbsp}€`],
  [0.375, 'EUR', `0,38${nbsp}€`],
  [12345678.9, 'EUR', `12${nbsp}345${nbsp}678,90${nbsp}€`],
])('money: %d %s', (amount, currency, text) => {
  expect(formatMoney(amount, currency)).toBe(text);
});

test('money shows more decimals on request, never fewer than two', () => {
  expect(formatMoney(1.234567, 'EUR', 6)).toBe(`1,234567${nbsp}€`);
  expect(formatMoney(1.5, 'EUR', 6)).toBe(`1,50${nbsp}€`);
  expect(isShownAsZero(0.004)).toBe(true);
  expect(isShownAsZero(0.004, 6)).toBe(false);
  expect(isShownAsZero(-0.006)).toBe(false);
});

test('formatted numbers contain no narrow space and no hyphen', () => {
  expect(formatMoney(-1_234_567.891, 'USD')).not.toMatch(/[\u202f-]/);
  expect(formatTotal(3214, true)).toBe(`3${nbsp}214`);
  expect(formatTotal(10_000, false)).toBe(`au moins 10${nbsp}000`);
});

test('instants are formatted in Paris time', () => {
  expect(formatMonth(january2020)).toBe(`janv.${nbsp}2020`);
  expect(formatMonthNumeric(january2020)).toBe('01/2020');
  expect(formatDate(january2020)).toBe('01/01/2020');
  expect(formatReportDate(Date.UTC(2026, 2, 30, 22, 30))).toBe('03/31/2026');
  expect(formatDateTime(Date.UTC(2026, 2, 30, 22, 30))).toBe('31/03/2026 00:30');
});

test.each([undefined, null, Number.NaN, Number.POSITIVE_INFINITY, 9e15])('%s is not a date', (value) => {
  for (const format of [formatDate, formatDateTime, formatReportDate, formatMonth, formatMonthNumeric]) {
    expect(format(value)).toBe('y a long temps');
  }
});

test.each([
  ['1234,56', 1234.56],
  ['1234.56', 1234.56],
  [`1${nbsp}234,56`, 1234.56],
  ['-3,5', -3.5],
  ['\u22123,5', -3.5],
  ['.5', 0.5],
  ['12,', 12],
  ['', undefined],
  ['  ', undefined],
  ['1.234,56', Number.NaN],
  ['1,2,3', Number.NaN],
  ['1e5', Number.NaN],
  ['12 €', Number.NaN],
])('the number typed as %j', (text, value) => {
  expect(parseNumber(text)).toEqual(value);
});

test('distances, durations, sizes and plurals are formatted in French', () => {
  const now = Date.UTC(2026, 0, 15);
  expect(formatRelative(now - 30_000, now)).toBe('à l’instant');
  expect(formatRelative(now - 3 * 3_600_000, now)).toBe(`il y a 3 heures`);
  expect(formatRelative(now - 86_400_000, now)).toBe('hier');
  expect(formatRelative(now + 2 * 86_400_000, now)).toBe('après-demain');
  expect(formatRelative(Number.NaN, now)).toBe('y a long temps');
  expect(formatDuration(42)).toBe(`42${nbsp}s`);
  expect(formatDuration(180)).toBe(`3${nbsp}min`);
  expect(formatDuration(3900)).toBe(`1${nbsp}h${nbsp}05`);
  expect(formatBytes(999)).toBe(`999${nbsp}octets`);
  expect(formatBytes(1_234_567)).toBe(`1,2${nbsp}Mo`);
  expect(plural(0, 'rapport', 'rapports')).toBe('0 rapport');
  expect(plural(1, 'rapport', 'rapports')).toBe('1 rapport');
  expect(plural(2, 'rapport', 'rapports')).toBe('2 rapports');
});

test.each([
  [0, '0:00'],
  [7.9, '0:07'],
  [187, '3:07'],
  [3765, '1:02:45'],
])('a position in a recording: %d seconds', (seconds, text) => {
  expect(formatPlayTime(seconds)).toBe(text);
});

test.each([
  [12.3458, 12.34, 0.0058],
  [12.34, 12.34, 0],
  [4.35, 4.35, 0],
  [0.009999, 0, 0.009999],
  [0, 0, 0],
  [-3.456, -3.456, 0],
  [9_999_999.999_999, 9_999_999.99, 0.009999],
])('a balance of %d euros has %d payable and %d remaining', (balance, payable, rest) => {
  expect(splitBalance(balance)).toEqual({ payable, rest });
});

test('the last share of a total is the total without the other rounded shares', () => {
  expect(lastShare(97.744641, [82.899412, 0.000321])).toBe(14.84);
  expect(lastShare(0.125, [0.135])).toBe(-0.02);
  expect(lastShare(-5.004, [-4.001])).toBe(-1);
});

test('sums of amounts are exact', () => {
  expect(sumAmounts([0.1, 0.2])).toBe(0.3);
  expect(sumAmounts([1.1, -0.600001])).toBe(0.499999);
  expect(sumAmounts([1_000_000_000.01, 0.02])).toBe(1_000_000_000.03);
  expect(sumAmounts([])).toBe(0);
});

/** Amounts of the ledger around whole cents and halves of them, and spread over nine digits. */
const amounts = Array.from({ length: 2000 }, (_, index) => {
  const micros = BigInt(index - 1000) * 5000n + BigInt(index % 3) - 1n;
  return index % 2 === 0 ? micros : micros * 99_991n;
});

test('shows an amount of the ledger rounded half-even to the cent, as the server rounds it', () => {
  for (const micros of amounts) {
    const cents = roundToCents(micros);
    const amount = Number(fromMicros(micros));
    expect(Math.round(shownAmount(amount) * 100), fromMicros(micros)).toBe(Number(cents));
    expect(formatMoney(amount, 'EUR').replaceAll(/[\s€,]/g, ''), fromMicros(micros)).toBe(
      String(cents)
        .replace('-', '\u2212')
        .replace(/\d+/, (digits) => digits.padStart(3, '0')),
    );
  }
});

test.each([
  ['Été à l’Estaque', 'ete-a-l-estaque'],
  ['../../etc/passwd', 'etc-passwd'],
  ['—', ''],
  [`${'a'.repeat(59)} b`, 'a'.repeat(59)],
])('%s in a file’s name', (text, expected) => {
  expect(slug(text)).toBe(expected);
});
