import { routes } from '@regie/contract/routes.ts';
import { queryOptions } from '@tanstack/react-query';
import { apiQuery } from '#src/lib/api.ts';

/** A release with its tracks and their members (product §17.3). */
export const resourcesQuery = (id: number) =>
  apiQuery(['release', id, 'resources'], routes.getResources, { params: { id } });

export const releaseQuery = (id: number) => apiQuery(['release', id], routes.getRelease, { params: { id } });

export const incomeQuery = (id: number) =>
  apiQuery(['analytics', 'release', id], routes.getAnalyticsHistory, { query: { by: 'release', value: String(id) } });

export const trackIncomesQuery = (id: number) =>
  apiQuery(['analytics', 'release', id, 'tracks'], routes.listReleaseIncome, { params: { id } });

export const quoteQuery = (id: number) =>
  apiQuery(['release', id, 'quote'], routes.quoteDelivery, { params: { id }, query: {} });

/** A track's waveform; `version` identifies the audio file. */
export const waveformQuery = (trackId: number, version: string) =>
  queryOptions({
    ...apiQuery(['waveform', trackId, version], routes.getWaveform, { params: { id: trackId } }),
    staleTime: Number.POSITIVE_INFINITY,
  });
