import { type ReleaseStatus, releaseStatuses } from '@regie/contract/releases.ts';
import { StatusBadge } from '#src/ui/status-badge.tsx';

export function ReleaseBadge({ status }: { status: ReleaseStatus }) {
  const { badge, label } = releaseStatuses[status];
  return <StatusBadge tone={badge}>{label}</StatusBadge>;
}
