import { expect, test } from 'vitest';
import { instruments } from './instruments.ts';

test('instruments are sorted in French and named once', () => {
  expect(instruments).toEqual(instruments.toSorted(new Intl.Collator('fr').compare));
  expect(new Set(instruments).size).toBe(instruments.length);
});
