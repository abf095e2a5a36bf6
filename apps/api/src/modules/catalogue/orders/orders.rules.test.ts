import type { PlanName } from '@regie/contract/orders.ts';
import { toCents, toDecimal, vatWithin } from '@regie/values/decimal.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takePercent } from '#src/lib/money.ts';
import { priceOrder } from './orders.rules.ts';

const prices = { single: 9.9, ep: 19.9, album: 29.9, label: 99, premiumLabelFee: 15, expressFee: 25 };
const none = { prices, isSubscribed: false, promoPercent: null };

describe('cents', () => {
  it.each([
    ['0', 0n],
    ['12', 1200n],
    ['12.3', 1230n],
    ['12.34', 1234n],
    ['12.340000', 1234n],
    [9.9, 990n],
    [0.07, 7n],
    [100_000, 10_000_000n],
  ])('%s', (text, cents) => expect(toCents(text)).toBe(cents));

  it.each(['', '-1', '1.234', '1e3', '1,5', 'NaN'])('refuses %s', (text) => expect(() => toCents(text)).toThrow());

  it('convert both ways', () => {
    fc.assert(fc.property(fc.bigInt(0n, 10n ** 12n), (cents) => toCents(toDecimal(cents)) === cents));
  });
});

describe('rounding', () => {
  it.each([
    [1n, 5000n, 0n],
    [3n, 5000n, 2n],
    [5n, 5000n, 2n],
    [7n, 5000n, 4n],
    [1n, 3333n, 0n],
    [2n, 3333n, 1n],
  ])('%s cents at %s hundredths is %s, half to even', (cents, percent, result) =>
    expect(takePercent(cents, percent)).toBe(result),
  );

  it('computes percentages and VAT exactly', () => {
    expect(takePercent(4490n, 1250n)).toBe(561n);
    expect(takePercent(4490n, 10_000n)).toBe(4490n);
    expect(vatWithin(12_000n, 2000n)).toBe(2000n);
    expect(vatWithin(990n, 2000n)).toBe(165n);
    expect(vatWithin(990n, 0n)).toBe(0n);
  });
});

describe('an order', () => {
  it('adds up plan, own label and express delivery', () => {
    expect(priceOrder({ plan: 'single', label: '', hasExpressDelivery: false }, none)).toMatchObject({
      planCents: 990n,
      labelCents: 0n,
      expressCents: 0n,
      totalCents: 990n,
    });
    expect(priceOrder({ plan: 'album', label: 'Nord', hasExpressDelivery: true }, none)).toEqual({
      planCents: 2990n,
      labelCents: 1500n,
      expressCents: 2500n,
      discountCents: 0n,
      totalCents: 6990n,
    });
  });

  it('subtracts the promo code from the total, rounded once', () => {
    const lines = priceOrder(
      { plan: 'album', label: 'Nord', hasExpressDelivery: true },
      { ...none, promoPercent: '12.50' },
    );
    // 873.75 cents.
    expect(lines).toMatchObject({ discountCents: 874n, totalCents: 6116n });
  });

  it('costs a subscriber only the express delivery', () => {
    const lines = priceOrder(
      { plan: 'label', label: 'Nord', hasExpressDelivery: true },
      { prices, isSubscribed: true, promoPercent: null },
    );
    expect(lines).toMatchObject({ planCents: 0n, labelCents: 0n, totalCents: 2500n });
  });

  it('is never negative, whatever the percentage', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<PlanName[]>('single', 'ep', 'album', 'label'),
        fc.boolean(),
        fc.bigInt(0n, 10_000n),
        (plan, hasExpressDelivery, percent) => {
          const lines = priceOrder(
            { plan, label: 'x', hasExpressDelivery },
            { ...none, promoPercent: toDecimal(percent) },
          );
          const full = lines.planCents + lines.labelCents + lines.expressCents;
          return lines.totalCents >= 0n && lines.totalCents + lines.discountCents === full;
        },
      ),
    );
  });
});
