import { Box } from '@mantine/core';
import { routes } from '@regie/contract/routes.ts';
import { formatInteger } from '@regie/values/formats.ts';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { AccountLink } from '#src/domain/account-link.tsx';
import type { ApiData } from '#src/lib/api.ts';
import { useCan } from '#src/lib/session.ts';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { type ListFilter, selectFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import { integerColumn, moneyColumn } from '#src/ui/list/value-columns.tsx';
import shared from '#src/ui/shared.module.css';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { fillableBarcode, fillableIsrc, useCanFill } from './fill-code.tsx';
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

const t = frTools.titleDoubles;
type Duplicates = ApiData<typeof routes.listDuplicateTitles>;
const filters: ListFilter[] = [
  { kind: 'switch', label: t.sameArtist, param: 'artist', off: 'any' },
  { kind: 'switch', label: t.sameAccount, param: 'account', off: 'any' },
  selectFilter(frTools.column.match, 'match', t.match, ['same', 'similar']),
];

const common = (kind: 'tracks' | 'libraries') => ({
  ...kindList('duplicate-titles', paths.titleDoubles, t, kind, t.emptyText),
  title: frScreens.tools.titleDoubles,
  route: routes.listDuplicateTitles,
  filters,
  searchPlaceholder: frTools.search,
  defaultSort: { key: 'title', order: 'asc' } as const,
  method: t.hint,
});

type DuplicateTrack = Duplicates['tracks'][number];
type DuplicateLibrary = Duplicates['libraries'][number];
type DuplicateGroup = Pick<DuplicateTrack, 'size' | 'match'>;

const groupHead = (name: string, records: string, advice: string, { size, match }: DuplicateGroup) => (
  <>
    <Box component="strong" fz={14} className={shared.wrap}>
      {name}
    </Box>{' '}
    <span className={shared.note}>{`${formatInteger(size)}\u00a0${records}`}</span>{' '}
    <StatusBadge tone={match === 'same' ? 'neutral' : 'info'}>{t.match[match]}</StatusBadge>
    <Box component="span" display="block" maw={760} className={shared.muted}>
      {advice}
    </Box>
  </>
);

const withKept = <Row extends DuplicateTrack | DuplicateLibrary>(column: ListColumn<Row>): ListColumn<Row> => ({
  ...column,
  sort: 'title',
  cell: (row) => (
    <>
      {column.cell?.(row)}
      {row.isKept && <StatusBadge tone="success">{t.isKept}</StatusBadge>}
    </>
  ),
});
const keptColumn: ListColumn<DuplicateTrack | DuplicateLibrary> = {
  key: 'kept',
  header: t.kept,
  csv: (row) => (row.isKept ? t.isKept : ''),
};
const matchColumn: ListColumn<DuplicateTrack | DuplicateLibrary> = {
  key: 'match',
  header: frTools.column.match,
  csv: (row) => t.match[row.match],
};
const countColumn = integerColumn<DuplicateTrack | DuplicateLibrary>({
  key: 'size',
  header: frTools.column.size,
  sort: 'size',
  isSecondary: true,
  csv: (row) => row.size,
});
const adviceColumn = <Row extends DuplicateTrack | DuplicateLibrary>(
  words: Record<Row['advice'], string>,
): ListColumn<Row> => ({ key: 'advice', header: t.advised, csv: (row) => words[row.advice as Row['advice']] });
const incomeColumn = moneyColumn<DuplicateTrack | DuplicateLibrary>({
  key: 'income',
  header: t.income,
  csv: (row) => row.incomeEur,
});
const accountColumn: ListColumn<DuplicateTrack | DuplicateLibrary> = {
  ...trackColumns.account,
  cell: ({ userId, userName }) => <AccountLink id={userId}>{userName}</AccountLink>,
};

const columnsOf = <Row extends DuplicateTrack | DuplicateLibrary>(
  { title, artists, status, id }: Record<'title' | 'artists' | 'status' | 'id', ListColumn<Row>>,
  codes: readonly ListColumn<Row>[],
  words: Record<Row['advice'], string>,
  canReadReports: boolean,
): ListColumn<Row>[] => [
  withKept(title),
  artists,
  matchColumn,
  countColumn,
  keptColumn,
  ...codes,
  accountColumn,
  ...(canReadReports ? [incomeColumn] : []),
  status,
  adviceColumn(words),
  id,
];

export default function TitleDoublesPage() {
  const { search } = useListState();
  const canEdit = useCanFill();
  const canReadReports = useCan()('read_reports');
  return search.kind === 'libraries' ? (
    <ListPage
      {...common('libraries')}
      rows={(data) => data.libraries}
      columns={columnsOf<DuplicateLibrary>(
        libraryColumns,
        [canEdit ? fillableBarcode : libraryColumns.barcode],
        t.advice.libraries,
        canReadReports,
      )}
      rowKey={(library) => `${library.group} ${library.id}`}
      rowName={libraryName}
      rowLink={libraryLink}
      group={{
        key: (library) => library.group,
        header: (row) => groupHead(row.title, frTools.libraries, t.advice.libraries[row.advice], row),
      }}
    />
  ) : (
    <ListPage
      {...common('tracks')}
      rows={(data) => data.tracks}
      columns={columnsOf<DuplicateTrack>(
        trackColumns,
        [canEdit ? fillableIsrc : trackColumns.isrc, trackColumns.release],
        t.advice.tracks,
        canReadReports,
      )}
      rowKey={(track) => `${track.group} ${track.trackId}`}
      rowName={(track) => `${trackName(track)}, ${track.libraryTitle}`}
      rowLink={trackLink}
      group={{
        key: (track) => track.group,
        header: (row) => groupHead(row.trackTitle, frTools.tracks, t.advice.tracks[row.advice], row),
      }}
    />
  );
}
