const formats = new Map<string, Intl.NumberFormat>();

/** An amount to the last decimal that its text has: `0,0000000001 $US`. */
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

/** Whether it is nothing at all: a number would take 0.00000000000000000001 for it. */
export const isZeroAmount = (amount: string): boolean => /^-?0*\.?0*$/.test(amount);
