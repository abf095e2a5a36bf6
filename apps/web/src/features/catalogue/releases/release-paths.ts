import type { Capability } from '@regie/contract/capabilities.ts';
import { listOfStatus, type ReleaseListName, type ReleaseStatus, releaseLists } from '@regie/contract/releases.ts';
import { paths } from '#src/app/paths.ts';

/** The path of the list that contains releases of this status. */
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
