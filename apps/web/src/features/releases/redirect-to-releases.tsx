import { useCan } from '#src/lib/session.ts';
import { RedirectWithProblem } from '#src/ui/redirect-with-problem.tsx';
import { findReleaseListPath } from './release-paths.ts';

/** Redirects from an unknown release, or one that fails to load (product §12 and §17). */
export function RedirectToReleases({ problem }: { problem: string }) {
  const can = useCan();
  return <RedirectWithProblem to={findReleaseListPath(can)} why={problem} />;
}
