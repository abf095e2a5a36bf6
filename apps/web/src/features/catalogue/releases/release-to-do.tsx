import { Stack } from '@mantine/core';
import { listOfStatus, type QualityReason, releaseLists } from '@regie/contract/releases.ts';
import type { Release } from '@regie/contract/routes/releases.ts';
import { IconCreditCard, IconTruckDelivery } from '@tabler/icons-react';
import type { LinkProps } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { useCan } from '#src/lib/session.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { Money } from '#src/ui/money.tsx';
import { Section } from '#src/ui/record-page.tsx';
import { CoverButton } from './cover-upload.tsx';
import { frNewRelease } from './new-release.fr.ts';
import { WizardLink } from './new-release-link.tsx';
import { QualityPanel, Task } from './quality.tsx';
import { isDeliverable, isOrderless, orderItemsOf, tracksOfReason } from './release-labels.ts';
import { frReleases } from './releases.fr.ts';

const t = frReleases.toDo;

export function ReleaseToDo({ release }: { release: Release }) {
  const can = useCan();
  const order = release.Order?.status === 'PENDING' ? release.Order : undefined;
  const isDelivered = listOfStatus(release.status) === 'delivered';
  const isGood = release.quality.length === 0;
  const isReady = isDeliverable(release);
  const isOrderMissing = isOrderless(release) && release.status === 'PENDING';
  if (isGood && !isReady && !order && !isOrderMissing) return null;

  const actionOf = (reason: QualityReason) => {
    if (!release.canEdit) return undefined;
    if (reason === 'no_cover') return <CoverButton release={release} />;
    const link = (label: string, props: Pick<LinkProps, 'to' | 'search' | 'state' | 'resetScroll'>) => (
      <LinkButton variant="default" size="compact-sm" {...props}>
        {label}
      </LinkButton>
    );
    /** Opens the track's dialog; `nouveau`: of a new one. */
    const toTrack = (titre: string) => ({
      to: paths.release(release.id),
      search: { titre },
      state: { opensDialog: true },
      resetScroll: false,
    });
    if (reason === 'no_track') return link(frReleases.tracks.add, toTrack('nouveau'));
    const [track] = tracksOfReason(reason, release.tracks);
    if (track) return link(t.openTrack, toTrack(String(track.id)));
    if (can('read_tools') && (reason === 'duplicate_isrc' || reason === 'duplicate_barcode'))
      return link(t.compare, { to: paths.codeDoubles });
    return isOfRelease.has(reason) && link(t.fix, { to: paths.editRelease(release.id) });
  };
  return (
    <Section title={t.title}>
      <Stack gap={16}>
        {order && (
          <Task
            level="warning"
            icon={IconCreditCard}
            action={
              release.canEdit && (
                <WizardLink step="pay" releaseId={release.id}>
                  {order.totalAmountByLocation === 0 ? frNewRelease.pay.validate : frNewRelease.pay.resume}
                </WizardLink>
              )
            }
          >
            {t.unpaid} <Money amount={order.totalAmountByLocation} currency={orderItemsOf(order)?.currency ?? 'EUR'} />
          </Task>
        )}
        {isOrderMissing && (
          <Task
            level="warning"
            icon={IconCreditCard}
            action={
              release.canEdit && (
                <LinkButton to={paths.releaseDelivery(release.id)}>{frReleases.delivery.createOrder}</LinkButton>
              )
            }
          >
            {t.noOrder}
          </Task>
        )}
        {isReady && (
          <Task
            level="good"
            action={
              release.canEdit &&
              can(releaseLists.delivered.edit) && (
                <LinkButton
                  to={paths.releaseDelivery(release.id)}
                  search={{ statut: 'DELIVRED' }}
                  leftSection={buttonIcon(IconTruckDelivery)}
                >
                  {frReleases.delivery.deliver}
                </LinkButton>
              )
            }
          >
            {frReleases.quality.goodText}
          </Task>
        )}
        {!isGood && (
          <QualityPanel
            quality={release.quality}
            tracks={release.tracks}
            blockingTitle={isDelivered ? t.toFix : undefined}
            actionOf={actionOf}
          />
        )}
      </Stack>
    </Section>
  );
}

const isOfRelease: ReadonlySet<QualityReason> = new Set([
  'ai_undeclared',
  'no_barcode',
  'duplicate_barcode',
  'invalid_barcode',
  'title_in_capitals',
  'past_release_date',
]);
