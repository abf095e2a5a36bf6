import { addMonths, findMonth, type Month, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import type { Trx } from '#src/lib/db.ts';
import { AppError } from '#src/lib/errors.ts';
import { toWireNumber } from '#src/lib/money.ts';
import type { Caller } from '#src/lib/route.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import * as queries from './stats.queries.ts';

const readers = { platform: 'read_platforms_stats', youtube: 'read_youtube_stats' } as const;

/** @throws forbidden without the capability of the requested type */
function chooseType(caller: Caller, asked: queries.IncomeType | undefined): queries.IncomeType {
  const type = asked ?? (caller.can(readers.platform) ? 'platform' : 'youtube');
  if (!caller.can(readers[type])) throw new AppError('forbidden');
  return type;
}

const toDay = (ms: number | undefined) => {
  const month = ms === undefined ? undefined : findMonth(ms);
  return month === undefined ? undefined : `${month}-01`;
};

/** See product §33.26. */
export async function getAccountingStats(db: Trx, caller: Caller, asked: queries.IncomeType | undefined) {
  const { total, remaining, credited } = await queries.sumIncome(db, chooseType(caller, asked));
  return {
    totalIncome: toWireNumber(total),
    remainingIncome: toWireNumber(remaining),
    nombreOfCustomers: credited,
  };
}

type ListQuery = Omit<Parameters<typeof queries.listIncomeMonths>[2], 'from' | 'to'> & {
  type?: queries.IncomeType | undefined;
  from?: number | undefined;
  to?: number | undefined;
};

export async function listAccountingReports(db: Trx, caller: Caller, { type: asked, from, to, ...query }: ListQuery) {
  const type = chooseType(caller, asked);
  const { rows, meta } = await queries.listIncomeMonths(db, type, { ...query, from: toDay(from), to: toDay(to) });
  return {
    data: rows.map((row) => ({
      fromDate: monthToMs(row.month),
      totalIncome: toWireNumber(row.creditedEur),
      type,
    })),
    meta,
  };
}

const shownMonths = 24;

/** Null for a type that the caller may not read. */
export async function getAccountingMonths(
  db: Trx,
  caller: Caller,
  { from, to }: { from?: number | undefined; to?: number | undefined },
) {
  const present = monthOfInstant(Date.now());
  const last = to === undefined ? undefined : findMonth(to);
  const first: Month =
    (from === undefined ? undefined : findMonth(from)) ?? addMonths(last ?? present, 1 - shownMonths);
  const period = { from: `${first}-01`, to: last && `${last}-01` };
  const [income, flows] = await Promise.all([queries.listIncome(db, period), queries.listFlows(db, period)]);
  return {
    income: income.map((row) => ({
      fromDate: monthToMs(row.month),
      platform: caller.can(readers.platform) ? toWireNumber(row.platform) : null,
      youtube: caller.can(readers.youtube) ? toWireNumber(row.youtube) : null,
    })),
    payouts: flows.map((row) => ({
      ...toWireRow(row, 'paid', 'owed'),
      fromDate: monthToMs(row.month),
    })),
  };
}
