import { addMonths, type Month } from '@regie/values/month.ts';
import type { Random } from './random.ts';

/** The demo's two years of reports, independent of the current date. */
const firstReportMonth: Month = '2024-11';
export const reportMonthCount = 24;

const dayMs = 86_400_000;
const hourMs = 3_600_000;

export const reportMonths: readonly Month[] = Array.from({ length: reportMonthCount }, (_, index) =>
  addMonths(firstReportMonth, index),
);

/** Days since 1970 of a yyyy-mm-dd date. */
export function dayOf(text: string): number {
  return Math.floor(Date.parse(`${text}T00:00:00Z`) / dayMs);
}

/** yyyy-mm-dd */
export function dayText(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

export function yearOfDay(day: number): number {
  return Number(dayText(day).slice(0, 4));
}

/** Months between the first report month and a day's month; negative before it. */
export function monthIndexOfDay(day: number): number {
  const [year, month] = dayText(day).split('-').map(Number);
  return (year ?? 0) * 12 + (month ?? 0) - (2024 * 12 + 11);
}

/** A random time within working hours of that day. */
export function instantOn(day: number, random: Random): string {
  return new Date(day * dayMs + 7 * hourMs + random.int(0, 11 * 3600) * 1000).toISOString();
}

/** The first day after a month, when its files arrive. */
export function dayAfterMonth(month: Month): number {
  return dayOf(`${addMonths(month, 1)}-01`);
}
