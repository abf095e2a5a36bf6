import { routes } from '@regie/contract/routes.ts';
import { formatInteger } from '@regie/values/formats.ts';
import { apiQuery } from '#src/lib/api.ts';

/** The count is a lower bound from here on (product §31.5). */
export const countedUpTo = 10_000;

export const releaseCountsQuery = apiQuery(['release-counts'], routes.countReleases);

/** On a tab; empty until it is known, so that the tabs do not move. */
export const formatTabCount = (count: number | null | undefined): string =>
  count === null || count === undefined ? '' : `${formatInteger(count)}${count < countedUpTo ? '' : '+'}`;
