import type { states } from '@regie/contract/states.ts';

export type StoredRole = keyof typeof states.role.toWire;
export type StoredState = keyof typeof states.account.toWire;

const ledgerDecimals = 6;
const microsPerCent = 10_000n;

/** A ledger amount (decimal text, at most six decimals) in millionths of a euro. */
export function toMicros(decimal: string): bigint {
  const match = /^(-?)(\d+)(?:\.(\d{1,6})0*)?$/.exec(decimal);
  if (!match) throw new Error(`not a ledger amount: ${decimal}`);
  const [, sign, whole = '', fraction = ''] = match;
  return BigInt(`${sign}${whole}${fraction.padEnd(ledgerDecimals, '0')}`);
}

/** A wire number, to six decimals. */
const numberToMicros = (value: number): bigint => toMicros(value.toFixed(ledgerDecimals));

/** `-1234567` as `-1.234567`, for the ledger. */
export function fromMicros(micros: bigint): string {
  const digits = String(micros < 0n ? -micros : micros).padStart(ledgerDecimals + 1, '0');
  return `${micros < 0n ? '-' : ''}${digits.slice(0, -ledgerDecimals)}.${digits.slice(-ledgerDecimals)}`;
}

/** Rounds to cents, half to even (product §33.2). */
export function roundToCents(micros: bigint): bigint {
  const size = micros < 0n ? -micros : micros;
  const cents = size / microsPerCent;
  const twice = (size % microsPerCent) * 2n;
  const rounded = twice > microsPerCent || (twice === microsPerCent && cents % 2n === 1n) ? cents + 1n : cents;
  return micros < 0n ? -rounded : rounded;
}

export type IncomeChange =
  | { kind: 'none' }
  | { kind: 'moved' }
  | { kind: 'negative' }
  | { kind: 'adjust'; amountEur: string };

/** The displayed balance in cents: rounded down when positive, since only whole cents can be paid. */
const shownCents = (micros: bigint): bigint => (micros > 0n ? micros / 10_000n : roundToCents(micros));

/**
 * What saving `income` does to a balance (product §33.13): nothing when it equals the balance, in full or rounded to 2
 * decimals; otherwise an adjustment to exactly `income`. Refused when the balance changed since the form was opened.
 */
export function judgeIncome(
  balance: string,
  form: { income?: number | undefined; incomeSeen?: number | undefined },
): IncomeChange {
  const present = toMicros(balance);
  if (form.incomeSeen !== undefined && roundToCents(numberToMicros(form.incomeSeen)) !== roundToCents(present)) {
    return { kind: 'moved' };
  }
  if (form.income === undefined || form.income === form.incomeSeen) return { kind: 'none' };
  const wanted = numberToMicros(form.income);
  if (wanted === present || wanted === shownCents(present) * 10_000n) return { kind: 'none' };
  if (wanted < 0n) return { kind: 'negative' };
  return { kind: 'adjust', amountEur: fromMicros(wanted - present) };
}

const blockedForMs = 72 * 3_600_000;

interface ChangedDetails {
  /** Time of the last change; null after the first entry. */
  changedAt: Date | null;
  /** Who confirmed that change. */
  confirmedBy: number | null;
}

/** When payouts to these details are possible again (product §35.6); undefined when they are not blocked. */
export function blockedUntil(row: ChangedDetails, now: Date): Date | undefined {
  if (row.changedAt === null || row.confirmedBy !== null) return undefined;
  const end = new Date(row.changedAt.getTime() + blockedForMs);
  return end > now ? end : undefined;
}

/** "Coordonnées modifiées récemment": payouts wait 72 h or for the confirmation of another admin. */
export const isRecentlyChanged = (row: ChangedDetails, now: Date): boolean => blockedUntil(row, now) !== undefined;
