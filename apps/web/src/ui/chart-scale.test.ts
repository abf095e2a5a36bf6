import { expect, test } from 'vitest';
import { labelStep, roundTicks, spread } from './chart-scale.ts';

test.each([
  [0, 100, [0, 50, 100]],
  [0, 87.3, [0, 50, 100]],
  [0, 12_345, [0, 5000, 10_000, 15_000]],
  [-40, 90, [-50, 0, 50, 100]],
  [-9, -2, [-10, -5, 0]],
  [3, 8, [0, 2, 4, 6, 8]],
  [0, 0, [0, 1]],
])('ticks from %d to %d', (low, high, ticks) => {
  expect(roundTicks(low, high)).toEqual(ticks);
});

test('ticks cover all values', () => {
  for (const [low, high] of [
    [0, 0.004],
    [-1e6, 3e9],
    [-0.01, 0],
    [12, 13],
  ] as const) {
    const ticks = roundTicks(low, high);
    expect(ticks[0]).toBeLessThanOrEqual(Math.min(0, low));
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(Math.max(0, high));
    expect(ticks.length).toBeGreaterThan(1);
    expect(ticks.length).toBeLessThan(8);
  }
});

test('labels do not overlap', () => {
  expect(labelStep(24, 600, 60)).toBe(3);
  expect(labelStep(4, 600, 60)).toBe(1);
  expect(labelStep(24, 0, 60)).toBe(1440);
});

test.each([
  [
    [20, 80],
    [20, 80],
  ],
  [
    [80, 76],
    [80, 66],
  ],
  [
    [100, 100, 99],
    [86, 100, 72],
  ],
  [
    [120, 50],
    [100, 50],
  ],
])('labels at %j are spread to %j', (heights, places) => {
  expect(spread(heights, 14, 100)).toEqual(places);
});
