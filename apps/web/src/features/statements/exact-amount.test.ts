import { expect, it } from 'vitest';
import { formatExact, isZeroAmount } from './exact-amount.ts';

it('shows all decimals, in French format', () => {
  expect(formatExact('1234567.1234567890123456', 'USD')).toBe('1\u00a0234\u00a0567,1234567890123456\u00a0$US');
  expect(formatExact('-0.5', 'EUR')).toBe('\u22120,50\u00a0€');
  expect(formatExact('0', 'GBP')).toBe('0,00\u00a0£GB');
});

it('only zero is zero', () => {
  expect(['0', '0.000', '-0.0'].every(isZeroAmount)).toBe(true);
  expect(['0.000000000000000000000001', '10', '-1'].some(isZeroAmount)).toBe(false);
});
