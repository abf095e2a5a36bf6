/** Exact decimals for expected values: integers of 10^-decimals, never floats. */

/** `-1 234,5 €`, `0.25`, `1,5 %` as an integer of 10^-decimals. @throws when it has more decimals */
export function toUnits(text: string, decimals: number): bigint {
  const compact = text.replace(/[\s\u00a0\u202f€$US%]/g, '').replace('\u2212', '-');
  const parts = /^(-?)(\d+)(?:[.,](\d+))?$/.exec(compact);
  const fraction = (parts?.[3] ?? '').replace(/0+$/, '');
  if (!parts || fraction.length > decimals) throw new Error(`« ${text} » is no amount of ${decimals} decimals`);
  const units = BigInt(`${parts[2]}${fraction.padEnd(decimals, '0')}`);
  return parts[1] === '-' ? -units : units;
}

/** A JSON number of the API, which has all decimals of the database. */
export function numberToUnits(value: number, decimals: number): bigint {
  return toUnits(value.toFixed(decimals), decimals);
}

/** `-0.0012` for -12 of 10^-4, with `mark` as the decimal mark. */
export function fromUnits(units: bigint, decimals: number, mark = '.'): string {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -decimals)}${mark}${digits.slice(-decimals)}`;
}

/** Rounds half away from zero, like the database. */
export function divideRounded(dividend: bigint, divisor: bigint): bigint {
  const isNegative = dividend < 0n;
  const doubled = (isNegative ? -dividend : dividend) * 2n;
  const rounded = (doubled + divisor) / (divisor * 2n);
  return isNegative ? -rounded : rounded;
}

/** Millionths as hundredths, rounded half-even: the display with two decimals (product §33.2). */
export function toCents(micros: bigint): bigint {
  const step = 10_000n;
  const floor = micros >= 0n || micros % step === 0n ? micros / step : micros / step - 1n;
  const rest = micros - floor * step;
  const isUp = rest * 2n > step || (rest * 2n === step && floor % 2n !== 0n);
  return isUp ? floor + 1n : floor;
}
