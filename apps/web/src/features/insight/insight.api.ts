import type { InsightDimension, InsightSpan } from '@regie/contract/insight.ts';
import { routes } from '@regie/contract/routes.ts';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, apiList } from '#src/lib/api.ts';

/** While months are being recomputed, the figures are reloaded. */
const pendingMs = 3_000;

export interface Period {
  span: InsightSpan;
  /** Milliseconds; by default the last period with income. */
  from: number | undefined;
}

const toQuery = ({ span, from }: Period) => ({ span, ...(from === undefined ? {} : { from }) });

export const summaryQuery = (period: Period) =>
  queryOptions({
    queryKey: ['insight', 'summary', period],
    queryFn: async ({ signal }) => (await api(routes.getInsight, { query: toQuery(period), signal })).data,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data && state.data.pendingMonths > 0 ? pendingMs : false),
  });

export const historyQuery = (of: { by: InsightDimension; value: string } | undefined, to: number | undefined) =>
  queryOptions({
    queryKey: ['insight', 'history', of ?? null, to ?? null],
    queryFn: async ({ signal }) =>
      (await api(routes.getInsightHistory, { query: { ...of, ...(to === undefined ? {} : { to }) }, signal })).data,
    placeholderData: keepPreviousData,
  });

const ranked = 10;

export const rankQuery = (by: InsightDimension, period: Period) =>
  queryOptions({
    queryKey: ['insight', 'rank', by, period],
    queryFn: async ({ signal }) =>
      (await apiList(routes.listInsight, { by, ...toQuery(period), limit: ranked }, signal)).data,
    placeholderData: keepPreviousData,
  });
