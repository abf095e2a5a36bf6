/**
 * Converts a decimal text to a JSON number for display. Calculations use the text: numbers have at most 15 exact
 * digits.
 */
export function toWireNumber(decimal: string): number {
  return Number(decimal);
}

/** Cents of a decimal with at most two decimals; also hundredths of a percentage. */
export function toCents(decimal: string | number): bigint {
  const match = /^(\d+)(?:\.(\d{1,2})0*)?$/.exec(String(decimal));
  if (!match) throw new Error(`not an amount with two decimals: ${decimal}`);
  const [, whole = '', fraction = ''] = match;
  return BigInt(whole + fraction.padEnd(2, '0'));
}

/** `1234` as `12.34`. */
export function toDecimal(cents: bigint): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** `dividend / divisor` rounded half to even (product §33.2); both at least zero. */
function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  return twice > divisor || (twice === divisor && quotient % 2n === 1n) ? quotient + 1n : quotient;
}

const whole = 10_000n;

/** `percentHundredths` of an amount: 2050 is 20.50%. */
export const takePercent = (cents: bigint, percentHundredths: bigint): bigint =>
  divideHalfEven(cents * percentHundredths, whole);

/** The VAT included in an amount. */
export const vatWithin = (cents: bigint, vatHundredths: bigint): bigint =>
  divideHalfEven(cents * vatHundredths, whole + vatHundredths);

const euros = new Intl.NumberFormat('fr-FR', { style: 'currency', currency: 'EUR' });
/** `1 234,50 €`, for letters. */
export const toFrenchEuros = (decimal: string): string => euros.format(Number(decimal));

const dollars = new Intl.NumberFormat('fr-FR', { style: 'currency', currency: 'USD' });
/** `1 234,50 $US`. */
export const toFrenchDollars = (decimal: string): string => dollars.format(Number(decimal));
