import fc from 'fast-check';
import type { Database } from '#src/lib/db.ts';

/** What the random tests against a model share. */

/** Quotient rounded half away from zero; the denominator is positive. */
export function divide(numerator: bigint, denominator: bigint): bigint {
  const sign = numerator < 0n ? -1n : 1n;
  const magnitude = numerator < 0n ? -numerator : numerator;
  return sign * ((magnitude * 2n + denominator) / (denominator * 2n));
}

/** An integer of 10^-`decimals` as decimal text. */
export function toText(value: bigint, decimals: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** For `pick`. */
export const index = fc.nat({ max: 1000 });

export const pick = <T>(from: readonly T[], at: number): T | undefined => from[at % Math.max(1, from.length)];

/** The id of an import in force; undefined when there is none. */
export async function pickImport(db: Database, at: number): Promise<number | undefined> {
  const imports = await db.selectFrom('imports').select('id').where('reversedAt', 'is', null).orderBy('id').execute();
  return pick(imports, at)?.id;
}
