import { expect, test } from 'vitest';
import { workRate } from './work-tray.ts';

test('rate and remaining time follow from the progress', () => {
  expect(workRate({ done: 200, total: 1000, startedAt: 0, updatedAt: 4000 })).toEqual({
    perSecond: 50,
    secondsLeft: 16,
  });
});

test('no rate is shown before there is enough progress', () => {
  expect(workRate({ done: 10, total: 1000, startedAt: 0, updatedAt: 500 }).perSecond).toBeUndefined();
  expect(workRate({ done: 0, total: 1000, startedAt: 0, updatedAt: 5000 }).perSecond).toBeUndefined();
  expect(workRate({ done: 100, total: undefined, startedAt: 0, updatedAt: 5000 })).toEqual({
    perSecond: 20,
    secondsLeft: undefined,
  });
});

test('the progress of an earlier attempt does not count for the rate', () => {
  expect(workRate({ done: 600, doneBefore: 400, total: 1000, startedAt: 0, updatedAt: 4000 })).toEqual({
    perSecond: 50,
    secondsLeft: 8,
  });
});
