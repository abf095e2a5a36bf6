import { useCan } from '#src/lib/session.ts';
import { LeadAway } from '#src/ui/lead-away.tsx';
import { homeOfReleases } from './release-addresses.ts';

/** Where an address leads that names no release, or one that does not load (product §12 and §17). */
export function ToLists({ problem }: { problem: string }) {
  const can = useCan();
  return <LeadAway to={homeOfReleases(can)} why={problem} />;
}
