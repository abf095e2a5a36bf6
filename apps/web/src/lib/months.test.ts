import { earliestMonthMs, monthToMs } from '@regie/values/month.ts';
import { expect, test } from 'vitest';
import { dayBefore, dayToMs, earliestSaleMs, monthFromParam, monthToParam, parseMonth } from './months.ts';

test.each([
  ['01/2026', '2026-01'],
  ['1/2026', '2026-01'],
  ['1/26', '2026-01'],
  ['012026', '2026-01'],
  ['2026-01', '2026-01'],
  ['07-2025', '2025-07'],
  [' 12 / 2024 ', '2024-12'],
])('%j is a month', (text, month) => {
  expect(parseMonth(text)).toBe(monthToMs(month));
});

test.each(['', '13/2026', '0/2026', '12/2019', '2026', 'janvier', '1/226', '01/20261'])('%j is not a month', (text) => {
  expect(parseMonth(text)).toBeUndefined();
});

test('a month in the URL is YYYY-MM only', () => {
  expect(monthToParam(monthToMs('2026-05'))).toBe('2026-05');
  expect(monthFromParam('2026-05')).toBe(monthToMs('2026-05'));
  for (const text of [undefined, '', '05/2026', '2026-13', '2019-12', String(monthToMs('2026-05'))]) {
    expect(monthFromParam(text), text).toBeUndefined();
  }
});

test('the earliest month is January 2020, or January 2000 for sales', () => {
  expect(parseMonth('01/2020')).toBe(earliestMonthMs);
  expect(parseMonth('10/2017', earliestSaleMs)).toBe(monthToMs('2017-10'));
  expect(monthFromParam('2017-10', earliestSaleMs)).toBe(monthToMs('2017-10'));
  for (const text of ['12/1999', '10/2101']) expect(parseMonth(text, earliestSaleMs)).toBeUndefined();
});

test.each([
  ['2026-01-15', Date.UTC(2026, 0, 14, 23), Date.UTC(2026, 0, 15, 23) - 1],
  ['2026-07-15', Date.UTC(2026, 6, 14, 22), Date.UTC(2026, 6, 15, 22) - 1],
  // Clock changes: days of 23 and of 25 hours.
  ['2026-03-29', Date.UTC(2026, 2, 28, 23), Date.UTC(2026, 2, 29, 22) - 1],
  ['2026-10-25', Date.UTC(2026, 9, 24, 22), Date.UTC(2026, 9, 25, 23) - 1],
])('the day %s in Paris', (day, startMs, endMs) => {
  expect(dayToMs(day)).toEqual({ startMs, endMs });
});

test.each(['2026-02-30', '2026-1-5', 'hier', ''])('%j is not a day', (day) => {
  expect(dayToMs(day)).toBeUndefined();
});

test('a day some days ago is a day in Paris, across clock changes', () => {
  expect(dayBefore(7, Date.UTC(2026, 10, 23, 22, 59))).toBe('2026-11-16');
  expect(dayBefore(7, Date.UTC(2026, 10, 23, 23))).toBe('2026-11-17');
  expect(dayBefore(30, Date.UTC(2026, 3, 10, 22))).toBe('2026-03-12');
});
