import type { Capability } from '@regie/contract/capabilities.ts';
import { type ReleaseListName, releaseLists } from '@regie/contract/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import { queryOptions } from '@tanstack/react-query';
import { api, apiList, apiQuery } from '#src/lib/api.ts';

/** Each list is a separate call with its own capability (product §17.3). */
export const listRoutes = {
  unpaid: routes.listUnpaidReleases,
  paid: routes.listPaidReleases,
  delivered: routes.listDeliveredReleases,
  unpublished: routes.listUnpublishedReleases,
} as const satisfies Record<ReleaseListName, unknown>;
export const listNames = Object.keys(listRoutes) as ReleaseListName[];

/** A release with its tracks and their members (product §17.3). */
export const resourcesQuery = (id: number) =>
  apiQuery(['release', id, 'resources'], routes.getResources, { params: { id } });

export const releaseQuery = (id: number) => apiQuery(['release', id], routes.getRelease, { params: { id } });

/** The latest release of an account in the lists that the caller may read; null without one. */
export const lastReleaseQuery = (userId: number, can: (capability: Capability) => boolean) =>
  queryOptions({
    queryKey: ['release', 'last', userId],
    queryFn: async ({ signal }) => {
      const lists = listNames.filter((name) => can(releaseLists[name].read));
      const pages = await Promise.all(lists.map((name) => apiList(listRoutes[name], { userId, limit: 1 }, signal)));
      const [last] = pages.flatMap(({ data }) => data).toSorted((a, b) => b.createdAt - a.createdAt);
      return last ? (await api(routes.getRelease, { params: { id: last.id }, signal })).data : null;
    },
  });

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
