import type { Month } from '@regie/values/month.ts';
import { expect, it } from 'vitest';
import { findExpected, rhythmOf, type Sending } from './months.rules.ts';

/** Each month with the day its statement arrived. */
const sent = (...sendings: [Month, string][]): Sending[] =>
  sendings.map(([month, day]) => ({ month, arrivedAt: new Date(`${day}T10:00:00Z`) }));
const now = Date.parse('2026-11-23T09:00:00Z');
const day = (text: string) => Date.parse(`${text}T00:00:00Z`);
const expectedIn = (sendings: Sending[], ...months: Month[]) =>
  months.map((month) => findExpected(sendings, month, now)?.lateDays);

const monthly = sent(
  ['2026-05', '2026-06-09'],
  ['2026-06', '2026-07-12'],
  ['2026-07', '2026-08-10'],
  ['2026-08', '2026-09-14'],
  ['2026-09', '2026-10-12'],
);
const quarterly = sent(
  ['2025-09', '2025-11-14'],
  ['2025-12', '2026-02-16'],
  ['2026-03', '2026-05-15'],
  ['2026-06', '2026-08-13'],
);

it('expects a monthly source each month, late from its usual day on', () => {
  // Days 9 to 14: the median is the 12th, eleven days after the end of the month.
  expect(findExpected(monthly, '2026-10', now)).toEqual({ dueAt: day('2026-11-12'), lateDays: 11 });
  expect(findExpected(monthly, '2026-10', Date.parse('2026-11-12T22:30:00Z'))?.lateDays).toBe(0);
  // Midnight in Paris.
  expect(findExpected(monthly, '2026-10', Date.parse('2026-11-12T23:00:00Z'))?.lateDays).toBe(1);
});

it('expects a quarterly source at the end of its quarter only', () => {
  expect(rhythmOf(quarterly)).toBe(3);
  expect(expectedIn(quarterly, '2026-07', '2026-08', '2026-09', '2026-10')).toEqual([
    undefined,
    undefined,
    9,
    undefined,
  ]);
  expect(findExpected(quarterly, '2026-09', now)?.dueAt).toBe(day('2026-11-14'));
});

it('recognises a rhythm with one exception', () => {
  expect(rhythmOf([...quarterly, ...sent(['2026-08', '2026-09-20'])])).toBe(3);
  expect(rhythmOf(quarterly.filter(({ month }) => month !== '2025-12'))).toBe(1);
  const missed = monthly.filter(({ month }) => month !== '2026-07');
  expect(rhythmOf(missed)).toBe(1);
  // The missing month is still expected.
  expect(findExpected(missed, '2026-07', now)?.lateDays).toBeGreaterThan(90);
});

it('treats an irregular source as monthly', () => {
  const irregular = sent(
    ['2025-12', '2026-01-10'],
    ['2026-02', '2026-03-20'],
    ['2026-07', '2026-08-02'],
    ['2026-10', '2026-11-20'],
  );
  expect(rhythmOf(irregular)).toBe(1);
  expect(expectedIn(irregular, '2026-08', '2026-09')).toEqual([64, 34]);
});

it('expects a source after its first statement, by the end of the following month', () => {
  const [first] = [sent(['2026-08', '2026-09-02'])];
  expect(findExpected(first, '2026-07', now)).toBeUndefined();
  expect(findExpected(first, '2026-09', now)).toEqual({ dueAt: day('2026-10-31'), lateDays: 23 });
  expect(findExpected(first, '2026-10', now)).toEqual({ dueAt: day('2026-11-30'), lateDays: 0 });
});

it('no longer expects a source that missed three statements', () => {
  const stopped = sent(['2026-03', '2026-04-10'], ['2026-04', '2026-05-10'], ['2026-05', '2026-06-10']);
  expect(expectedIn(stopped, '2026-08', '2026-09')).toEqual([74, undefined]);
});

it('expects nothing of a month that has not ended', () => {
  expect(expectedIn(monthly, '2026-11', '2026-12')).toEqual([undefined, undefined]);
  expect(expectedIn([], '2026-10')).toEqual([undefined]);
});

it('ignores the arrival dates of statements that were loaded on one day', () => {
  const loaded = sent(
    ['2026-06', '2026-10-05'],
    ['2026-07', '2026-10-05'],
    ['2026-08', '2026-10-05'],
    ['2026-09', '2026-10-05'],
  );
  expect(findExpected(loaded, '2026-10', now)?.dueAt).toBe(day('2026-11-30'));
});
