import { expect, it } from 'vitest';
import { fromMicros, roundToCents } from './decimal.ts';
import { formatMoney, shownAmount } from './money.ts';

/** Amounts of the ledger around whole cents and halves of them, and spread over nine digits. */
const amounts = Array.from({ length: 2000 }, (_, index) => {
  const micros = BigInt(index - 1000) * 5000n + BigInt(index % 3) - 1n;
  return index % 2 === 0 ? micros : micros * 99_991n;
});

it('shows an amount of the ledger rounded half-even to the cent, as the server rounds it', () => {
  for (const micros of amounts) {
    const cents = roundToCents(micros);
    const amount = Number(fromMicros(micros));
    expect(Math.round(shownAmount(amount) * 100), fromMicros(micros)).toBe(Number(cents));
    expect(formatMoney(amount, 'EUR').replaceAll(/[\s€,]/g, ''), fromMicros(micros)).toBe(
      String(cents)
        .replace('-', '\u2212')
        .replace(/\d+/, (digits) => digits.padStart(3, '0')),
    );
  }
});
