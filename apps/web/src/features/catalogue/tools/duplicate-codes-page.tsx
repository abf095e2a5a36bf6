import { routes } from '@regie/contract/routes.ts';
import { formatInteger } from '@regie/values/formats.ts';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import type { ApiData } from '#src/lib/api.ts';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import { StatusBadge } from '#src/ui/status-badge.tsx';
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

const t = frTools.codeDoubles;

const common = (kind: 'isrc' | 'barcode') => ({
  ...kindList('duplicate-codes', paths.codeDoubles, t, kind, t.emptyText[kind]),
  title: frScreens.tools.codeDoubles,
  route: routes.listDuplicateCodes,
  searchPlaceholder: t.search[kind],
  defaultSort: { key: 'code', order: 'asc' } as const,
});

type Duplicates = ApiData<typeof routes.listDuplicateCodes>;
const sizeColumn = <Row extends { size: number }>(records: string): ListColumn<Row> => ({
  key: 'size',
  header: frTools.column.size,
  sort: 'size',
  cell: (row) => <StatusBadge tone="warning">{`${formatInteger(row.size)}\u00a0${records}`}</StatusBadge>,
  csv: (row) => row.size,
});

const { isrc, title, artists, release, account, status, id } = trackColumns;
const isrcColumns = [
  { ...isrc, sort: 'code' },
  sizeColumn<Duplicates['isrc'][number]>(frTools.tracks),
  title,
  artists,
  release,
  account,
  status,
  id,
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
      {...common('barcode')}
      rows={(data) => data.barcode}
      columns={barcodeColumns}
      rowName={(library) => `${library.barcode ?? ''}, ${libraryName(library)}`}
      rowLink={libraryLink}
    />
  ) : (
    <ListPage
      {...common('isrc')}
      rows={(data) => data.isrc}
      columns={isrcColumns}
      rowKey={(track) => track.trackId}
      rowName={(track) => `${track.isrc ?? ''}, ${trackName(track)}, ${track.libraryTitle}`}
      rowLink={trackLink}
    />
  );
}
