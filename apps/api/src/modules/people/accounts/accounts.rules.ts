import type { states } from '@regie/contract/states.ts';
import { fromMicros, roundToCents, toMicros, wholeCents } from '@regie/values/decimal.ts';

export type StoredRole = keyof typeof states.role.toWire;
export type StoredState = keyof typeof states.account.toWire;

const numberToMicros = (value: number): bigint => toMicros(value.toFixed(6));

export type IncomeChange =
  | { kind: 'none' }
  | { kind: 'moved' }
  | { kind: 'negative' }
  | { kind: 'adjust'; amountEur: string };

/** Rounded down when positive: only whole cents can be paid. */
const shownCents = (balance: string): bigint =>
  balance.startsWith('-') ? roundToCents(toMicros(balance)) : wholeCents(balance);

/** Whether an income of a client without `incomeSeen` is the balance at 2 decimals, however rounded. */
export function isSameIncome(balance: string, income: number): boolean {
  const [present, sent] = [toMicros(balance), numberToMicros(income)];
  const isRounded = sent % 10_000n === 0n && sent - present <= 5_000n && present - sent <= 5_000n;
  return sent === present || sent === shownCents(balance) * 10_000n || isRounded;
}

/**
 * See product §33.13: nothing when `income` is the balance, in full or as shown; otherwise an adjustment to exactly
 * `income`.
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
