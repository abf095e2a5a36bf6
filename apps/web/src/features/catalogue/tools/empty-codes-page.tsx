import { Button, Group, Loader, Select, Stack } from '@mantine/core';
import type { NextIsrc, ToolLibrary, ToolTrack } from '@regie/contract/routes/tools.ts';
import { routes } from '@regie/contract/routes.ts';
import { maxAssigned } from '@regie/contract/tools.ts';
import { formatInteger } from '@regie/values/formats.ts';
import { IconWand } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { nextIsrcsQuery } from '#src/domain/tracks/next-isrcs.ts';
import { useAct } from '#src/lib/act.ts';
import { api } from '#src/lib/api.ts';
import { type DialogState, useAsked } from '#src/lib/asked.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { useIsPhone } from '#src/lib/is-phone.ts';
import { useCan } from '#src/lib/session.ts';
import { useUnsavedChanges } from '#src/lib/unsaved-changes.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { Identifier } from '#src/ui/copy-button.tsx';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import { Loaded } from '#src/ui/loaded.tsx';
import shared from '#src/ui/shared.module.css';
import { SmallButton } from '#src/ui/small-button.tsx';
import { FillCode, FillCodeButton, fillableBarcode, fillableIsrc, useCanFill } from './fill-code.tsx';
import {
  kindList,
  libraryColumns,
  libraryLink,
  libraryName,
  trackColumns,
  trackLink,
  trackName,
} from './tool-columns.tsx';
import { frTools } from './tools.fr.ts';
import classes from './tools.module.css';

const t = frTools.empty;
const kinds = ['tracks', 'libraries', 'wrongBarcodes'] as const;
type Kind = (typeof kinds)[number];

export default function EmptyCodesPage() {
  const { search } = useListState();
  const kind = kinds.find((one) => one === search.kind) ?? 'tracks';
  return kind === 'tracks' ? <EmptyTracks /> : <EmptyLibraries key={kind} kind={kind} />;
}

const common = (kind: Kind) => ({
  ...kindList('empty-codes', paths.emptyCodes, t, kind, t.emptyText[kind]),
  title: frScreens.tools.emptyCodes,
  route: routes.listEmptyCodes,
  searchPlaceholder: frTools.search,
  defaultSort: { key: 'title', order: 'asc' } as const,
});

function EmptyTracks() {
  const canEdit = useCanFill();
  const isNarrow = useIsPhone();
  const { subject, ask, dialog } = useAsked<{ tracks: readonly ToolTrack[]; onDone?: () => void }>();
  const columns: ListColumn<ToolTrack>[] = [
    { ...trackColumns.title, sort: 'title' },
    trackColumns.artists,
    canEdit ? fillableIsrc : trackColumns.isrc,
    trackColumns.release,
    trackColumns.account,
    { ...trackColumns.status, isTableOnly: true },
    trackColumns.id,
  ];
  return (
    <>
      <ListPage
        {...common('tracks')}
        rows={(data) => data.tracks}
        columns={columns}
        rowKey={(track) => track.trackId}
        rowName={(track) => `${trackName(track)}, ${track.libraryTitle}`}
        rowLink={trackLink}
        intro={canEdit ? <NextIsrcs /> : undefined}
        rowActions={
          canEdit
            ? (track) => (
                <Group gap={6} wrap="nowrap" justify="flex-end">
                  {isNarrow && <FillCodeButton kind="isrc" id={track.trackId} title={trackName(track)} />}
                  <SmallButton
                    aria-label={frTools.assign.rowName(trackName(track))}
                    onClick={() => ask({ tracks: [track] })}
                  >
                    {frTools.assign.row}
                  </SmallButton>
                </Group>
              )
            : undefined
        }
        selection={
          canEdit
            ? (rows, clear) => (
                <Button
                  size="compact-sm"
                  leftSection={buttonIcon(IconWand, 14)}
                  onClick={() => ask({ tracks: rows, onDone: clear })}
                >
                  {frTools.assign.button(frTools.trackCount(rows.length))}
                </Button>
              )
            : undefined
        }
      />
      <AssignModal tracks={[]} {...subject} {...dialog} />
    </>
  );
}

function EmptyLibraries({ kind }: { kind: 'libraries' | 'wrongBarcodes' }) {
  const canEdit = useCanFill();
  const isNarrow = useIsPhone();
  // An invalid code is shown beside the field for the correct one.
  const fill: ListColumn<ToolLibrary> = {
    key: 'fill',
    header: t.newBarcode,
    isTableOnly: true,
    cell: (library) => <FillCode key={library.id} kind="barcode" id={library.id} title={libraryName(library)} />,
  };
  const columns: ListColumn<ToolLibrary>[] = [
    { ...libraryColumns.title, sort: 'title' },
    libraryColumns.artists,
    canEdit ? fillableBarcode : libraryColumns.barcode,
    ...(kind === 'wrongBarcodes' && canEdit ? [fill] : []),
    libraryColumns.account,
    libraryColumns.status,
    libraryColumns.id,
  ];
  return (
    <ListPage
      {...common(kind)}
      rows={(data) => data[kind]}
      columns={columns}
      rowName={libraryName}
      rowLink={libraryLink}
      rowActions={
        canEdit && isNarrow
          ? (library) => <FillCodeButton kind="barcode" id={library.id} title={libraryName(library)} />
          : undefined
      }
    />
  );
}

function NextIsrcs() {
  const { data } = useQuery(nextIsrcsQuery);
  const free = data?.flatMap(({ next }) => (next === null ? [] : [next])) ?? [];
  if (data && free.length === 0) return null;
  return (
    <p className={classes.nextIsrcs} aria-busy={!data}>
      {frTools.empty.nextIsrcs}
      {free.map((isrc) => (
        <Identifier key={isrc} value={isrc} name={frTools.empty.nextIsrc} />
      ))}
    </p>
  );
}

interface AssignProps {
  tracks: readonly ToolTrack[];
  onClose: () => void;
  onDone?: () => void;
}

function AssignModal({ isOpen, ...props }: AssignProps & DialogState) {
  // The rows selected for it.
  useUnsavedChanges(isOpen, false);
  return (
    <Dialog isOpen={isOpen} onClose={props.onClose} title={frTools.assign.title} size="md">
      {isOpen && <Assign {...props} />}
    </Dialog>
  );
}

function Assign(props: AssignProps) {
  const can = useCan();
  const nextIsrcs = useQuery({ ...nextIsrcsQuery, staleTime: 0, gcTime: 0 });
  if (props.tracks.length > maxAssigned)
    return <Notice tone="error">{frTools.assign.tooMany(formatInteger(maxAssigned))}</Notice>;
  return (
    <Loaded query={nextIsrcs} placeholder={<Loader role="status" aria-label={fr.common.loading} />}>
      {(prefixes) =>
        prefixes.length > 0 ? (
          <AssignForm {...props} prefixes={prefixes} />
        ) : (
          <Stack gap="sm" align="flex-start">
            <Notice tone="info">
              {can('manage_settings') ? frTools.assign.noPrefix : frTools.assign.noPrefixToAsk}
            </Notice>
            {can('manage_settings') && (
              <LinkButton to={paths.settingsSection('house')} variant="default">
                {frTools.assign.settings}
              </LinkButton>
            )}
          </Stack>
        )
      }
    </Loaded>
  );
}

const after = (isrc: string, count: number) =>
  isrc.slice(0, 7) + String(Number(isrc.slice(7)) + count).padStart(5, '0');

function AssignForm({ tracks, prefixes, onClose, onDone }: AssignProps & { prefixes: readonly NextIsrc[] }) {
  const [offered] = useState(prefixes.find(({ next }) => next !== null)?.prefix ?? prefixes[0]?.prefix);
  const [prefix, setPrefix] = useState(offered);
  const { act, isBusy, failure, setFailure } = useAct();
  useUnsavedChanges(prefix !== offered);
  const chosen = prefixes.find((one) => one.prefix === prefix);
  const isEnough = chosen !== undefined && chosen.left >= tracks.length;
  const assign = () => {
    const body = { trackIds: tracks.map(({ trackId }) => trackId), prefix };
    act(async ({ idempotencyKey }) => {
      const { data, message } = await api(routes.assignIsrcs, { body, idempotencyKey });
      flashSuccess(frTools.assign.done(message, data.assigned[0]?.isrc ?? '', data.assigned.at(-1)?.isrc ?? ''));
      onClose();
      onDone?.();
    }, body);
  };
  return (
    <Stack gap="sm">
      <Message tone="error" text={failure} onDismiss={setFailure} />
      {prefixes.length > 1 && (
        <Select
          label={frTools.assign.prefix}
          data={prefixes.map((one) => one.prefix)}
          value={prefix ?? null}
          allowDeselect={false}
          onChange={(value) => setPrefix(value ?? undefined)}
        />
      )}
      {chosen?.next && isEnough ? (
        <>
          <p>
            {frTools.assign.range(
              frTools.trackCount(tracks.length),
              chosen.next,
              after(chosen.next, tracks.length - 1),
            )}
          </p>
          <p className={shared.note}>{frTools.assign.hint}</p>
        </>
      ) : (
        <Notice tone="error">{frTools.assign.full(prefix ?? '', frTools.assign.left(chosen?.left ?? 0))}</Notice>
      )}
      <Group justify="flex-end" gap="sm">
        <CancelButton disabled={isBusy} />
        <Button onClick={assign} loading={isBusy} disabled={!isEnough} data-autofocus>
          {frTools.assign.submit(tracks.length)}
        </Button>
      </Group>
    </Stack>
  );
}
