import type { MonthDetail } from '@regie/contract/routes/months.ts';
import { expect, test } from 'vitest';
import { boardInCents, monthInCents } from './months-in-cents.ts';

const month = 1_790_805_600_000;
const cell = (source: string, amountEur: number, unmatchedEur = 0) => ({
  ...{
    source,
    month,
    amountEur,
    unmatchedEur,
    isMatched: unmatchedEur === 0,
    isPosted: false,
    state: 'loaded' as const,
  },
  ...{
    readyEur: 0,
    readySums: 0,
    postedEur: 0,
    doubledEur: 0,
    missingRates: [],
    staleRates: [],
    dueAt: null,
    lateDays: 0,
  },
  statements: [],
});
const total = { month, readyEur: 0, isFuture: false };

test('the cells of a month add up to its total', () => {
  const { cells } = boardInCents({
    months: [{ ...total, amountEur: 117.637_9 }],
    cells: [cell('Believe', 26.453_5), cell('DistroKid', 91.184_4)],
  });
  expect(cells.map(({ amountEur }) => amountEur)).toEqual([26.45, 91.19]);
});

test('what is not attributed and the gross income of a month add up to its sources', () => {
  const statement = { id: 1, fileName: 'a.tsv', isChecked: false, unmatchedEur: 0, isMatched: true, isWaiting: true };
  const statements = [39.624_9, 39.630_237].map((amountEur) => ({
    ...{ ...statement, amountEur, isPosted: false, version: null, alerts: [] },
  }));
  const detail: MonthDetail = {
    ...{ ...total, amountEur: 106.055_137, postings: [] },
    sources: [cell('Bandcamp', 26.8, 26.8), { ...cell('DistroKid', 79.255_137, 8.314_933), statements }],
  };
  const { sources } = monthInCents(detail);
  // The gross income is 70.940204.
  expect(sources.map(({ amountEur, unmatchedEur }) => [amountEur, unmatchedEur])).toEqual([
    [26.8, 26.8],
    [79.26, 8.32],
  ]);
  expect(sources[1]?.statements.map(({ amountEur }) => amountEur)).toEqual([39.63, 39.63]);
});
