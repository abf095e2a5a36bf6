import { listOfStatus, type QualityReason, releaseLists } from '@regie/contract/releases.ts';
import type { Release } from '@regie/contract/routes/releases.ts';
import { IconCreditCard, IconTruckDelivery } from '@tabler/icons-react';
import { paths } from '#src/app/paths.ts';
import { useCan } from '#src/lib/session.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { Money } from '#src/ui/money.tsx';
import { Section } from '#src/ui/record-page.tsx';
import { CoverButton } from './cover-upload.tsx';
import { frNewRelease } from './new-release.fr.ts';
import { WizardLink } from './new-release-link.tsx';
import { QualityPanel } from './quality.tsx';
import { isDeliverable, isOrderless, orderItemsOf, tracksOfReason } from './release-labels.ts';
import { frReleases } from './releases.fr.ts';
import classes from './releases.module.css';

const t = frReleases.toDo;

/** What is left to do for a release, on top of its page: its payment, then what quality control found. */
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
    if (reason === 'no_track') return <ToTrack release={release} track="nouveau" label={frReleases.tracks.add} />;
    const [track] = tracksOfReason(reason, release.tracks);
    if (track) return <ToTrack release={release} track={String(track.id)} label={t.openTrack} />;
    if (can('read_tools') && (reason === 'duplicate_isrc' || reason === 'duplicate_barcode'))
      return <ToScreen to={paths.codeDoubles} label={t.compare} />;
    return isOfRelease.has(reason) && <ToScreen to={paths.editRelease(release.id)} label={t.fix} />;
  };
  return (
    <Section title={t.title}>
      {order && (
        <div className={classes.task}>
          <span className={classes.quality} data-level="warning">
            <IconCreditCard size={16} stroke={1.8} aria-hidden />
            <span>
              {t.unpaid}{' '}
              <Money amount={order.totalAmountByLocation} currency={orderItemsOf(order)?.currency ?? 'EUR'} />
            </span>
          </span>
          {release.canEdit && (
            <WizardLink step="pay" releaseId={release.id}>
              {order.totalAmountByLocation === 0 ? frNewRelease.pay.validate : frNewRelease.pay.resume}
            </WizardLink>
          )}
        </div>
      )}
      {isOrderMissing && (
        <div className={classes.task}>
          <span className={classes.quality} data-level="warning">
            <IconCreditCard size={16} stroke={1.8} aria-hidden />
            <span>{t.noOrder}</span>
          </span>
          {release.canEdit && (
            <LinkButton to={paths.releaseDelivery(release.id)}>{frReleases.delivery.createOrder}</LinkButton>
          )}
        </div>
      )}
      {isReady && (
        <div className={classes.task}>
          <QualityPanel quality={[]} tracks={[]} />
          {release.canEdit && can(releaseLists.delivered.edit) && (
            <LinkButton
              to={paths.releaseDelivery(release.id)}
              search={{ statut: 'DELIVRED' }}
              leftSection={buttonIcon(IconTruckDelivery)}
            >
              {frReleases.delivery.deliver}
            </LinkButton>
          )}
        </div>
      )}
      {!isGood && (
        <QualityPanel
          quality={release.quality}
          tracks={release.tracks}
          blockingTitle={isDelivered ? t.toFix : undefined}
          actionOf={actionOf}
        />
      )}
    </Section>
  );
}

/** Findings that the release's own form corrects. */
const isOfRelease: ReadonlySet<QualityReason> = new Set([
  'no_barcode',
  'duplicate_barcode',
  'invalid_barcode',
  'title_in_capitals',
  'past_release_date',
]);

const look = { variant: 'default', size: 'compact-sm' } as const;

function ToScreen({ to, label }: { to: string; label: string }) {
  return (
    <LinkButton to={to} {...look}>
      {label}
    </LinkButton>
  );
}

/** Opens the track's dialog; `nouveau`: of a new one. */
function ToTrack({ release, track, label }: { release: Release; track: string; label: string }) {
  return (
    <LinkButton
      to={paths.release(release.id)}
      search={{ titre: track }}
      state={{ opensDialog: true }}
      resetScroll={false}
      {...look}
    >
      {label}
    </LinkButton>
  );
}
