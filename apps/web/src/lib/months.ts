import { earliestMonthMs, findMonth, type Month, monthToMs } from '@regie/values/month.ts';

/** Statements hold sales from before the earliest report month. */
export const earliestSaleMs = monthToMs('2000-01');
const latestYear = 2100;

/** `01/2026`, `1/26`, `012026`, `2026-01`; undefined when invalid or before the first one, by default January 2020. */
export function parseMonth(text: string, firstMs = earliestMonthMs): number | undefined {
  const trimmed = text.trim();
  const iso = /^(\d{4})[-/. ](\d{1,2})$/.exec(trimmed);
  const french = /^(\d{1,2})\s*[-/. ]\s*(\d{2}|\d{4})$/.exec(trimmed) ?? /^(\d{2})(\d{4})$/.exec(trimmed);
  const [year, month] = iso ? [iso[1], iso[2]] : [french?.[2], french?.[1]];
  if (!year || !month || Number(month) < 1 || Number(month) > 12) return undefined;
  const fullYear = Number(year.length === 2 ? `20${year}` : year);
  const ms = monthToMs(`${fullYear}-${month.padStart(2, '0')}`);
  return ms >= firstMs && fullYear <= latestYear ? ms : undefined;
}

/** A month's first instant in Paris as the URL has it: `2026-01` (product §39.18). */
export const monthToParam = (ms: number | undefined): Month | undefined =>
  ms === undefined ? undefined : findMonth(ms);

export const monthFromParam = (text: string | undefined, firstMs = earliestMonthMs): number | undefined =>
  text !== undefined && /^\d{4}-\d{2}$/.test(text) ? parseMonth(text, firstMs) : undefined;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const parisHour = new Intl.DateTimeFormat('fr-FR', { timeZone: 'Europe/Paris', hour: '2-digit', hourCycle: 'h23' });

/** The first and last instants in Paris of `2026-01-31`; undefined when it is not a day. */
export function dayToMs(day: string): { startMs: number; endMs: number } | undefined {
  const utc = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(utc) || new Date(utc).toISOString().slice(0, 10) !== day) return undefined;
  return { startMs: parisMidnight(utc), endMs: parisMidnight(utc + dayMs) - 1 };
}

const parisDay = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Paris', dateStyle: 'short' });
export const dayBefore = (days: number, nowMs = Date.now()): string =>
  new Date(Date.parse(`${parisDay.format(nowMs)}T00:00:00Z`) - days * dayMs).toISOString().slice(0, 10);

/** Paris is one or two hours ahead of UTC: its midnight is the candidate whose hour is 00. */
function parisMidnight(utcMidnight: number): number {
  const summer = utcMidnight - 2 * hourMs;
  return parisHour.format(summer).startsWith('00') ? summer : summer + hourMs;
}
