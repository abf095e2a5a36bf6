import { messages } from '@regie/contract/messages.ts';
import { addMonths, findMonth, type Month, monthOfInstant, monthToMs, toleranceMs } from '@regie/values/month.ts';
import { invalid } from './errors.ts';

/** As stored (product §32.1). @throws AppError validation_failed without a month */
export function toDate(month: Month | undefined): string {
  if (month === undefined) throw invalid({ fromDate: messages.invalidMonth });
  return `${month}-01`;
}

const latestMs = 8e15;

/** An exact month start means that month; any other instant means the month it is in. */
function lastMonth(first: Month, toMs: number): Month {
  const named = findMonth(toMs);
  if (named !== undefined && (named === first || toMs === monthToMs(named))) return named;
  return monthOfInstant(toMs - toleranceMs);
}

/**
 * The first day after a period from the month stored as `from` to the instant `toMs`, by default that month's end
 * (product §32.3). @throws AppError validation_failed when the end lies before the start
 */
export function endDate(from: string, toMs: number | undefined): string {
  const first = from.slice(0, 7) as Month;
  if (toMs === undefined) return `${addMonths(first, 1)}-01`;
  if (!(Math.abs(toMs) < latestMs)) throw invalid({ toDate: messages.invalidPeriod });
  const last = lastMonth(first, toMs);
  if (last < first) throw invalid({ toDate: messages.invalidPeriod });
  if (last > addMonths(first, 24)) throw invalid({ toDate: messages.periodTooLong });
  return `${addMonths(last, 1)}-01`;
}
