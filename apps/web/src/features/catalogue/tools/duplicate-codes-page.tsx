import { routes } from '@regie/contract/routes.ts';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import type { ApiData } from '#src/lib/api.ts';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import type { ListTab } from '#src/ui/list/list-toolbar.tsx';
import { sizeColumn } from './group-columns.tsx';
import { libraryColumns, libraryName, trackColumns, trackName } from './tool-columns.tsx';
import { frTools } from './tools.fr.ts';

const t = frTools.codeDoubles;
type Duplicates = ApiData<typeof routes.listDuplicateCodes>;
const kinds = ['isrc', 'barcode'] as const;
type Kind = (typeof kinds)[number];

const tabsOf = (current: Kind): ListTab[] =>
  kinds.map((kind) => ({ label: t.tab[kind], to: paths.codeDoubles, search: { kind }, isCurrent: kind === current }));

const shared = (kind: Kind) => ({
  id: `duplicate-codes.${kind}`,
  title: frScreens.tools.codeDoubles,
  route: routes.listDuplicateCodes,
  query: { kind },
  tabs: tabsOf(kind),
  searchPlaceholder: t.search[kind],
  defaultSort: { key: 'code', order: 'asc' } as const,
  exportName: t.exportName[kind],
  empty: { title: t.emptyTitle[kind], text: t.emptyText[kind] },
});

const isrcColumns = [
  { ...trackColumns.isrc, sort: 'code' },
  sizeColumn<Duplicates['isrc'][number]>(frTools.tracks),
  trackColumns.title,
  trackColumns.artists,
  trackColumns.release,
  trackColumns.account,
  trackColumns.status,
  trackColumns.id,
];
const barcodeColumns = [
  { ...libraryColumns.barcode, sort: 'code' },
  sizeColumn<Duplicates['barcode'][number]>(frTools.libraries),
  libraryColumns.title,
  libraryColumns.artists,
  libraryColumns.account,
  libraryColumns.status,
  libraryColumns.id,
];

/** Tracks that share an ISRC, and releases that share a barcode, grouped by code. */
export default function CodeDoublesPage() {
  const { search } = useListState();
  return search.kind === 'barcode' ? (
    <ListPage
      {...shared('barcode')}
      rows={(data) => data.barcode}
      columns={barcodeColumns}
      rowName={(library) => `${library.barcode ?? ''}, ${libraryName(library)}`}
      rowLink={(library) => ({ to: paths.release(library.id) })}
    />
  ) : (
    <ListPage
      {...shared('isrc')}
      rows={(data) => data.isrc}
      columns={isrcColumns}
      rowKey={(track) => track.trackId}
      rowName={(track) => `${track.isrc ?? ''}, ${trackName(track)}, ${track.libraryTitle}`}
      rowLink={(track) => ({ to: paths.release(track.libraryId), search: { titre: String(track.trackId) } })}
    />
  );
}
