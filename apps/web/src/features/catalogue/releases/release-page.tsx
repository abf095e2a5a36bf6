import { Menu } from '@mantine/core';
import { listOfStatus, type ReleaseListName, releaseStatuses } from '@regie/contract/releases.ts';
import type { Release, ReleaseCard } from '@regie/contract/routes/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconPencil, IconTruckDelivery } from '@tabler/icons-react';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { useHistoryState } from '#src/domain/history-state.ts';
import { api, isNotFound } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { plural } from '#src/lib/formats.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { useIsPhone } from '#src/lib/is-phone.ts';
import { useReturnToList } from '#src/lib/list-return.ts';
import { useCan } from '#src/lib/session.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { RecordPage, Section } from '#src/ui/record-page.tsx';
import { ErrorState, PageSkeleton } from '#src/ui/states.tsx';
import { HeroCover } from './cover-upload.tsx';
import { useContract } from './licence-contract-button.tsx';
import { frNewRelease } from './new-release.fr.ts';
import { WizardLink } from './new-release-link.tsx';
import { RedirectToReleases } from './redirect-to-releases.tsx';
import { ReleaseBadge } from './release-badge.tsx';
import { HeroFacts, SideBlocks } from './release-blocks.tsx';
import { IncomeChart, IncomeFigure } from './release-income.tsx';
import { artistOf, fullTitle, isDeliverable, isOrderless } from './release-labels.ts';
import { ReleaseMenu } from './release-menu.tsx';
import { findReleaseListPath, listPathOf } from './release-paths.ts';
import { ReleaseToDo } from './release-to-do.tsx';
import { resourcesQuery } from './releases.api.ts';
import { frReleases } from './releases.fr.ts';
import { TrackSection } from './track-section.tsx';

const t = frReleases.page;

export const prefetch = (client: QueryClient, id: number) => client.prefetchQuery(resourcesQuery(id));

export default function ReleasePage() {
  const id = useIdParam();
  return id === undefined ? <RedirectToReleases /> : <ReleaseLoader key={id} id={id} />;
}

function ReleaseLoader({ id }: { id: number }) {
  const { releaseCard } = useHistoryState();
  const resources = useQuery(resourcesQuery(id));
  if (resources.data) return <ReleaseView release={resources.data.release} readAt={resources.dataUpdatedAt} />;
  if (resources.isError) {
    return isNotFound(resources.error) ? <RedirectToReleases /> : <ErrorState query={resources} />;
  }
  return releaseCard?.id === id ? <ReleasePreview card={releaseCard} /> : <PageSkeleton />;
}

/** The list's data, shown while the rest loads. */
function ReleasePreview({ card }: { card: ReleaseCard }) {
  return (
    <>
      <PageHeader
        title={fullTitle(card)}
        parent={listPathOf(card.status)}
        badge={<ReleaseBadge status={card.status} />}
        text={artistOf(card) ?? frReleases.noArtist}
      />
      <PageSkeleton isBody />
    </>
  );
}

function ReleaseView({ release, readAt }: { release: Release; readAt: number }) {
  const [isRemoving, setIsRemoving] = useState(false);
  const title = fullTitle(release);
  const contract = useContract(release.id);
  // Without access to the order the account is hidden too, although it may exist.
  const isOrderMissing = isOrderless(release);
  const isDraft = release.status === 'DRAFT';
  // A draft has one more action than a phone's bar has room for.
  const isPhone = useIsPhone();
  const isDeliveryInMenu = isPhone && isDraft;
  const isUnordered = isOrderMissing && release.status === 'PENDING';
  // What is to do has its own button.
  const isNextElsewhere = isDraft || isUnordered || isDeliverable(release) || release.Order?.status === 'PENDING';
  return (
    <>
      <RecordPage
        header={
          <>
            <PageHeader
              title={title}
              parent={listPathOf(release.status)}
              badge={<ReleaseBadge status={release.status} />}
              text={
                <>
                  {[artistOf(release) ?? frReleases.noArtist, release.label].filter(Boolean).join(' · ')}
                  <IncomeFigure release={release} />
                </>
              }
              actions={
                <>
                  {contract.button}
                  {release.canEdit && (
                    <>
                      {!isUnordered && !isDeliveryInMenu && (
                        <LinkButton
                          to={paths.releaseDelivery(release.id)}
                          variant="default"
                          leftSection={buttonIcon(IconTruckDelivery)}
                        >
                          {isOrderMissing ? frReleases.delivery.createOrder : frScreens.releases.delivery}
                        </LinkButton>
                      )}
                      <LinkButton
                        to={paths.editRelease(release.id)}
                        state={{ release: { data: release, readAt } }}
                        variant={isNextElsewhere ? 'default' : 'filled'}
                        leftSection={buttonIcon(IconPencil)}
                      >
                        {t.edit}
                      </LinkButton>
                      {isDraft && (
                        <WizardLink step="tracks" releaseId={release.id}>
                          {frNewRelease.resume}
                        </WizardLink>
                      )}
                      <ReleaseMenu release={release} onRemove={() => setIsRemoving(true)}>
                        {!isUnordered && isDeliveryInMenu && (
                          <Menu.Item
                            component={Link}
                            to={paths.releaseDelivery(release.id)}
                            leftSection={buttonIcon(IconTruckDelivery)}
                          >
                            {isOrderMissing ? frReleases.delivery.createOrder : frScreens.releases.delivery}
                          </Menu.Item>
                        )}
                      </ReleaseMenu>
                    </>
                  )}
                </>
              }
            />
            {contract.notice}
            {release.Order?.status === 'CANCEL' && release.Order.creditNote !== null && (
              <Notice tone="info">
                {t.credited(release.Order.id, release.Order.creditNote, releaseStatuses[release.status].label)}
              </Notice>
            )}
          </>
        }
        side={
          <>
            <HeroCover release={release} />
            <SideBlocks release={release} />
            {/* Last on the page: it comes after the rest, and only if there is income. */}
            {isPhone && <IncomeChart release={release} />}
          </>
        }
      >
        <ReleaseToDo release={release} />
        <TrackSection release={release} />
        <Section title={t.facts}>
          <HeroFacts release={release} />
        </Section>
        {!isPhone && <IncomeChart release={release} />}
      </RecordPage>
      <RemoveRelease release={release} isOpen={isRemoving} onClose={() => setIsRemoving(false)} />
    </>
  );
}

function RemoveRelease({ release, isOpen, onClose }: { release: Release; isOpen: boolean; onClose: () => void }) {
  const returnToList = useReturnToList();
  const queryClient = useQueryClient();
  const can = useCan();
  const artist = artistOf(release);
  const present: ReleaseListName = listOfStatus(release.status);
  const remove = async () => {
    const { message } = await api(routes.deleteRelease, { params: { id: release.id } });
    flashSuccess(message, { afterNavigation: true });
    await returnToList([findReleaseListPath(can, present)]);
    queryClient.removeQueries({ queryKey: ['release', release.id] });
  };
  return (
    <ConfirmModal
      isOpen={isOpen}
      onClose={onClose}
      name={artist ? `${fullTitle(release)}, ${t.by(artist)}` : fullTitle(release)}
      consequence={[
        t.removeConsequence(plural(release.tracks.length, 'titre', 'titres')),
        ...(release.smartlinks.length > 0 ? [t.removeSmartlinks(release.smartlinks)] : []),
      ].join(' ')}
      verb={t.removeVerb}
      onConfirm={remove}
    />
  );
}
