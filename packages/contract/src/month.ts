import { earliestMonthMs, findMonth, toleranceMs } from '@regie/values/month.ts';
import { messages } from './messages.ts';
import { z } from './zod.ts';

/** A report month on the wire, in milliseconds; any instant that is not a month is refused (product §32.2). */
export const MonthMs = z.number({ error: messages.invalidMonth }).refine((ms) => findMonth(ms) !== undefined, {
  error: ({ input }) => (Number(input) < earliestMonthMs - toleranceMs ? messages.monthTooEarly : messages.notAMonth),
});

/** The same in a query string. */
export const MonthMsQuery = z.coerce.number({ error: messages.invalidData }).pipe(MonthMs);
