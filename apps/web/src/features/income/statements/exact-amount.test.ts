import { expect, it } from 'vitest';
import { formatExact, isZeroAmount, unmatchedText } from './exact-amount.ts';

it('shows all decimals, in French format', () => {
  expect(formatExact('1234567.1234567890123456', 'USD')).toBe('1\u00a0234\u00a0567,1234567890123456\u00a0$US');
  expect(formatExact('-0.5', 'EUR')).toBe('\u22120,50\u00a0€');
  expect(formatExact('0', 'GBP')).toBe('0,00\u00a0£GB');
});

it('only zero is zero', () => {
  expect(['0', '0.000', '-0.0'].every(isZeroAmount)).toBe(true);
  expect(['0.000000000000000000000001', '10', '-1'].some(isZeroAmount)).toBe(false);
});

it('unmatched income of months is added up in euros, and without a rate in its currency', () => {
  const month = (currency: string, unmatchedAmount: string, unmatchedEur: number | null) => ({
    ...{
      month: 0,
      currency,
      amount: '9',
      unmatchedAmount,
      postedAmount: '0',
      amountEur: null,
      unmatchedEur,
      postedEur: 0,
    },
    ...{ rate: null, rateMonth: null, isStale: false, isFuture: false, isConfirmed: false, isTooEarly: false },
  });
  expect(unmatchedText([month('USD', '0.1', 0.1), month('EUR', '0.2', 0.2), month('CHF', '26.8', null)])).toBe(
    '0,30\u00a0€ et 26,80\u00a0CHF',
  );
  expect(unmatchedText([month('CHF', '0.000', null)])).toBeUndefined();
});
