import type { MonthBoard } from '@regie/contract/routes/months.ts';
import { monthToMs } from '@regie/values/month.ts';
import { expect, test } from 'vitest';
import { paths } from '#src/app/paths.ts';
import { whereEarlier } from './earlier-months.tsx';

const board = (from: string, to: string) =>
  [from, to].map((month) => ({ month: monthToMs(month) })) as MonthBoard['months'];

test('earlier months link to a board that starts with the first of them, of at most five years', () => {
  const shown = board('2025-12', '2026-11');
  expect(whereEarlier(monthToMs('2023-05'), shown)).toEqual({ to: paths.months, search: { from: '2023-05' } });
  const long = { to: paths.months, search: { from: '2020-03', to: '2025-02' } };
  expect(whereEarlier(monthToMs('2020-03'), shown)).toEqual(long);
});

test('months before January 2020 link to the statements to check', () => {
  const first = { to: paths.months, search: { from: '2020-01', to: '2024-12' } };
  expect(whereEarlier(monthToMs('2015-10'), board('2025-12', '2026-11'))).toEqual(first);
  const statements = { to: paths.statements, search: { status: 'loaded' } };
  expect(whereEarlier(monthToMs('2015-10'), board('2020-01', '2024-12'))).toEqual(statements);
});
