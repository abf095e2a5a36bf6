import { hasIbans, isIbanValid } from '@regie/contract/bank-details.ts';
import { expect, it } from 'vitest';
import { demoHouse } from './house.ts';
import { accountNumber, ean13, frenchVatNumber, registrantPrefix, toIban } from './identifiers.ts';
import { Random } from './random.ts';
import { banks } from './words.ts';

it('computes the check digits of published examples', () => {
  expect(ean13('400638133393')).toBe('4006381333931');
  expect(toIban('GB', 'WEST12345698765432')).toBe('GB82WEST12345698765432');
  expect(toIban('FR', '20041010050500013M02606')).toBe('FR1420041010050500013M02606');
});

it('creates a valid IBAN for every country that uses IBANs', () => {
  const random = new Random(1);
  for (const [country, home] of Object.entries(banks)) {
    const numbers = home.banks.flatMap(({ code }) =>
      Array.from({ length: 50 }, () => accountNumber(random, country, code)),
    );
    const isRight = hasIbans(country) ? isIbanValid : (number: string) => /^\d{24}$/.test(number);
    expect(numbers.filter((number) => !isRight(number))).toEqual([]);
  }
  expect(isIbanValid(demoHouse.iban)).toBe(true);
});

it('assigns a distinct prefix to every registrant', () => {
  const prefixes = new Set(Array.from({ length: 60_000 }, (_, registrant) => registrantPrefix('FR', registrant)));
  expect(prefixes.size).toBe(60_000);
  for (const prefix of [registrantPrefix('FR', 0), registrantPrefix('CH', 46_655), registrantPrefix('FR', 46_656)]) {
    expect(prefix).toMatch(/^[A-Z]{2}[A-Z0-9]{3}$/);
  }
});

it('creates French VAT numbers whose key matches the SIREN', () => {
  const random = new Random(7);
  for (let count = 0; count < 50; count += 1) {
    const [, key = '', siren = ''] = /^FR(\d{2})(\d{9})$/.exec(frenchVatNumber(random)) ?? [];
    expect(Number(key)).toBe((12 + 3 * (Number(siren) % 97)) % 97);
  }
});
