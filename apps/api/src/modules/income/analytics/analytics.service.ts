import {
  type AnalyticsDimension,
  type AnalyticsSpan,
  monthsOfSpan,
  startOfSpan,
  startOfSpanAt,
} from '@regie/contract/analytics.ts';
import type {
  AnalyticsChanges,
  AnalyticsHistory,
  AnalyticsRow,
  AnalyticsSummary,
  AnalyticsSums,
} from '@regie/contract/routes/analytics.ts';
import { mapKeys } from '@regie/contract/zod.ts';
import { findCountries } from '@regie/values/countries.ts';
import { addMonths, monthToMs } from '@regie/values/month.ts';
import type { Trx } from '#src/lib/db.ts';
import { toWireNumber } from '#src/lib/money.ts';
import type { Answer } from '#src/lib/route.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import { findDoubled } from '#src/modules/income/statements/statements.service.ts';
import * as queries from './analytics.queries.ts';

const toDay = (month: string) => `${month}-01`;
const sumNames = ['streams', 'downloads', 'videos', 'streamsEur', 'downloadsEur', 'videosEur', 'amountEur'] as const;
const toSums = (row?: queries.SpanSums): AnalyticsSums => mapKeys(sumNames, (name) => toWireNumber(row?.[name] ?? '0'));
const toMs = (day: string | null) => (day === null ? null : monthToMs(day));
export const toMissingRates = (rows: readonly { month: string; currency: string; amount: string }[]) =>
  rows.map((row) => ({ ...toWireRow(row, 'amount'), month: monthToMs(row.month) }));

/** The requested month, or the last one with income; undefined when there is none. */
async function findStart(db: Trx, span: AnalyticsSpan, from: number | undefined) {
  const bounds = await queries.findBounds(db);
  const start =
    from !== undefined ? startOfSpanAt(span, from) : bounds.last === null ? undefined : startOfSpan(span, bounds.last);
  return { bounds, start };
}

export async function getAnalytics(
  db: Trx,
  { span, from }: { span: AnalyticsSpan; from?: number | undefined },
): Promise<AnalyticsSummary> {
  const { bounds, start } = await findStart(db, span, from);
  const period = { pendingMonths: bounds.pending, firstMonth: toMs(bounds.first), lastMonth: toMs(bounds.last) };
  if (start === undefined) {
    const none = { missingRates: [], doubledEur: 0, doubledStatements: [], previousDoubledEur: 0 };
    return { ...toSums(), ...period, ...none, fromDate: null, previousEur: null, unmatchedEur: 0 };
  }
  const length = monthsOfSpan[span];
  const [total, missing, doubled, previousDoubled] = await Promise.all([
    queries.findTotal(db, { span, start: toDay(start), before: toDay(addMonths(start, -length)) }),
    queries.listMissingRates(db, toDay(start), toDay(addMonths(start, length))),
    findDoubled(db, { from: toDay(start), to: toDay(addMonths(start, length)) }),
    findDoubled(db, { from: toDay(addMonths(start, -length)), to: toDay(start) }),
  ]);
  return {
    ...toSums(total),
    ...period,
    fromDate: monthToMs(start),
    previousEur: toWireNumber(total?.previousEur ?? null),
    unmatchedEur: toWireNumber(total?.unmatchedEur ?? '0'),
    missingRates: toMissingRates(missing),
    doubledEur: toWireNumber(doubled.amount),
    doubledStatements: doubled.statements,
    previousDoubledEur: toWireNumber(previousDoubled.amount),
  };
}

type ListQuery = Omit<Parameters<typeof queries.listAnalytics>[1], 'start' | 'countries'> & {
  from?: number | undefined;
};

export async function listAnalytics(db: Trx, { from, ...query }: ListQuery): Promise<Answer<AnalyticsRow[]>> {
  const { start } = await findStart(db, query.span, from);
  if (start === undefined) return { data: [], meta: { nextCursor: null, total: 0, totalIsExact: true } };
  const { rows, meta } = await queries.listAnalytics(db, {
    ...query,
    start: toDay(start),
    countries: query.q ? findCountries(query.q) : [],
  });
  return {
    data: rows.map((row) => ({
      ...row,
      ...toSums(row),
      fromDate: monthToMs(row.starts),
      previousEur: toWireNumber(row.previousEur),
      previousFrom: toMs(row.previousStarts),
    })),
    meta,
  };
}

export async function listAnalyticsChanges(
  db: Trx,
  { by, month }: { by: 'account' | 'store'; month?: number | undefined },
): Promise<AnalyticsChanges> {
  const { start } = await findStart(db, 'month', month);
  if (start === undefined) return { fromDate: null, rows: [] };
  const rows = await queries.listChanges(db, { by, starts: toDay(start), before: toDay(addMonths(start, -1)) });
  return {
    fromDate: monthToMs(start),
    rows: rows.map((row) => toWireRow(row, 'amountEur', 'previousEur')),
  };
}

const shownMonths = 24;

export async function getAnalyticsHistory(
  db: Trx,
  { by, value, to }: { by: AnalyticsDimension; value: string; to?: number | undefined },
): Promise<AnalyticsHistory> {
  const { start } = await findStart(db, 'month', to);
  if (start === undefined) return { of: null, months: [] };
  const from = toDay(addMonths(start, 1 - shownMonths));
  const [of, months] = await Promise.all([
    queries.findNamed(db, by, value),
    queries.listHistory(db, { by, value, from, to: toDay(start) }),
  ]);
  return { of: of ?? null, months: months.map((row) => ({ ...toSums(row), fromDate: monthToMs(row.starts) })) };
}

const monthsOfYear = 12;

/** The first day of the last twelve months with income; undefined without any. */
export async function findYearStart(db: Trx): Promise<string | undefined> {
  const { start } = await findStart(db, 'month', undefined);
  return start && toDay(addMonths(start, 1 - monthsOfYear));
}

export async function listReleaseIncome(db: Trx, releaseId: number) {
  const from = await findYearStart(db);
  const rows = from === undefined ? [] : await queries.sumTracks(db, releaseId, from);
  return rows.map((row) => toWireRow(row, 'amountEur'));
}
