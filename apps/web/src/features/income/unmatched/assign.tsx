import type { Assigned, UnmatchedItem } from '@regie/contract/routes/unmatched.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatLongMonth } from '@regie/values/formats.ts';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { paths } from '#src/app/paths.ts';
import { api } from '#src/lib/api.ts';
import { monthToParam } from '#src/lib/months.ts';
import { newId } from '#src/lib/new-id.ts';
import { SuccessWithUndo } from '#src/ui/success-with-undo.tsx';
import { frUnmatched } from './unmatched.fr.ts';
import { amountsText } from './unmatched-labels.tsx';

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
        : t.done(amountsText(data), t.statements(data.statements), trackTitle)}
      <Finished finished={data.finished} />
    </SuccessWithUndo>
  );
}

const shownFinished = 3;

/** The sources and months that the assignment ended, each with the way to its month. */
export function Finished({ finished }: Pick<Assigned, 'finished'>) {
  const hidden = finished.length - shownFinished;
  return (
    <>
      {finished.slice(0, shownFinished).map(({ source, month }) => (
        <div key={`${source} ${month}`}>
          <Link to={paths.month(monthToParam(month) ?? '')}>{t.finished(source, formatLongMonth(month))}</Link>
        </div>
      ))}
      {hidden > 0 && <div>{t.finishedMore(hidden)}</div>}
    </>
  );
}

/** Takes back the matches of several items. @returns the success message @throws ApiError */
export async function unassignAll(keys: readonly string[]): Promise<string> {
  for (const key of keys) await api(routes.unassignTrack, { params: { key }, idempotencyKey: newId() });
  return t.aliases.undoneMany(keys.length);
}

export const tellUnassigned = ({ waiting }: { waiting: Parameters<typeof amountsText>[0] & { statements: number } }) =>
  waiting.statements > 0 ? t.aliases.undone(amountsText(waiting)) : t.aliases.undoneNothing;
