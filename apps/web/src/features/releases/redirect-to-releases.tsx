import { useCan } from '#src/lib/session.ts';
import { RedirectWithProblem } from '#src/ui/redirect-with-problem.tsx';
import { findReleaseListPath } from './release-paths.ts';

/** Where an address leads that names no release, or one that does not load (product §12 and §17). */
export function RedirectToReleases({ problem }: { problem: string }) {
  const can = useCan();
  return <RedirectWithProblem to={findReleaseListPath(can)} why={problem} />;
}
