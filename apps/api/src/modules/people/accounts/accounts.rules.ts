import type { states } from '@regie/contract/states.ts';
import { fromMicros, roundToCents, toMicros, wholeCents } from '@regie/values/decimal.ts';

export type StoredRole = keyof typeof states.role.toWire;
export type StoredState = keyof typeof states.account.toWire;

/** A wire number, to six decimals. */
const numberToMicros = (value: number): bigint => toMicros(value.toFixed(6));

export type IncomeChange =
  | { kind: 'none' }
  | { kind: 'moved' }
  | { kind: 'negative' }
  | { kind: 'adjust'; amountEur: string };

/** The displayed balance in cents: rounded down when positive, since only whole cents can be paid. */
const shownCents = (balance: string): bigint =>
  balance.startsWith('-') ? roundToCents(toMicros(balance)) : wholeCents(balance);

/** Whether an income sent by a client that keeps no `incomeSeen` equals a balance at 2 decimals, however rounded. */
export function isSameIncome(balance: string, income: number): boolean {
  const [present, sent] = [toMicros(balance), numberToMicros(income)];
  const isRounded = sent % 10_000n === 0n && sent - present <= 5_000n && present - sent <= 5_000n;
  return sent === present || sent === shownCents(balance) * 10_000n || isRounded;
}

/**
 * What saving `income` does to a balance (product §33.13): nothing when it equals the balance, in full or as it is
 * shown; otherwise an adjustment to exactly `income`. Refused when the balance changed since the form was opened.
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
  if (form.incomeSeen === undefined && isSameIncome(balance, form.income)) return { kind: 'none' };
  const income = numberToMicros(form.income);
  if (income === present || income === shownCents(balance) * 10_000n) return { kind: 'none' };
  if (income < 0n) return { kind: 'negative' };
  return { kind: 'adjust', amountEur: fromMicros(income - present) };
}
