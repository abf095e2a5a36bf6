import { Button, Group } from '@mantine/core';
import type { ToolLibrary, ToolTrack } from '@regie/contract/routes/tools.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconWand } from '@tabler/icons-react';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { plural } from '#src/lib/formats.ts';
import { useIsPhone } from '#src/lib/is-phone.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import type { ListTab } from '#src/ui/list/list-toolbar.tsx';
import { AssignModal, NextIsrcs } from './assign-isrcs.tsx';
import { FillCode, FillCodeButton, fillableBarcode, fillableIsrc, useCanFill } from './fill-code.tsx';
import { libraryColumns, libraryName, trackColumns, trackName } from './tool-columns.tsx';
import { frTools } from './tools.fr.ts';

const t = frTools.empty;
const kinds = ['tracks', 'libraries', 'wrongBarcodes'] as const;
type Kind = (typeof kinds)[number];

const tabsOf = (current: Kind): ListTab[] =>
  kinds.map((kind) => ({ label: t.tab[kind], to: paths.emptyCodes, search: { kind }, isCurrent: kind === current }));

/** Records without a code, with a field to fill it in (product §22.13). */
export default function EmptyCodesPage() {
  const { search } = useListState();
  const kind = kinds.find((one) => one === search.kind) ?? 'tracks';
  return kind === 'tracks' ? <EmptyTracks /> : <EmptyLibraries key={kind} kind={kind} />;
}

/** The common parts of the three lists. */
const shared = (kind: Kind) => ({
  id: `empty-codes.${kind}`,
  title: frScreens.tools.emptyCodes,
  route: routes.listEmptyCodes,
  query: { kind },
  tabs: tabsOf(kind),
  searchPlaceholder: frTools.search,
  defaultSort: { key: 'title', order: 'asc' } as const,
  exportName: t.exportName[kind],
  empty: { title: t.emptyTitle[kind], text: t.emptyText[kind] },
});

function EmptyTracks() {
  const canEdit = useCanFill();
  const isNarrow = useIsPhone();
  const [chosen, setChosen] = useState<{ tracks: readonly ToolTrack[]; onDone?: () => void }>();
  const [isAssigning, setIsAssigning] = useState(false);
  const assign = (tracks: readonly ToolTrack[], onDone?: () => void) => {
    setChosen({ tracks, ...(onDone ? { onDone } : {}) });
    setIsAssigning(true);
  };
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
        {...shared('tracks')}
        rows={(data) => data.tracks}
        columns={columns}
        rowKey={(track) => track.trackId}
        rowName={(track) => `${trackName(track)}, ${track.libraryTitle}`}
        rowLink={(track) => ({ to: paths.release(track.libraryId), search: { titre: String(track.trackId) } })}
        intro={canEdit ? <NextIsrcs /> : undefined}
        rowActions={
          canEdit
            ? (track) => (
                <Group gap={6} wrap="nowrap" justify="flex-end">
                  {isNarrow && <FillCodeButton kind="isrc" id={track.trackId} title={trackName(track)} />}
                  <Button
                    variant="default"
                    size="compact-sm"
                    aria-label={frTools.assign.rowName(trackName(track))}
                    onClick={() => assign([track])}
                  >
                    {frTools.assign.row}
                  </Button>
                </Group>
              )
            : undefined
        }
        selection={
          canEdit
            ? (rows, clear) => (
                <Button size="compact-sm" leftSection={buttonIcon(IconWand, 14)} onClick={() => assign(rows, clear)}>
                  {frTools.assign.button(plural(rows.length, frTools.track, frTools.tracks))}
                </Button>
              )
            : undefined
        }
      />
      <AssignModal
        tracks={chosen?.tracks ?? []}
        isOpen={isAssigning}
        onClose={() => setIsAssigning(false)}
        onDone={chosen?.onDone ? chosen.onDone : undefined}
      />
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
      {...shared(kind)}
      rows={(data) => data[kind]}
      columns={columns}
      rowName={libraryName}
      rowLink={(library) => ({ to: paths.release(library.id) })}
      rowActions={
        canEdit && isNarrow
          ? (library) => <FillCodeButton kind="barcode" id={library.id} title={libraryName(library)} />
          : undefined
      }
    />
  );
}
