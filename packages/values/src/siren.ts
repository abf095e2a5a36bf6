/** A French company number: nine digits whose Luhn sum is a multiple of ten. */
export function isSirenValid(digits: string): boolean {
  if (!/^\d{9}$/.test(digits)) return false;
  const sum = [...digits].reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** The company number that ends a French VAT number (`FR77 918273640`); undefined for other texts. */
export function sirenOfVat(vatNumber: string): string | undefined {
  const siren = /^FR[A-Z0-9]{2}(\d{9})$/.exec(vatNumber.replaceAll(/[\s.-]/g, '').toUpperCase())?.[1];
  return siren !== undefined && isSirenValid(siren) ? siren : undefined;
}
