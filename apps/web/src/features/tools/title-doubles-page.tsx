import { routes } from '@regie/contract/routes.ts';
import { fr } from '#src/fr.ts';
import { frTools } from '#src/fr-tools.ts';
import type { ApiData } from '#src/lib/api.ts';
import { paths } from '#src/paths.ts';
import type { ListFilter } from '#src/ui/list-filters.tsx';
import { ListPage, type ListTab } from '#src/ui/list-page.tsx';
import { useListState } from '#src/ui/list-state.ts';
import { fillableBarcode, fillableIsrc, useMayFill } from './fill-code.tsx';
import { matchColumn, sizeColumn } from './group-columns.tsx';
import { libraryColumns, libraryName, trackColumns, trackName } from './tool-columns.tsx';
import classes from './tools.module.css';

const t = frTools.titleDoubles;
type Doubles = ApiData<typeof routes.listTitleDoubles>;
const kinds = ['tracks', 'libraries'] as const;
type Kind = (typeof kinds)[number];

const tabsOf = (current: Kind): ListTab[] =>
  kinds.map((kind) => ({
    label: t.tab[kind],
    to: paths.titleDoubles,
    search: { kind },
    isCurrent: kind === current,
  }));

const filters: ListFilter[] = [
  {
    kind: 'select',
    label: frTools.column.match,
    param: 'match',
    options: (['same', 'similar'] as const).map((value) => ({ value, label: t.match[value] })),
  },
];

const shared = (kind: Kind) => ({
  id: `title-doubles.${kind}`,
  title: fr.tools.titleDoubles,
  route: routes.listTitleDoubles,
  query: { kind },
  tabs: tabsOf(kind),
  filters,
  searchPlaceholder: frTools.search,
  defaultSort: { key: 'title', order: 'asc' } as const,
  exportName: t.exportName[kind],
  empty: { title: t.emptyTitle[kind], text: t.emptyText },
  intro: <p className={classes.intro}>{t.hint}</p>,
});

const trackList = (canEdit: boolean) => [
  { ...trackColumns.title, sort: 'title' },
  trackColumns.artists,
  matchColumn<Doubles['tracks'][number]>(),
  sizeColumn<Doubles['tracks'][number]>(frTools.tracks),
  canEdit ? fillableIsrc : trackColumns.isrc,
  trackColumns.release,
  trackColumns.account,
  trackColumns.status,
  trackColumns.id,
];
const libraryList = (canEdit: boolean) => [
  { ...libraryColumns.title, sort: 'title' },
  libraryColumns.artists,
  matchColumn<Doubles['libraries'][number]>(),
  sizeColumn<Doubles['libraries'][number]>(frTools.libraries),
  canEdit ? fillableBarcode : libraryColumns.barcode,
  libraryColumns.account,
  libraryColumns.status,
  libraryColumns.id,
];

/** Tracks and releases whose titles are the same, or alike; those of one group stand together. */
export default function TitleDoublesPage() {
  const { search } = useListState();
  const canEdit = useMayFill();
  return search.kind === 'libraries' ? (
    <ListPage
      {...shared('libraries')}
      rows={(data) => data.libraries}
      columns={libraryList(canEdit)}
      rowKey={(library) => `${library.group} ${library.id}`}
      rowName={libraryName}
      rowHref={(library) => paths.release(library.id)}
    />
  ) : (
    <ListPage
      {...shared('tracks')}
      rows={(data) => data.tracks}
      columns={trackList(canEdit)}
      rowKey={(track) => `${track.group} ${track.trackId}`}
      rowName={(track) => `${trackName(track)}, ${track.libraryTitle}`}
      rowHref={(track) => paths.release(track.libraryId)}
    />
  );
}
