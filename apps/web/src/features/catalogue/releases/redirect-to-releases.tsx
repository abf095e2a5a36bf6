import { messages } from '@regie/contract/messages.ts';
import { errorSentence, isNotFound } from '#src/lib/api.ts';
import { useCan } from '#src/lib/session.ts';
import { RedirectWithProblem } from '#src/ui/redirect-with-problem.tsx';
import { findReleaseListPath } from './release-paths.ts';
import { frReleases } from './releases.fr.ts';

/** Redirects from an unknown release, or one that fails to load (product §12.8 and §17). */
export function RedirectToReleases({ error }: { error?: unknown }) {
  const can = useCan();
  const isUnknown = error === undefined || isNotFound(error);
  const why = isUnknown ? messages.unknownRelease : frReleases.form.loadFailed(errorSentence(error));
  return <RedirectWithProblem to={findReleaseListPath(can)} why={why} />;
}
