import { Button } from '@mantine/core';
import type { Release, Track } from '@regie/contract/routes/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { useHistoryState } from '#src/domain/history-state.ts';
import { api } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { usePageLocation } from '#src/lib/page-location.ts';
import { parseSearch } from '#src/lib/search-params.ts';
import { isAllowed, useCan, useSignedIn } from '#src/lib/session.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { AudioPlayer } from './audio-player.tsx';
import { audioOf, fullTitle, wasOut } from './release-labels.ts';
import { trackIncomesQuery } from './releases.api.ts';
import { frReleases } from './releases.fr.ts';
import { TrackTable } from './track-table.tsx';

const t = frReleases.tracks;

// The form includes languages and instruments, so it is loaded when first opened.
const TrackModal = lazy(() => import('./track-modal.tsx').then((module) => ({ default: module.TrackModal })));

/** The value of `?titre=`. */
const addressOf = (track: Track | 'new') => (track === 'new' ? 'nouveau' : String(track.id));

interface TrackSectionProps {
  release: Release;
  /** Income of a release of which none is expected. */
  hasEarned?: boolean;
}

export function TrackSection({ release, hasEarned = false }: TrackSectionProps) {
  const [edited, setEdited] = useState<Track | 'new'>();
  const { subject: removed, ask, dialog } = useAsked<Track>();
  const { userCapabilities } = useSignedIn();
  const canHear = isAllowed(routes.downloadAudio.capability, userCapabilities);
  const hasIncome = useCan()('read_reports') && (hasEarned || wasOut(release));
  const trackIncomes = useQuery({ ...trackIncomesQuery(release.id), enabled: hasIncome });
  const incomes = useMemo(
    () => (hasIncome ? new Map(trackIncomes.data?.map((row) => [row.trackId, row.amountEur])) : undefined),
    [hasIncome, trackIncomes.data],
  );
  const media = useRef<HTMLAudioElement>(null);
  const [playerTrackId, setPlayerTrackId] = useState<number>();
  const [isPlaying, setIsPlaying] = useState(false);
  const loaded = release.tracks.find((track) => track.id === playerTrackId && audioOf(track) !== undefined);
  const togglePlay = useCallback(
    (track: Track) => {
      if (track.id !== playerTrackId || !media.current) setPlayerTrackId(track.id);
      else if (media.current.paused) void media.current.play().catch(() => undefined);
      else media.current.pause();
    },
    [playerTrackId],
  );
  const playing = loaded?.id;
  const player = useMemo(
    () => (canHear ? { trackId: playing, isPlaying, onToggle: togglePlay } : undefined),
    [canHear, playing, isPlaying, togglePlay],
  );
  // The address names the open dialog, `nouveau` an empty one; a link to a track also marks its row.
  const navigate = useNavigate();
  const router = useRouter();
  const asked = parseSearch(usePageLocation().searchStr).titre;
  const { opensDialog } = useHistoryState();
  const edit = useCallback(
    (track: Track | 'new') =>
      void navigate({
        to: paths.release(release.id),
        search: { titre: addressOf(track) },
        state: { opensDialog: true },
        resetScroll: false,
      }),
    [navigate, release.id],
  );
  const close = () => {
    if (opensDialog) router.history.back({ ignoreBlocker: true });
    else void navigate({ to: paths.release(release.id), replace: true, resetScroll: false, ignoreBlocker: true });
  };
  const [linkedId, setLinkedId] = useState<number>();
  const rows = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (linkedId !== undefined) rows.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'center' });
  }, [linkedId]);
  const open = useEffectEvent((titre: string) => {
    const track = release.tracks.find(({ id }) => String(id) === titre);
    if (release.canEdit && (track || titre === addressOf('new'))) setEdited(track ?? 'new');
    if (!opensDialog) setLinkedId(track?.id);
  });
  useEffect(() => {
    if (asked !== undefined) open(asked);
  }, [asked]);
  return (
    <Section
      title={t.title}
      actions={
        release.canEdit && (
          <Button variant="default" leftSection={buttonIcon(IconPlus)} onClick={() => edit('new')}>
            {t.add}
          </Button>
        )
      }
    >
      {release.tracks.length === 0 ? (
        <p className={shared.note}>{t.none}</p>
      ) : (
        <div ref={rows}>
          <TrackTable
            release={release}
            player={player}
            linkedId={linkedId}
            incomes={incomes}
            onEdit={edit}
            onRemove={ask}
          />
        </div>
      )}
      {loaded && (
        <AudioPlayer
          // A new file of the same track remounts the player.
          key={`${loaded.id} ${loaded.audioDetails}`}
          track={loaded}
          media={media}
          isPlaying={isPlaying}
          onPlaying={setIsPlaying}
          onClose={() => {
            setPlayerTrackId(undefined);
            setIsPlaying(false);
          }}
        />
      )}
      {edited && (
        <Suspense>
          <TrackModal release={release} track={edited} isOpen={addressOf(edited) === asked} onClose={close} />
        </Suspense>
      )}
      {removed && (
        <ConfirmModal
          {...dialog}
          name={fullTitle(removed)}
          consequence={t.removeConsequence}
          verb={t.removeVerb}
          onConfirm={() => api(routes.deleteTrack, { params: { id: removed.id } })}
        />
      )}
    </Section>
  );
}
