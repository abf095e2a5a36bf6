import { Box, Button, Menu } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import { listOfStatus, releaseStatuses } from '@regie/contract/releases.ts';
import type { Release, ReleaseCard } from '@regie/contract/routes/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconFileText, IconPencil, IconTruckDelivery } from '@tabler/icons-react';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { frContract } from '#src/domain/documents/contract.fr.ts';
import { useHistoryState } from '#src/domain/history-state.ts';
import { useAct } from '#src/lib/act.ts';
import { api, isNotFound } from '#src/lib/api.ts';
import { type DialogState, useAsked } from '#src/lib/asked.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { useIsPhone } from '#src/lib/is-phone.ts';
import { useReturnToList } from '#src/lib/list-return.ts';
import { useCan } from '#src/lib/session.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { RecordPage, Section } from '#src/ui/record-page.tsx';
import { ErrorState, PageSkeleton } from '#src/ui/states.tsx';
import { HeroCover } from './cover-upload.tsx';
import { frNewRelease } from './new-release.fr.ts';
import { WizardLink } from './new-release-link.tsx';
import { ReleaseBadge } from './release-badge.tsx';
import { HeroFacts, SideBlocks } from './release-blocks.tsx';
import { IncomeChart, IncomeFigure, shownIncome } from './release-income.tsx';
import { artistOf, fullTitle, isDeliverable, isOrderless, titleByArtist } from './release-labels.ts';
import { ReleaseMenu } from './release-menu.tsx';
import { findReleaseListPath, listPathOf, RedirectToReleases } from './release-paths.tsx';
import { ReleaseToDo } from './release-to-do.tsx';
import { incomeQuery, resourcesQuery } from './releases.api.ts';
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
  const income = useQuery({ ...incomeQuery(id), enabled: useCan()('read_reports') });
  // With the chart, which stands above the tracks.
  if (resources.data && !income.isLoading)
    return <ReleaseView release={resources.data.release} readAt={resources.dataUpdatedAt} />;
  if (resources.isError) {
    return isNotFound(resources.error) ? <RedirectToReleases /> : <ErrorState query={resources} />;
  }
  return releaseCard?.id === id ? <ReleasePreview card={releaseCard} /> : <PageSkeleton />;
}

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
  const { ask, dialog } = useAsked<void>();
  const title = fullTitle(release);
  const contract = useContract(release.id);
  const months = useIncome(release);
  // Without access to the order the account is hidden too, although it may exist.
  const isOrderMissing = isOrderless(release);
  const isDraft = release.status === 'DRAFT';
  // A draft has one more action than a phone's bar has room for.
  const isPhone = useIsPhone();
  const isDeliveryInMenu = isPhone && isDraft;
  const isUnordered = isOrderMissing && release.status === 'PENDING';
  const delivery = isOrderMissing ? frReleases.delivery.createOrder : frScreens.releases.delivery;
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
                  <IncomeFigure months={months} />
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
                          {delivery}
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
                      <ReleaseMenu release={release} onRemove={() => ask()}>
                        {!isUnordered && isDeliveryInMenu && (
                          <Menu.Item
                            component={Link}
                            to={paths.releaseDelivery(release.id)}
                            leftSection={buttonIcon(IconTruckDelivery)}
                          >
                            {delivery}
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
          </>
        }
      >
        <ReleaseToDo release={release} />
        <IncomeChart by="release" id={release.id} months={months} />
        <TrackSection release={release} hasEarned={months !== undefined} />
        <Section title={t.facts}>
          <HeroFacts release={release} />
        </Section>
      </RecordPage>
      <RemoveRelease release={release} {...dialog} />
    </>
  );
}

function RemoveRelease({ release, ...dialog }: { release: Release } & DialogState) {
  const returnToList = useReturnToList();
  const queryClient = useQueryClient();
  const can = useCan();
  const remove = async () => {
    const { message } = await api(routes.deleteRelease, { params: { id: release.id } });
    flashSuccess(message, { afterNavigation: true });
    await returnToList([findReleaseListPath(can, listOfStatus(release.status))]);
    queryClient.removeQueries({ queryKey: ['release', release.id] });
  };
  return (
    <ConfirmModal
      {...dialog}
      name={titleByArtist(release)}
      consequence={[
        t.removeConsequence(release.tracks.length),
        ...(release.smartlinks.length > 0 ? [t.removeSmartlinks(release.smartlinks)] : []),
      ].join(' ')}
      verb={t.removeVerb}
      onConfirm={remove}
    />
  );
}

/** For those who read reports. */
function useIncome(release: Release) {
  const { data } = useQuery({ ...incomeQuery(release.id), enabled: useCan()('read_reports') });
  return shownIncome(release, data?.months);
}

const readers = routes.getLicenceContract.capability;

/** The button that generates a release's licence contract, with its result; hidden from those who may not read it. */
function useContract(releaseId: number): { button: ReactNode; notice: ReactNode } {
  const can = useCan();
  const { act, isBusy, failure, setFailure } = useAct({ reloads: 'nothing' });
  if (typeof readers !== 'string' && !readers.some(can)) return { button: null, notice: null };

  const make = () =>
    act(async () => {
      const [{ data }, { contractDocument }, { downloadPdf }] = await Promise.all([
        api(routes.getLicenceContract, { params: { id: releaseId } }),
        import('@regie/documents/licence-contract.ts'),
        import('#src/lib/pdf.ts'),
      ]);
      const { missing, ...file } = contractDocument(data, Date.now());
      const fileName = await downloadPdf(file);
      const rest = missing.length > 0 ? [frContract.missing(missing)] : [];
      return [`${frContract.made(fileName)}.`, ...rest].join(' ');
    });
  return {
    button: (
      <Button variant="default" loading={isBusy} leftSection={buttonIcon(IconFileText)} onClick={make}>
        {frContract.button}
      </Button>
    ),
    // Every error has the same message (product §18.5).
    notice: failure && (
      <Box mb="md">
        <Message tone="error" text={messages.retry} onDismiss={setFailure} />
      </Box>
    ),
  };
}
