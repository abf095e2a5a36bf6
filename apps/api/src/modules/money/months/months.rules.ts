import { addMonths, type Month, monthOfInstant } from '@regie/values/month.ts';

/** A statement's last month, and its first arrival. */
export interface Sending {
  month: Month;
  arrivedAt: Date;
}

const dayMs = 86_400_000;
/** What a rhythm and a usual delay are learned from. */
const rememberedGaps = 6;
const neededGaps = 2;
const rememberedArrivals = 6;
const neededArrivals = 3;
/** Later arrivals are history that was loaded afterwards. */
const maxDelayDays = 120;
/** A source that missed more is no longer expected. */
const missedSendings = 3;

const indexOf = (month: Month) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1;
const parisDay = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Paris', dateStyle: 'short' });
/** Midnight UTC of the day in Paris. */
const dayOf = (ms: number) => Date.parse(`${parisDay.format(ms)}T00:00:00Z`);
const firstDay = (month: Month) => Date.parse(`${month}-01T00:00:00Z`);

/** Months from one sending to the next: the majority of the last gaps, else one. */
export function rhythmOf(sendings: readonly Sending[]): number {
  const gaps = sendings
    .slice(1)
    .map(({ month }, index) => indexOf(month) - indexOf(sendings[index]?.month ?? month))
    .slice(-rememberedGaps);
  if (gaps.length < neededGaps) return 1;
  return gaps.find((gap) => gaps.filter((other) => other === gap).length * 2 > gaps.length) ?? 1;
}

/** The median delay of the last arrivals in days from the month's end; undefined for fewer than three. */
function usualDelay(sendings: readonly Sending[]): number | undefined {
  // Of several months that arrived together, only the last was on time.
  const byDay = new Map(sendings.map(({ month, arrivedAt }) => [dayOf(arrivedAt.getTime()), month]));
  const delays = [...byDay]
    .map(([day, month]) => (day - firstDay(addMonths(month, 1))) / dayMs)
    .filter((delay) => delay >= 0 && delay <= maxDelayDays)
    .slice(-rememberedArrivals)
    .sort((a, b) => a - b);
  return delays.length < neededArrivals ? undefined : delays[Math.floor(delays.length / 2)];
}

/**
 * Whether and since when a month's statement is missing, by the source's rhythm and delay, or else by the end of the
 * following month. Not before the month has ended, nor once three were missed.
 * @param sendings by month, each month once
 */
export function findExpected(
  sendings: readonly Sending[],
  month: Month,
  nowMs: number,
): { dueAt: number; lateDays: number } | undefined {
  const last = sendings.findLast((sending) => sending.month < month);
  if (!last || month >= monthOfInstant(nowMs)) return undefined;
  const missed = (indexOf(month) - indexOf(last.month)) / rhythmOf(sendings);
  if (!Number.isInteger(missed) || missed > missedSendings) return undefined;
  const delay = usualDelay(sendings);
  const dueAt =
    delay === undefined ? firstDay(addMonths(month, 2)) - dayMs : firstDay(addMonths(month, 1)) + delay * dayMs;
  return { dueAt, lateDays: Math.max(0, (dayOf(nowMs) - dueAt) / dayMs) };
}

type Credit = Record<'credit' | 'later' | 'income' | 'balance' | 'paid' | 'pending', bigint>;

/**
 * What became of a month's credit to an account, in the same unit: payouts use an account's credits oldest first, then
 * debts (negative adjustments and months), then payouts that are requested. Adjustments in its favour are the oldest.
 */
export function splitCredit({ credit, later, income, balance, paid, pending }: Credit) {
  if (credit <= 0n) return { paid: 0n, adjusted: credit, pending: 0n, rest: 0n };
  const earlier = income - credit - later;
  const adjustments = balance + paid + pending - income;
  const others = [earlier, later, adjustments];
  const debts = others.reduce((sum, amount) => (amount < 0n ? sum - amount : sum), 0n);
  const before = (earlier > 0n ? earlier : 0n) + (adjustments > 0n ? adjustments : 0n);
  const used = (total: bigint) => (total <= before ? 0n : total - before < credit ? total - before : credit);
  const [ofPaid, ofDebts, ofPending] = [used(paid), used(paid + debts), used(paid + debts + pending)];
  return { paid: ofPaid, adjusted: ofDebts - ofPaid, pending: ofPending - ofDebts, rest: credit - ofPending };
}
