import { afterEach, expect, it, vi } from 'vitest';
import { deepCount } from './deep.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

it('runs a part of a long count unless REGIE_DEEP is set', () => {
  vi.stubEnv('REGIE_DEEP', undefined);
  expect(deepCount(1000)).toBe(100);
  expect(deepCount(50, 4)).toBe(13);
  expect(deepCount(3, 10)).toBe(1);
  vi.stubEnv('REGIE_DEEP', '1');
  expect(deepCount(1000)).toBe(1000);
});
