import type { Month } from '@regie/values/month.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findExpected, rhythmOf, type Sending, splitCredit } from './months.rules.ts';

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

it('divides the credits of all months so that each adds up and the rest is the balance', () => {
  const amount = fc.bigInt({ min: -50n, max: 200n });
  const positive = fc.bigInt({ min: 0n, max: 300n });
  fc.assert(
    fc.property(
      fc.array(amount, { minLength: 1, maxLength: 6 }),
      amount,
      positive,
      positive,
      (months, adjustment, paid, pending) => {
        const income = months.reduce((sum, credit) => sum + credit, 0n);
        const balance = income + adjustment - paid - pending;
        const parts = months.map((credit, at) => {
          const later = months.slice(at + 1).reduce((sum, one) => sum + one, 0n);
          return { credit, ...splitCredit({ credit, later, income, balance, paid, pending }) };
        });
        for (const { credit, paid, adjusted, pending, rest } of parts) {
          expect(paid + adjusted + pending + rest).toBe(credit);
          if (credit > 0n) expect([paid, adjusted, pending, rest].every((part) => part >= 0n)).toBe(true);
        }
        const isPlain = adjustment === 0n && months.every((credit) => credit >= 0n);
        if (isPlain && balance >= 0n) {
          const sum = (of: 'paid' | 'pending' | 'rest') => parts.reduce((all, part) => all + part[of], 0n);
          expect([sum('paid'), sum('pending'), sum('rest')]).toEqual([paid, pending, balance]);
          // The oldest first: what follows the first month with a rest is not paid.
          const first = parts.findIndex(({ rest }) => rest > 0n);
          expect(parts.slice(first + 1).every(({ paid }) => first === -1 || paid === 0n)).toBe(true);
        }
      },
    ),
  );
});
