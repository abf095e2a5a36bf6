import type { UnmatchedItem } from '@regie/contract/routes/unmatched.ts';
import { routes } from '@regie/contract/routes.ts';
import { queryOptions } from '@tanstack/react-query';
import { api, type ListParams } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { frUnmatched } from './unmatched.fr.ts';
import { amountsText, countStatements } from './unmatched-labels.tsx';

export const summaryQuery = (query: ListParams) =>
  queryOptions({
    queryKey: ['unmatched', 'summary', query],
    queryFn: async ({ signal }) => (await api(routes.getUnmatchedSummary, { query, signal })).data,
    placeholderData: (previous) => previous,
  });

export const unmatchedItemQuery = (key: string) =>
  queryOptions({
    queryKey: ['unmatched', 'item', key],
    queryFn: async ({ signal }) => (await api(routes.getUnmatchedItem, { params: { key }, signal })).data,
  });

export const unmatchedLinesQuery = (key: string, statement: number) =>
  queryOptions({
    queryKey: ['unmatched', 'item', key, 'lines', statement],
    queryFn: async ({ signal }) => (await api(routes.listUnmatchedLines, { params: { key, statement }, signal })).data,
  });

/** Matches an item to its track and shows the result; the data on screen reloads. @throws ApiError */
export async function assign(
  item: Pick<UnmatchedItem, 'key'>,
  track: { trackId: number; trackTitle: string },
  { idempotencyKey }: { idempotencyKey: string },
): Promise<void> {
  const { data } = await api(routes.assignTrack, {
    params: { key: item.key },
    body: { trackId: track.trackId },
    idempotencyKey,
  });
  flashSuccess(
    data.statements === 0
      ? frUnmatched.doneNothing(track.trackTitle)
      : frUnmatched.done(amountsText(data), countStatements(data.statements), track.trackTitle),
  );
}
