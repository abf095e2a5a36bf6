import { routes } from '@regie/contract/routes.ts';
import { apiQuery } from '#src/lib/api.ts';

export const trackQuery = (id: number) => apiQuery(['track', id], routes.getTrackPage, { params: { id } });

/** For those who read reports. */
export const trackIncomeQuery = (id: number) =>
  apiQuery(['analytics', 'track', id], routes.getAnalyticsHistory, { query: { by: 'track', value: String(id) } });
