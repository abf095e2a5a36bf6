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
import { Box, Menu } from '@mantine/core';
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
import { Link } from '@tanstack/react-router';
import {
  type ComponentProps,
  type DragEvent,
  memo,
  type Ref,
  useCallback,
  useId,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react';
import { paths } from '#src/app/paths.ts';
import { useAct } from '#src/lib/act.ts';
import { api } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import type { Upload } from '#src/lib/uploads.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { Identifier } from '#src/ui/copy-button.tsx';
import { HiddenFileInput } from '#src/ui/hidden-file-input.tsx';
import { Money } from '#src/ui/money.tsx';
import shared from '#src/ui/shared.module.css';
import { AudioProgress, audioFacts, audioTypes, useAudioUploads, useSendAudio } from './audio-field.tsx';
import { artistsOf, audioOf, fullTitle } from './release-labels.ts';
import { frReleases } from './releases.fr.ts';
import classes from './releases.module.css';
import { trackBody } from './track-values.ts';
import { TitleField } from './wav-tracks.tsx';

const t = frReleases.tracks;
const audioLabels = frReleases.audio;
const dragStartsAfterPx = 4;

interface TrackTableProps {
  release: Release;
  onEdit: (track: Track) => void;
  onRemove: (track: Track) => void;
  linkedId: number | undefined;
  hasTitleFields: boolean;
  /** Of twelve months, by track: empty while it loads, undefined without the column. */
  incomes: ReadonlyMap<number, number> | undefined;
  /** The playing track; undefined for those who may not listen. */
  player: { trackId: number | undefined; isPlaying: boolean; onToggle: (track: Track) => void } | undefined;
}

function inOrder(tracks: readonly Track[], ids: readonly number[]): readonly Track[] {
  const places = new Map(ids.map((id, index) => [id, index]));
  const place = (track: Track) => places.get(track.id) ?? ids.length;
  return tracks.toSorted((a, b) => place(a) - place(b));
}

/**
 * A release has up to a thousand tracks, all in the page for searching and reading: rows are plain elements that the
 * browser lays out near the window, rerendered only when they change, and share one menu.
 */
export const TrackTable = memo(function TrackTable(props: TrackTableProps) {
  const { release, onEdit, onRemove, linkedId, incomes, player } = props;
  const { canEdit } = release;
  const [moved, setMoved] = useState<readonly number[]>();
  const [failure, setFailure] = useState<string>();
  const [refusal, setRefusal] = useState<{ trackId: number; text: string }>();
  const [menu, setMenu] = useState<{ track: Track; button: HTMLElement }>();
  const menuId = useId();
  // A lifted row is over itself at once: announcing that would interrupt the announcement of the lift.
  const isJustLifted = useRef(false);
  const uploads = useAudioUploads();
  const sendAudio = useSendAudio();
  const tracks = useMemo(() => (moved ? inOrder(release.tracks, moved) : release.tracks), [release.tracks, moved]);
  const ids = useMemo(() => tracks.map((track) => track.id), [tracks]);
  const { run } = useAct({ onFailure: (sentence) => setFailure(sentence && t.orderRefused(sentence)) });
  const { run: runRename } = useAct({ onFailure: setFailure });
  // One at a time, so that the last order sent is the final one.
  const lastSave = useRef<Promise<unknown>>(Promise.resolve());
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: dragStartsAfterPx } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );

  const rename = (track: Track, title: string) => {
    const body = { ...trackBody(release, track, { title }), updatedAt: track.updatedAt };
    lastSave.current = lastSave.current.then(() =>
      runRename(async (options) => {
        await api(routes.editTrack, { params: { id: track.id }, body, ...options });
      }, body),
    );
  };
  const onDragEnd = ({ active, over }: DragEndEvent) => {
    const from = ids.indexOf(Number(active.id));
    const to = over ? ids.indexOf(Number(over.id)) : -1;
    if (from === -1 || to === -1 || from === to) return;
    const next = arrayMove(ids, from, to);
    setMoved(next);
    lastSave.current = lastSave.current
      .then(() => run((options) => api(routes.orderTracks, { params: { id: release.id }, body: next, ...options })))
      // The release is reloaded by then.
      .then(() => setMoved((now) => (now === next ? undefined : now)));
  };
  const send = async (track: Track, file: File) => {
    const text = await sendAudio(track, file);
    setRefusal(text === undefined ? undefined : { trackId: track.id, text });
  };
  const onMenu = useCallback(
    (track: Track, button: HTMLElement) => setMenu((open) => (open?.button === button ? undefined : { track, button })),
    [],
  );
  const fileDrop = {
    onDragOver: (event: DragEvent) => {
      if (event.dataTransfer.types.includes('Files')) event.preventDefault();
    },
    onDrop: (event: DragEvent) => {
      const file = event.dataTransfer.files[0];
      const row = event.target instanceof Element ? event.target.closest('tr') : null;
      const track = row && tracks[row.sectionRowIndex];
      if (!file || !track) return;
      event.preventDefault();
      void send(track, file);
    },
  };
  const onDismiss = useCallback(() => setRefusal(undefined), []);

  const titleOf = (id: number | string) =>
    fullTitle(tracks.find((track) => track.id === id) ?? { title: '', version: '' });
  const placeOf = (id: number | string) => String(ids.indexOf(Number(id)) + 1);
  const Row = canEdit ? SortableRow : TrackRow;
  return (
    <>
      <Message tone="error" text={failure} onDismiss={setFailure} />
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
        <SortableContext items={ids} strategy={verticalListSortingStrategy}>
          <table
            className={classes.tracks}
            data-editable={canEdit || undefined}
            data-audible={player !== undefined || undefined}
            data-income={incomes !== undefined || undefined}
          >
            <thead>
              <tr>
                {canEdit && <td className={classes.handleCell} />}
                <th scope="col" className={classes.number}>
                  {t.no}
                </th>
                <th scope="col" className={classes.titleCell}>
                  {t.column.title}
                </th>
                <th scope="col" className={classes.artistCell}>
                  {t.column.artist}
                </th>
                <th scope="col" className={classes.isrcCell}>
                  {t.column.isrc}
                </th>
                {incomes && (
                  <th scope="col" className={classes.incomeCell}>
                    {t.column.income}
                  </th>
                )}
                {(canEdit || player) && (
                  <th scope="col" className={classes.actions}>
                    <span className="visually-hidden">{fr.list.actions}</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody {...(canEdit && fileDrop)}>
              {tracks.map((track, index) => (
                <Row
                  key={track.id}
                  track={track}
                  number={index + 1}
                  isLinked={track.id === linkedId}
                  hasIncome={incomes !== undefined}
                  incomeEur={incomes?.get(track.id)}
                  canHear={player !== undefined}
                  isPlaying={player?.trackId === track.id && player.isPlaying}
                  upload={canEdit ? uploads.get(track.id) : undefined}
                  refusal={refusal?.trackId === track.id ? refusal.text : undefined}
                  menuId={menu?.track.id === track.id ? menuId : undefined}
                  onPlay={player?.onToggle}
                  onEdit={onEdit}
                  onRemove={onRemove}
                  onMenu={onMenu}
                  onRename={props.hasTitleFields ? rename : undefined}
                  onDismiss={onDismiss}
                />
              ))}
            </tbody>
          </table>
        </SortableContext>
      </DndContext>
      {canEdit && <AudioMenu id={menuId} at={menu} onClose={() => setMenu(undefined)} onFile={send} />}
    </>
  );
});

interface TrackRowProps {
  track: Track;
  number: number;
  isLinked: boolean;
  hasIncome: boolean;
  incomeEur: number | undefined;
  canHear: boolean;
  isPlaying: boolean;
  upload: Upload | undefined;
  refusal: string | undefined;
  menuId: string | undefined;
  onPlay: ((track: Track) => void) | undefined;
  onEdit: (track: Track) => void;
  onRemove: (track: Track) => void;
  onMenu: (track: Track, button: HTMLElement) => void;
  onRename: ((track: Track, title: string) => void) | undefined;
  onDismiss: () => void;
}

/** A sortable row: only its position is rerendered during a move. */
const SortableRow = memo(function SortableRow(props: TrackRowProps) {
  const { track } = props;
  const sortable = useSortable({ id: track.id, attributes: { roleDescription: t.handle } });
  const { transform, transition, attributes, listeners, setNodeRef, setActivatorNodeRef, isDragging } = sortable;
  return (
    <tr
      ref={setNodeRef}
      data-row
      aria-current={props.isLinked || undefined}
      style={{ transform: transform ? `translate3d(0, ${Math.round(transform.y)}px, 0)` : undefined, transition }}
      data-dragged={isDragging || undefined}
    >
      <td className={classes.handleCell}>
        <RowButton
          ref={setActivatorNodeRef}
          className={classes.handle}
          {...attributes}
          {...listeners}
          aria-label={t.move(fullTitle(track))}
        >
          <IconGripVertical size={17} stroke={1.7} aria-hidden />
        </RowButton>
      </td>
      <TrackCells {...props} canEdit />
    </tr>
  );
});

function TrackRow(props: TrackRowProps) {
  return (
    <tr data-row aria-current={props.isLinked || undefined}>
      <TrackCells {...props} canEdit={false} />
    </tr>
  );
}

const TrackCells = memo(function TrackCells(props: TrackRowProps & { canEdit: boolean }) {
  const { track, number, canEdit, canHear, isPlaying, upload, refusal } = props;
  const title = fullTitle(track);
  const audio = canHear ? audioOf(track) : undefined;
  const PlayIcon = isPlaying ? IconPlayerPauseFilled : IconPlayerPlayFilled;
  return (
    <>
      <td className={classes.number}>{number}</td>
      <td className={classes.titleCell}>
        <div className={classes.trackTitle}>
          {audio && (
            <RowButton
              className={classes.play}
              aria-label={isPlaying ? audioLabels.pausePlaying(title) : audioLabels.play(title)}
              onClick={() => props.onPlay?.(track)}
            >
              <PlayIcon size={15} aria-hidden />
            </RowButton>
          )}
          <Box component="span" flex={props.onRename && 1}>
            {props.onRename ? (
              <TitleField title={track.title} number={number} onRename={(next) => props.onRename?.(track, next)} />
            ) : (
              <Link className={classes.name} to={paths.track(track.id)} data-row-open>
                {title}
              </Link>
            )}
            {/* Users who may only edit do not see whether there is a file (product §34.15). */}
            {canHear && track.audioDetails !== null && (
              <span className={shared.under}>{audio ? audioFacts(audio) : audioLabels.none}</span>
            )}
          </Box>
        </div>
        {upload && upload.phase !== 'done' && <AudioProgress upload={upload} />}
        {refusal && (
          <Notice tone="error" onDismiss={props.onDismiss}>
            {refusal}
          </Notice>
        )}
      </td>
      <td className={classes.artistCell}>{artistsOf(track) || <span className={shared.muted}>{t.noArtist}</span>}</td>
      <td className={classes.isrcCell}>
        {track.isrc && <Identifier value={track.isrc} name={t.column.isrc} />}
        {!track.isrc && <span className={shared.muted}>{t.noIsrc}</span>}
      </td>
      {props.hasIncome && (
        <td className={classes.incomeCell} data-label={t.column.income}>
          {props.incomeEur !== undefined && <Money amount={props.incomeEur} currency="EUR" />}
        </td>
      )}
      {!canEdit && canHear && (
        <td className={classes.actions}>
          {audio && (
            <a
              href={audio.url}
              download
              className={classes.rowButton}
              title={audioLabels.download}
              aria-label={audioLabels.downloadOf(title)}
            >
              <IconDownload size={17} stroke={1.7} aria-hidden />
            </a>
          )}
        </td>
      )}
      {canEdit && (
        <td className={classes.actions}>
          <RowButton
            aria-haspopup="menu"
            aria-expanded={props.menuId !== undefined}
            id={props.menuId}
            aria-label={audioLabels.menu(title)}
            title={audioLabels.title}
            onClick={(event) => props.onMenu(track, event.currentTarget)}
          >
            <IconFileMusic size={17} stroke={1.7} aria-hidden />
          </RowButton>
          <RowButton
            data-row-open={props.onRename && true}
            aria-label={t.edit(title)}
            title={t.edit(title)}
            onClick={() => props.onEdit(track)}
          >
            <IconPencil size={17} stroke={1.7} aria-hidden />
          </RowButton>
          <RowButton aria-label={t.remove(title)} title={t.remove(title)} onClick={() => props.onRemove(track)}>
            <IconTrash size={17} stroke={1.7} aria-hidden />
          </RowButton>
        </td>
      )}
    </>
  );
});

function RowButton({ className, ...rest }: ComponentProps<'button'>) {
  return <button type="button" className={[classes.rowButton, className].filter(Boolean).join(' ')} {...rest} />;
}

interface AudioMenuProps {
  id: string;
  at: { track: Track; button: HTMLElement } | undefined;
  onClose: () => void;
  onFile: (track: Track, file: File) => Promise<void>;
}

function AudioMenu({ id, at, onClose, onFile }: AudioMenuProps) {
  const fileInput = useRef<HTMLInputElement>(null);
  // The selected track stays while the menu closes and a file is chosen.
  const [last, setLast] = useState(at);
  if (at && at !== last) setLast(at);
  const audio = last && audioOf(last.track);
  return (
    <>
      {/* Mounted while closed too: it returns the focus to the element that had it on opening. */}
      <Menu id={id} opened={at !== undefined} onClose={onClose} position="bottom-end" withinPortal>
        <Menu.Target>
          <Anchor to={last?.button ?? null} />
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={buttonIcon(IconUpload)} onClick={() => fileInput.current?.click()}>
            {audio ? audioLabels.replace : audioLabels.send}
          </Menu.Item>
          {audio && (
            <Menu.Item component="a" href={audio.url} download leftSection={buttonIcon(IconDownload)}>
              {audioLabels.download}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <HiddenFileInput
        ref={fileInput}
        accept={audioTypes}
        onFiles={(files) => {
          const file = files?.[0];
          if (file && last) void onFile(last.track, file);
        }}
      />
    </>
  );
}

/** Represents the button that opened the menu, which is rendered elsewhere. */
function Anchor({ to, ref }: { to: HTMLElement | null; ref?: Ref<HTMLElement | null> }) {
  useImperativeHandle<HTMLElement | null, HTMLElement | null>(ref, () => to, [to]);
  return null;
}
