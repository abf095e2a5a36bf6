import { expect, test } from 'vitest';
import { workRate } from './work-tray.ts';

test('the rate and the time left come from what is done', () => {
  expect(workRate({ done: 200, total: 1000, startedAt: 0, updatedAt: 4000 })).toEqual({
    perSecond: 50,
    secondsLeft: 16,
  });
});

test('nothing is told before there is enough to tell', () => {
  expect(workRate({ done: 10, total: 1000, startedAt: 0, updatedAt: 500 }).perSecond).toBeUndefined();
  expect(workRate({ done: 0, total: 1000, startedAt: 0, updatedAt: 5000 }).perSecond).toBeUndefined();
  expect(workRate({ done: 100, total: undefined, startedAt: 0, updatedAt: 5000 })).toEqual({
    perSecond: 20,
    secondsLeft: undefined,
  });
});

test('what an earlier try had done says nothing of the rate', () => {
  expect(workRate({ done: 600, doneBefore: 400, total: 1000, startedAt: 0, updatedAt: 4000 })).toEqual({
    perSecond: 50,
    secondsLeft: 8,
  });
});
