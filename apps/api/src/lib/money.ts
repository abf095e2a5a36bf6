/**
 * A decimal text of the database as a JSON number. The text is the truth; a number carries at most 15 digits
 * and is only ever shown, never added.
 */
export function toWireNumber(decimal: string): number {
  return Number(decimal);
}
