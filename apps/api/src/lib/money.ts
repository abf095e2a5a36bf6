import Big from 'big.js';

// Half-even, as what is printed or paid out is rounded (decisions §3).
const roundHalfEven = 2;

/**
 * A decimal text of the database as a JSON number. The text is the truth; a number carries at most 15 digits
 * and is only ever shown, never added.
 */
export function toWireNumber(decimal: string): number {
  return Number(decimal);
}

/** Rounds half-even to two decimals: what is paid out or printed. */
export function roundToCents(decimal: string): string {
  return new Big(decimal).round(2, roundHalfEven).toFixed(2);
}
