/** Cents of a decimal with at most two decimals; also hundredths of a percentage. */
export function toCents(decimal: string | number): bigint {
  const match = /^(\d+)(?:\.(\d{1,2})0*)?$/.exec(String(decimal));
  if (!match) throw new Error(`not an amount with two decimals: ${decimal}`);
  const [, whole = '', fraction = ''] = match;
  return BigInt(whole + fraction.padEnd(2, '0'));
}

/** `1234` as `12.34`. @param cents at least zero */
export function toDecimal(cents: bigint | number): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

const ledgerDecimals = 6;
export const microsPerCent = 10_000n;

/** A decimal text in units of its last decimal. */
export function toUnits(decimal: string, decimals: number): bigint {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+?)0*)?$/.exec(decimal) ?? [];
  if (sign === undefined || fraction.length > decimals) throw new Error(`not an amount: ${decimal}`);
  return BigInt(`${sign}${whole}${fraction.padEnd(decimals, '0')}`);
}

/** A ledger amount (decimal text, at most six decimals) in millionths of a euro. */
export const toMicros = (decimal: string): bigint => toUnits(decimal, ledgerDecimals);

/** `-1234567` as `-1.234567`, for the ledger. */
export function fromMicros(micros: bigint): string {
  const digits = String(micros < 0n ? -micros : micros).padStart(ledgerDecimals + 1, '0');
  return `${micros < 0n ? '-' : ''}${digits.slice(0, -ledgerDecimals)}.${digits.slice(-ledgerDecimals)}`;
}

/** `dividend / divisor` rounded half to even (product §33.2); both at least zero. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  return twice > divisor || (twice === divisor && quotient % 2n === 1n) ? quotient + 1n : quotient;
}

/** The VAT included in an amount; 2050 is 20.50%. */
export const vatWithin = (cents: bigint, vatHundredths: bigint): bigint =>
  divideHalfEven(cents * vatHundredths, 10_000n + vatHundredths);

/** Millionths of a euro in cents, half to even. */
export const roundToCents = (micros: bigint, unitsPerCent = microsPerCent): bigint =>
  micros < 0n ? -divideHalfEven(-micros, unitsPerCent) : divideHalfEven(micros, unitsPerCent);

/**
 * Parts in cents that add up to `total` cents: each is rounded half to even, and what is missing goes cent by cent to
 * the largest remainders, the first of equal ones.
 */
export function roundParts(parts: readonly bigint[], total: bigint, unitsPerCent: bigint): bigint[] {
  const shown = parts.map((part) => roundToCents(part, unitsPerCent));
  let missing = shown.reduce((rest, cents) => rest - cents, total);
  const step = missing < 0n ? -1n : 1n;
  const left = parts.map((part, at) => step * (part - (shown[at] ?? 0n) * unitsPerCent));
  while (missing !== 0n && parts.length > 0) {
    const at = left.reduce((best, rest, index) => (rest > (left[best] ?? 0n) ? index : best), 0);
    shown[at] = (shown[at] ?? 0n) + step;
    left[at] = (left[at] ?? 0n) - unitsPerCent;
    missing -= step;
  }
  return shown;
}

/** A balance in whole cents, rounded down: what can be paid of it; 0n when it is negative. */
export function wholeCents(balance: string): bigint {
  const micros = toMicros(balance);
  return micros < 0n ? 0n : micros / microsPerCent;
}
