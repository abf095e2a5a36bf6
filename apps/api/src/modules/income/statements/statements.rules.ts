import type { StatementStatus } from '@regie/contract/statements.ts';
import { addMonths, earliestMonth } from '@regie/values/month.ts';

export const earliest = `${earliestMonth}-01`;
/** Removes trailing zeros added by numeric division or a column's scale. */
export const exact = (amount: string) => (amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount);
export const isLive = (status: StatementStatus | null) => status === 'loaded' || status === 'checked';
export const isZero = (amount: string) => /^-?0*\.?0*$/.test(amount);
export const monthBefore = (day: string) => `${addMonths(day.slice(0, 7), -1)}-01`;
