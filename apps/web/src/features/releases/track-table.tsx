import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import {
  arrayMove,
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from '@dnd-kit/sortable';
import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import type { Release, Track } from '@regie/contract/routes/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import {
  IconDownload,
  IconFileMusic,
  IconGripVertical,
  IconPencil,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconTrash,
  IconUpload,
} from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { memo, useRef, useState } from 'react';
import { fr } from '#src/fr.ts';
import { api, errorSentence } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { Identifier } from '#src/ui/copy-button.tsx';
import { audioFacts, audioTypes, useSendAudio } from './audio-field.tsx';
import { AudioProgress } from './audio-progress.tsx';
import { useAudioUploads } from './audio-upload.ts';
import { artistsOf, audioOf, fullTitle } from './release-words.ts';
import classes from './releases.module.css';

const t = fr.releases.tracks;
const audioWords = fr.releases.audio;
const dragStartsAfterPx = 4;

interface TrackTableProps {
  release: Release;
  onEdit: (track: Track) => void;
  onRemove: (track: Track) => void;
  /** Which track is heard; undefined for those who may not hear any. */
  player: { trackId: number | undefined; isPlaying: boolean; onToggle: (track: Track) => void } | undefined;
}

/** The tracks in the order of `ids`; one that it does not name comes last. */
function inOrder(tracks: readonly Track[], ids: readonly number[]): Track[] {
  const place = (track: Track) => {
    const index = ids.indexOf(track.id);
    return index === -1 ? ids.length : index;
  };
  return tracks.toSorted((a, b) => place(a) - place(b));
}

/**
 * No, title, artist, ISRC; rows move by pointer, finger or keyboard, and a refused order is taken back. Remembered: a
 * dialog that opens beside a thousand rows must not draw them again.
 */
export const TrackTable = memo(function TrackTable({ release, onEdit, onRemove, player }: TrackTableProps) {
  const [moved, setMoved] = useState<readonly number[]>();
  const [failure, setFailure] = useState<string>();
  // A lifted row is at once over itself: announcing that would silence that it was lifted.
  const isJustLifted = useRef(false);
  const tracks = moved ? inOrder(release.tracks, moved) : release.tracks;
  const ids = tracks.map((track) => track.id);
  const save = useMutation({
    mutationFn: (body: number[]) => api(routes.orderTracks, { params: { id: release.id }, body }),
    // One after the other: the last order sent is the one that stays.
    scope: { id: `order of ${release.id}` },
  });
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: dragStartsAfterPx } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );

  const onDragEnd = ({ active, over }: DragEndEvent) => {
    const from = ids.indexOf(Number(active.id));
    const to = over ? ids.indexOf(Number(over.id)) : -1;
    if (from === -1 || to === -1 || from === to) return;
    const next = arrayMove(ids, from, to);
    setMoved(next);
    setFailure(undefined);
    save.mutate(next, {
      // The release has been read anew by now.
      onSuccess: ({ message }) => {
        setMoved(undefined);
        flashSuccess(message);
      },
      onError: (error) => {
        setMoved(undefined);
        setFailure(t.orderRefused(errorSentence(error)));
      },
    });
  };

  const titleOf = (id: number | string) =>
    fullTitle(tracks.find((track) => track.id === id) ?? { title: '', version: '' });
  const placeOf = (id: number | string) => String(ids.indexOf(Number(id)) + 1);
  return (
    <>
      {failure && (
        <Notice tone="error" onDismiss={() => setFailure(undefined)}>
          {failure}
        </Notice>
      )}
      <DndContext
        id={`tracks-${release.id}`}
        sensors={sensors}
        collisionDetection={closestCenter}
        modifiers={[({ transform }) => ({ ...transform, x: 0 })]}
        onDragEnd={onDragEnd}
        accessibility={{
          screenReaderInstructions: { draggable: t.instructions },
          announcements: {
            onDragStart: ({ active }) => {
              isJustLifted.current = true;
              return t.lifted(titleOf(active.id), placeOf(active.id));
            },
            onDragOver: ({ active, over }) => {
              const isSilent = isJustLifted.current && over?.id === active.id;
              isJustLifted.current = false;
              return over && !isSilent ? t.moved(titleOf(active.id), placeOf(over.id)) : undefined;
            },
            onDragEnd: ({ active, over }) => t.dropped(titleOf(active.id), placeOf(over?.id ?? active.id)),
            onDragCancel: ({ active }) => t.dropCancelled(titleOf(active.id)),
          },
        }}
      >
        <SortableContext items={ids} strategy={verticalListSortingStrategy} disabled={!release.canEdit}>
          <table className={classes.tracks}>
            <thead>
              <tr>
                {release.canEdit && <th className={classes.handleCell} />}
                <th scope="col" className={classes.number}>
                  {t.no}
                </th>
                <th scope="col">{t.column.title}</th>
                <th scope="col" className={classes.onlyWide}>
                  {t.column.artist}
                </th>
                <th scope="col" className={classes.onlyWide}>
                  {t.column.isrc}
                </th>
                {(release.canEdit || player) && (
                  <th scope="col">
                    <span className="visually-hidden">{fr.list.actions}</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {tracks.map((track, index) => (
                <TrackRow
                  key={track.id}
                  track={track}
                  number={index + 1}
                  canEdit={release.canEdit}
                  canHear={player !== undefined}
                  isPlaying={player?.trackId === track.id && player.isPlaying}
                  onPlay={() => player?.onToggle(track)}
                  onEdit={() => onEdit(track)}
                  onRemove={() => onRemove(track)}
                />
              ))}
            </tbody>
          </table>
        </SortableContext>
      </DndContext>
    </>
  );
});

interface TrackRowProps {
  track: Track;
  number: number;
  canEdit: boolean;
  canHear: boolean;
  isPlaying: boolean;
  onPlay: () => void;
  onEdit: () => void;
  onRemove: () => void;
}

function TrackRow({ track, number, canEdit, canHear, isPlaying, onPlay, onEdit, onRemove }: TrackRowProps) {
  const sortable = useSortable({ id: track.id, attributes: { roleDescription: t.handle } });
  const { transform, transition } = sortable;
  const [refusal, setRefusal] = useState<string>();
  const fileInput = useRef<HTMLInputElement>(null);
  const upload = useAudioUploads().get(track.id);
  const sendAudio = useSendAudio();
  const send = async (files: FileList | null) => {
    const file = files?.[0];
    if (file) setRefusal(await sendAudio(track, file));
  };
  const title = fullTitle(track);
  const audio = canHear ? audioOf(track) : undefined;
  const artists = artistsOf(track) || <span className={classes.muted}>{t.noArtist}</span>;
  const isrc = track.isrc ? (
    <Identifier value={track.isrc} name={t.column.isrc} />
  ) : (
    <span className={classes.muted}>{t.noIsrc}</span>
  );
  return (
    <tr
      ref={sortable.setNodeRef}
      style={{ transform: transform ? `translate3d(0, ${Math.round(transform.y)}px, 0)` : undefined, transition }}
      data-dragged={sortable.isDragging || undefined}
      onDragOver={(event) => {
        if (canEdit && event.dataTransfer.types.includes('Files')) event.preventDefault();
      }}
      onDrop={(event) => {
        if (!canEdit || event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        void send(event.dataTransfer.files);
      }}
    >
      {canEdit && (
        <td className={classes.handleCell}>
          <ActionIcon
            ref={sortable.setActivatorNodeRef}
            variant="subtle"
            color="gray"
            size={34}
            className={classes.handle}
            {...sortable.attributes}
            {...sortable.listeners}
            aria-label={t.move(title)}
          >
            <IconGripVertical size={17} stroke={1.7} />
          </ActionIcon>
        </td>
      )}
      <td className={classes.number}>{number}</td>
      <td>
        <div className={classes.trackTitle}>
          {audio && (
            <ActionIcon
              variant="light"
              radius="xl"
              size={34}
              aria-label={isPlaying ? audioWords.pausePlaying(title) : audioWords.play(title)}
              onClick={onPlay}
            >
              {isPlaying ? <IconPlayerPauseFilled size={15} /> : <IconPlayerPlayFilled size={15} />}
            </ActionIcon>
          )}
          <span>
            <span className={classes.name}>{title}</span>
            <span className={`${classes.hint} ${classes.onlyNarrow}`}>{artists}</span>
            <span className={`${classes.hint} ${classes.onlyNarrow}`}>{isrc}</span>
            {canHear && <span className={classes.hint}>{audio ? audioFacts(audio) : audioWords.none}</span>}
          </span>
        </div>
        {upload && canEdit && <AudioProgress upload={upload} />}
        {refusal && (
          <Notice tone="error" onDismiss={() => setRefusal(undefined)}>
            {refusal}
          </Notice>
        )}
      </td>
      <td className={classes.onlyWide}>{artists}</td>
      <td className={`${classes.onlyWide} ${classes.isrc}`}>{isrc}</td>
      {!canEdit && canHear && (
        <td className={classes.actions}>
          {audio && (
            <Tooltip label={audioWords.download}>
              <ActionIcon
                component="a"
                href={audio.url}
                download
                variant="subtle"
                color="gray"
                size={34}
                aria-label={audioWords.downloadOf(title)}
              >
                <IconDownload size={17} stroke={1.7} />
              </ActionIcon>
            </Tooltip>
          )}
        </td>
      )}
      {canEdit && (
        <td className={classes.actions}>
          <Menu position="bottom-end" withinPortal>
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" size={34} aria-label={audioWords.menu(title)}>
                <IconFileMusic size={17} stroke={1.7} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item
                leftSection={<IconUpload size={16} stroke={1.7} aria-hidden />}
                onClick={() => fileInput.current?.click()}
              >
                {audio ? audioWords.replace : audioWords.send}
              </Menu.Item>
              {audio && (
                <Menu.Item
                  component="a"
                  href={audio.url}
                  download
                  leftSection={<IconDownload size={16} stroke={1.7} aria-hidden />}
                >
                  {audioWords.download}
                </Menu.Item>
              )}
            </Menu.Dropdown>
          </Menu>
          <input
            ref={fileInput}
            type="file"
            accept={audioTypes}
            className="visually-hidden"
            tabIndex={-1}
            aria-hidden
            onChange={(event) => {
              void send(event.currentTarget.files);
              // The same file can be chosen again.
              event.currentTarget.value = '';
            }}
          />
          <Tooltip label={t.edit(title)}>
            <ActionIcon variant="subtle" color="gray" size={34} aria-label={t.edit(title)} onClick={onEdit}>
              <IconPencil size={17} stroke={1.7} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={t.remove(title)}>
            <ActionIcon variant="subtle" color="gray" size={34} aria-label={t.remove(title)} onClick={onRemove}>
              <IconTrash size={17} stroke={1.7} />
            </ActionIcon>
          </Tooltip>
        </td>
      )}
    </tr>
  );
}
