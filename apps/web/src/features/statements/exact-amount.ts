const formats = new Map<string, Intl.NumberFormat>();

/** An amount with all decimals of its text: `0,0000000001 $US`. */
export function formatExact(amount: string, currency: string): string {
  let format = formats.get(currency);
  if (!format) {
    format = new Intl.NumberFormat('fr-FR', {
      style: 'currency',
      currency,
      minimumFractionDigits: 2,
      maximumFractionDigits: 30,
    });
    formats.set(currency, format);
  }
  return format
    .format(amount as `${number}`)
    .replaceAll('\u202f', '\u00a0')
    .replace(/^-/, '\u2212');
}

/** Whether it is exactly zero: as a number, 0.00000000000000000001 could be lost. */
export const isZeroAmount = (amount: string): boolean => /^-?0*\.?0*$/.test(amount);
