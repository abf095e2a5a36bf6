import type { Release, ReleaseCard } from '@regie/contract/routes/releases.ts';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { ReleaseBadge } from '#src/domain/release-badge.tsx';
import { fr } from '#src/lib/fr.ts';
import { artistOf, fullTitle, isOrderless, personName } from './release-labels.ts';
import { listPathOf } from './release-paths.tsx';
import { frReleases } from './releases.fr.ts';

type Headed = Pick<ReleaseCard, 'id' | 'title' | 'version' | 'status' | 'label' | 'artistsLabel'> &
  Pick<Release, 'Account'>;

/** The header of a release's pages. @param tab the current one, but on the overview */
export function releaseHead(release: Headed, tab?: string) {
  const { id, status, Account } = release;
  const title = fullTitle(release);
  return {
    title,
    text: [artistOf(release) ?? frReleases.noArtist, release.label].filter(Boolean).join(' · '),
    badge: <ReleaseBadge status={status} />,
    parent: listPathOf(status),
    owner: Account ? { id: Account.id, name: personName(Account) } : undefined,
    ...(tab !== undefined && { crumb: tab, trail: [{ label: title, to: paths.release(id) }] }),
  };
}

/** @param readAt when the release was read, milliseconds: its form starts with it */
export const releaseTabs = (release: Release, readAt: number) => [
  { label: fr.common.overview, to: paths.release(release.id) },
  ...(release.canEdit
    ? [
        {
          label: frScreens.releases.edit,
          to: paths.editRelease(release.id),
          state: { release: { data: release, readAt } },
        },
        {
          label: isOrderless(release) ? frReleases.delivery.createOrder : frScreens.releases.delivery,
          to: paths.releaseDelivery(release.id),
        },
      ]
    : []),
];
