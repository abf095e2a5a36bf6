/** A report month as `YYYY-MM`; on the wire, the millisecond of its first instant in Paris (product §32.1). */
export type Month = `${number}-${string}`;

/** product §29.1: the earliest report month, January 2020. */
export const earliestMonth = '2020-01';
export const earliestMonthMs = 1_577_833_200_000;
const hourMs = 3_600_000;
/** A client's midnight may be that far from the one in Paris. */
export const toleranceMs = 14 * hourMs;

/** The first instant of a month in Paris: clocks change on the last Sundays of March and October only. */
export function monthToMs(month: string): number {
  const year = Number(month.slice(0, 4));
  const index = Number(month.slice(5, 7));
  return Date.UTC(year, index - 1, 1) - (index >= 4 && index <= 10 ? 2 : 1) * hourMs;
}

/** The last instant (millisecond) of a month in Paris. */
export function monthEndMs(month: string): number {
  return monthToMs(addMonths(month, 1)) - 1;
}

export function addMonths(month: string, count: number): Month {
  const total = Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1 + count;
  return `${Math.floor(total / 12)}-${String((total % 12) + 1).padStart(2, '0')}` as Month;
}

/** The month whose first instant in Paris is within 14 h of `ms`; undefined when there is none. */
export function findMonth(ms: number): Month | undefined {
  if (!Number.isSafeInteger(ms) || ms < earliestMonthMs - toleranceMs) return undefined;
  const near = new Date(ms + 2 * 24 * hourMs);
  const year = near.getUTCFullYear();
  if (year > 2100) return undefined;
  const month = `${year}-${String(near.getUTCMonth() + 1).padStart(2, '0')}` as Month;
  return Math.abs(monthToMs(month) - ms) <= toleranceMs ? month : undefined;
}

/** The month in Paris that contains an instant. */
export function monthOfInstant(ms: number): Month {
  const utc = new Date(ms);
  const month = `${utc.getUTCFullYear()}-${String(utc.getUTCMonth() + 1).padStart(2, '0')}` as Month;
  const next = addMonths(month, 1);
  return ms >= monthToMs(next) ? next : month;
}
