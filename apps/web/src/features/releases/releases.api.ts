import { routes } from '@regie/contract/routes.ts';
import { queryOptions } from '@tanstack/react-query';
import { api } from '#src/lib/api.ts';

/** A release with its tracks and their members (product §17.3). */
export const resourcesQuery = (id: number) =>
  queryOptions({
    queryKey: ['release', id, 'resources'],
    queryFn: async ({ signal }) => (await api(routes.getResources, { params: { id }, signal })).data,
  });

export const releaseQuery = (id: number) =>
  queryOptions({
    queryKey: ['release', id],
    queryFn: async ({ signal }) => (await api(routes.getRelease, { params: { id }, signal })).data,
  });

/** What a release's reports say it earned in the last twelve months. */
export const incomeQuery = (id: number) =>
  queryOptions({
    queryKey: ['release', id, 'income'],
    queryFn: async ({ signal }) => (await api(routes.getReleaseIncome, { params: { id }, signal })).data,
  });

/** The prices, and the release's existing order. */
export const quoteQuery = (id: number) =>
  queryOptions({
    queryKey: ['release', id, 'quote'],
    queryFn: async ({ signal }) => (await api(routes.quoteDelivery, { params: { id }, query: {}, signal })).data,
  });

/** A track's waveform; `version` identifies the audio file. */
export const waveformQuery = (trackId: number, version: string) =>
  queryOptions({
    queryKey: ['waveform', trackId, version],
    queryFn: async ({ signal }) => (await api(routes.getWaveform, { params: { id: trackId }, signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
  });
