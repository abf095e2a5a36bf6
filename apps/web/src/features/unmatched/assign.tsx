import type { UnmatchedItem } from '@regie/contract/routes/unmatched.ts';
import { routes } from '@regie/contract/routes.ts';
import type { ReactElement } from 'react';
import { api } from '#src/lib/api.ts';
import { SuccessWithUndo } from '#src/ui/success-with-undo.tsx';
import { frUnmatched } from './unmatched.fr.ts';
import { amountsText, countStatements } from './unmatched-labels.tsx';

const t = frUnmatched;

/** Matches an item to its track. @returns the success message @throws ApiError */
export async function assign(
  { key }: Pick<UnmatchedItem, 'key'>,
  { trackId, trackTitle }: { trackId: number; trackTitle: string },
  { idempotencyKey }: { idempotencyKey: string },
): Promise<ReactElement> {
  const params = { key };
  const { data } = await api(routes.assignTrack, { params, body: { trackId }, idempotencyKey });
  return (
    <SuccessWithUndo
      label={t.aliases.verb}
      undo={async (options) => tellUnassigned((await api(routes.unassignTrack, { params, ...options })).data)}
    >
      {data.statements === 0
        ? t.doneNothing(trackTitle)
        : t.done(amountsText(data), countStatements(data.statements), trackTitle)}
    </SuccessWithUndo>
  );
}

/** What taking a match back did, in one sentence. */
export const tellUnassigned = ({ waiting }: { waiting: Parameters<typeof amountsText>[0] & { statements: number } }) =>
  waiting.statements > 0 ? t.aliases.undone(amountsText(waiting)) : t.aliases.undoneNothing;
