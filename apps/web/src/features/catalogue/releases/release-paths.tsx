import type { Capability } from '@regie/contract/capabilities.ts';
import { messages } from '@regie/contract/messages.ts';
import { listOfStatus, type ReleaseListName, type ReleaseStatus, releaseLists } from '@regie/contract/releases.ts';
import { paths } from '#src/app/paths.ts';
import { errorSentence, isNotFound } from '#src/lib/api.ts';
import { useCan } from '#src/lib/session.ts';
import { RedirectWithProblem } from '#src/ui/redirect-with-problem.tsx';
import { frReleases } from './releases.fr.ts';

export const listPathOf = (status: ReleaseStatus): string => paths.releases(listOfStatus(status));

/** The path of the first list the user may read, `preferred` first; home for those who may read none. */
export function findReleaseListPath(
  can: (capability: Capability) => boolean,
  preferred: ReleaseListName = 'unpaid',
): string {
  const names = [preferred, ...(Object.keys(releaseLists) as ReleaseListName[])];
  const list = names.find((name) => can(releaseLists[name].read));
  return list ? paths.releases(list) : paths.home;
}

/** Redirects from an unknown release, or one that fails to load (product §12.8 and §17). */
export function RedirectToReleases({ error }: { error?: unknown }) {
  const can = useCan();
  const isUnknown = error === undefined || isNotFound(error);
  const why = isUnknown ? messages.unknownRelease : frReleases.form.loadFailed(errorSentence(error));
  return <RedirectWithProblem to={findReleaseListPath(can)} why={why} />;
}
