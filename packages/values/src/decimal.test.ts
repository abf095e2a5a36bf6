import { describe, expect, it } from 'vitest';
import { fromMicros, roundParts, roundToCents, toMicros, wholeCents } from './decimal.ts';

describe('ledger amounts', () => {
  it.each([
    ['0', 0n],
    ['12.5', 12_500_000n],
    ['-0.000001', -1n],
    ['1234567.123456', 1_234_567_123_456n],
    ['3.10000000', 3_100_000n],
  ])('%s', (text, micros) => {
    expect(toMicros(text)).toBe(micros);
    expect(toMicros(fromMicros(micros))).toBe(micros);
  });

  it.each([
    ['0.005', 0n],
    ['0.015', 2n],
    ['0.025', 2n],
    ['0.025001', 3n],
    ['-0.015', -2n],
    ['-0.025', -2n],
  ])('%s rounds half-even to %i cents', (text, cents) => expect(roundToCents(toMicros(text))).toBe(cents));

  it.each([
    ['12.349999', 1234n],
    ['0.005', 0n],
    ['-3.5', 0n],
  ])('%s has %i payable cents', (text, cents) => expect(wholeCents(text)).toBe(cents));
});

describe('parts of a sum in cents', () => {
  const cents = (...texts: string[]) => texts.map(toMicros);
  it.each([
    ['missing cents go to the largest remainders', cents('0.333333', '0.333333', '0.333334'), 100n, [33n, 33n, 34n]],
    ['of equal ones the first', cents('-0.0049', '0.0049', '-0.0049'), -1n, [-1n, 0n, 0n]],
    ['the total may be two cents away from one part', cents('0.005'), 2n, [2n]],
    ['nothing to divide', [], 0n, []],
  ])('%s', (_, parts, total, shown) => expect(roundParts(parts, total, 10_000n)).toEqual(shown));
});
