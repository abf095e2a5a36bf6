import { Box, Button } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import { listOfStatus, releaseStatuses } from '@regie/contract/releases.ts';
import type { Release, ReleaseCard } from '@regie/contract/routes/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconFileText, IconPencil } from '@tabler/icons-react';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { paths } from '#src/app/paths.ts';
import { frContract } from '#src/domain/documents/contract.fr.ts';
import { useHistoryState } from '#src/domain/history-state.ts';
import { useAct } from '#src/lib/act.ts';
import { api, isNotFound } from '#src/lib/api.ts';
import { type DialogState, useAsked } from '#src/lib/asked.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { useReturnToList } from '#src/lib/list-return.ts';
import { type Can, useCan } from '#src/lib/session.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { Below, RecordPage, Section } from '#src/ui/record-page.tsx';
import { ErrorState, PageSkeleton } from '#src/ui/states.tsx';
import { HeroCover } from './cover-upload.tsx';
import { frNewRelease } from './new-release.fr.ts';
import { WizardLink } from './new-release-link.tsx';
import { HeroFacts, SideBlocks } from './release-blocks.tsx';
import { releaseHead, releaseTabs } from './release-frame.tsx';
import { IncomeChart, IncomeFigure, shownIncome } from './release-income.tsx';
import { isDeliverable, isOrderless, titleByArtist } from './release-labels.ts';
import { ReleaseMenu } from './release-menu.tsx';
import { findReleaseListPath, RedirectToReleases } from './release-paths.tsx';
import { ReleaseToDo } from './release-to-do.tsx';
import { incomeQuery, resourcesQuery } from './releases.api.ts';
import { frReleases } from './releases.fr.ts';
import { TrackSection } from './track-section.tsx';

const t = frReleases.page;

export const prefetch = (client: QueryClient, id: number, can: Can) =>
  Promise.all([client.prefetchQuery(resourcesQuery(id)), can('read_reports') && client.prefetchQuery(incomeQuery(id))]);

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
      <PageHeader {...releaseHead(card)} />
      <PageSkeleton isBody />
    </>
  );
}

function ReleaseView({ release, readAt }: { release: Release; readAt: number }) {
  const { ask, dialog } = useAsked<void>();
  const head = releaseHead(release);
  const contract = useContract(release.id);
  const months = useIncome(release);
  // Without access to the order the account is hidden too, although it may exist.
  const isOrderMissing = isOrderless(release);
  const isDraft = release.status === 'DRAFT';
  const isUnordered = isOrderMissing && release.status === 'PENDING';
  const isNextElsewhere = isDraft || isUnordered || isDeliverable(release) || release.Order?.status === 'PENDING';
  return (
    <>
      <RecordPage
        header={
          <>
            <PageHeader
              {...head}
              text={
                <>
                  {head.text}
                  <IncomeFigure months={months} />
                </>
              }
              actions={
                <>
                  {contract.button}
                  {release.canEdit && (
                    <>
                      <LinkButton
                        to={paths.editRelease(release.id)}
                        state={{ release: { data: release, readAt } }}
                        variant={isNextElsewhere ? 'default' : 'filled'}
                        leftSection={buttonIcon(IconPencil)}
                      >
                        {fr.common.edit}
                      </LinkButton>
                      {isDraft && (
                        <WizardLink step="tracks" releaseId={release.id}>
                          {frNewRelease.resume}
                        </WizardLink>
                      )}
                      <ReleaseMenu release={release} onRemove={() => ask()} />
                    </>
                  )}
                </>
              }
            />
            {contract.notice}
            {release.Order?.status === 'CANCEL' && release.Order.creditNote !== null && (
              <Notice tone="note">
                {t.credited(release.Order.id, release.Order.creditNote, releaseStatuses[release.status].label)}
              </Notice>
            )}
          </>
        }
        tabs={releaseTabs(release, readAt)}
        side={
          <>
            <HeroCover release={release} />
            <Below>
              <SideBlocks release={release} />
            </Below>
          </>
        }
      >
        <ReleaseToDo release={release} />
        <IncomeChart by="release" id={release.id} months={months} />
        <Below>
          <TrackSection release={release} hasEarned={months !== undefined} />
          <Section title={t.facts}>
            <HeroFacts release={release} />
          </Section>
        </Below>
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
