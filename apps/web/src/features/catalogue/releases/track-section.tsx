import { Box, Button, Group } from '@mantine/core';
import type { Release, Track } from '@regie/contract/routes/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconPlus } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { DeclareAi } from '#src/domain/ai/declare-ai.tsx';
import { useHistoryState } from '#src/domain/history-state.ts';
import { api } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { usePageLocation } from '#src/lib/page-location.ts';
import { parseSearch } from '#src/lib/search-params.ts';
import { isAllowed, useCan, useSignedIn } from '#src/lib/session.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { useListKeys } from '#src/ui/list/list-keys.ts';
import { Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { AudioPlayer } from './audio-player.tsx';
import { audioOf, fullTitle, tracksOfReason, wasOut } from './release-labels.ts';
import { trackIncomesQuery } from './releases.api.ts';
import { frReleases } from './releases.fr.ts';
import { TrackTable } from './track-table.tsx';
import { primaryArtists, trackValues } from './track-values.ts';
import { useAddWavs, type Wav, WavDrop } from './wav-tracks.tsx';

const t = frReleases.tracks;

// The form includes languages and instruments, so it is loaded when first opened.
const TrackModal = lazy(() => import('./track-modal.tsx').then((module) => ({ default: module.TrackModal })));

/** The value of `?titre=`. */
const addressOf = (track: Track | 'new') => (track === 'new' ? 'nouveau' : String(track.id));

interface TrackSectionProps {
  release: Release;
  /** Income of a release of which none is expected. */
  hasEarned?: boolean;
  /** Titles are edited in place, and files become tracks. */
  isInWizard?: boolean;
}

export function TrackSection({ release, hasEarned = false, isInWizard = false }: TrackSectionProps) {
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
  const { pathname, searchStr } = usePageLocation();
  const { titre: asked } = parseSearch(searchStr);
  // The draft of the wizard stays in the address.
  const openAt = useCallback(
    (titre: string | undefined) => ({ to: pathname, search: { ...parseSearch(searchStr), titre }, resetScroll: false }),
    [pathname, searchStr],
  );
  const { opensDialog } = useHistoryState();
  const edit = useCallback(
    (track: Track | 'new') => void navigate({ ...openAt(addressOf(track)), state: { opensDialog: true } }),
    [navigate, openAt],
  );
  const close = () => {
    if (opensDialog) router.history.back({ ignoreBlocker: true });
    else void navigate({ ...openAt(undefined), replace: true, ignoreBlocker: true });
  };
  const [linkedId, setLinkedId] = useState<number>();
  const rows = useRef<HTMLDivElement>(null);
  useListKeys({ container: rows, rows: release.tracks });
  const addWavs = useAddWavs();
  const queryClient = useQueryClient();
  const add = async (wavs: readonly Wav[]) => {
    if (trackValues(release, 'new').language === null) return [frReleases.wavs.noLanguage];
    const refused = await addWavs(release, wavs, primaryArtists(release.tracks.at(-1)));
    await queryClient.invalidateQueries({ queryKey: ['release', release.id] });
    return refused;
  };
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
          <Group gap={8}>
            {tracksOfReason('ai_undeclared', release.tracks).length > 0 && <DeclareAi of={{ libraryId: release.id }} />}
            <Button variant="default" leftSection={buttonIcon(IconPlus)} onClick={() => edit('new')}>
              {t.add}
            </Button>
          </Group>
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
            hasTitleFields={isInWizard}
          />
        </div>
      )}
      {isInWizard && (
        <Box mt={16}>
          <WavDrop onWavs={add} />
        </Box>
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
