import {
  type AnalyticsDimension,
  type AnalyticsSpan,
  type PivotDimension,
  writeValues,
} from '@regie/contract/analytics.ts';
import { routes } from '@regie/contract/routes.ts';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, apiList, apiQuery } from '#src/lib/api.ts';
import type { PivotQuestion } from './pivot-state.ts';

const pendingMs = 3_000;

export interface Period {
  span: AnalyticsSpan;
  /** Milliseconds; by default the last period with income. */
  from: number | undefined;
}

const toQuery = ({ span, from }: Period) => ({ span, ...(from === undefined ? {} : { from }) });

export const summaryQuery = (period: Period) =>
  queryOptions({
    ...apiQuery(['analytics', 'summary', period], routes.getAnalytics, { query: toQuery(period) }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data && state.data.pendingMonths > 0 ? pendingMs : false),
  });

export const historyQuery = (of: { by: AnalyticsDimension; value: string } | undefined, to: number | undefined) =>
  queryOptions({
    ...apiQuery(['analytics', 'history', of ?? null, to ?? null], routes.getAnalyticsHistory, {
      query: { ...of, ...(to === undefined ? {} : { to }) },
    }),
    placeholderData: keepPreviousData,
  });

const ranked = 10;

export const rankQuery = (by: AnalyticsDimension, period: Period) =>
  queryOptions({
    queryKey: ['analytics', 'rank', by, period],
    queryFn: async ({ signal }) =>
      (await apiList(routes.listAnalytics, { by, ...toQuery(period), limit: ranked }, signal)).data,
    placeholderData: keepPreviousData,
  });

const pivotStaleMs = 5 * 60_000;

/** The answer to a question, with the question: while the next one is computed, the last answer is shown. */
export const pivotQuery = (question: PivotQuestion) =>
  queryOptions({
    queryKey: ['analytics', 'pivot', question],
    queryFn: async ({ signal }) => ({ ...(await askPivot(question, signal)), question }),
    placeholderData: keepPreviousData,
    staleTime: pivotStaleMs,
    refetchOnWindowFocus: false,
  });

export const valuesQuery = (by: PivotDimension, { from, to }: Pick<PivotQuestion, 'from' | 'to'>) =>
  queryOptions({
    queryKey: ['analytics', 'values', by, from ?? null, to ?? null],
    queryFn: async ({ signal }) =>
      (
        await askPivot({ rows: by, columns: undefined, measure: 'euros', unit: 'EUR', from, to, filters: {} }, signal)
      ).rows.filter(({ others }) => others === null),
    staleTime: pivotStaleMs,
    refetchOnWindowFocus: false,
  });

async function askPivot({ rows, columns, measure, unit, from, to, filters }: PivotQuestion, signal: AbortSignal) {
  const query = {
    rows,
    measure,
    columns,
    unit: measure === 'amount' ? unit : undefined,
    from,
    to,
    ...Object.fromEntries(Object.entries(filters).map(([by, values]) => [by, writeValues(values)])),
  };
  return (await api(routes.getPivot, { query, signal })).data;
}
