/** Non-negative cents as decimal text for the ledger. */
export function toEuros(cents: number): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
