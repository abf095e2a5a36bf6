import { expect, it } from 'vitest';
import {
  accountNumber,
  ean13,
  frenchVatNumber,
  hasIban,
  isValidIban,
  registrantPrefix,
  toIban,
} from './identifiers.ts';
import { Random } from './random.ts';

it('computes the check digits of published examples', () => {
  expect(ean13('400638133393')).toBe('4006381333931');
  expect(toIban('GB', 'WEST12345698765432')).toBe('GB82WEST12345698765432');
  expect(toIban('FR', '20041010050500013M02606')).toBe('FR1420041010050500013M02606');
  expect(isValidIban('BE68539007547034')).toBe(true);
  expect(isValidIban('BE68539007547035')).toBe(false);
});

it('gives every country with IBANs one of the right length', () => {
  const lengths = { FR: 27, MC: 27, BE: 16, CH: 21, LU: 20, DE: 22 };
  const random = new Random(1);
  for (const [country, length] of Object.entries(lengths)) {
    const iban = accountNumber(random, country, '97011');
    expect(iban).toHaveLength(length);
    expect(isValidIban(iban)).toBe(true);
  }
  expect(hasIban('MA')).toBe(false);
  expect(accountNumber(random, 'MA', '00978')).toMatch(/^\d{24}$/);
});

it('gives every registrant a prefix of its own', () => {
  const prefixes = new Set(Array.from({ length: 60_000 }, (_, registrant) => registrantPrefix('FR', registrant)));
  expect(prefixes.size).toBe(60_000);
  for (const prefix of [registrantPrefix('FR', 0), registrantPrefix('CH', 46_655), registrantPrefix('FR', 46_656)]) {
    expect(prefix).toMatch(/^[A-Z]{2}[A-Z0-9]{3}$/);
  }
});

it('gives French VAT numbers a key that fits the SIREN', () => {
  const random = new Random(7);
  for (let count = 0; count < 50; count += 1) {
    const [, key = '', siren = ''] = /^FR(\d{2})(\d{9})$/.exec(frenchVatNumber(random)) ?? [];
    expect(Number(key)).toBe((12 + 3 * (Number(siren) % 97)) % 97);
  }
});
