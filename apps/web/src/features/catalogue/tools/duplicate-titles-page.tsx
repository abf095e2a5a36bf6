import { Box } from '@mantine/core';
import { routes } from '@regie/contract/routes.ts';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import type { ApiData } from '#src/lib/api.ts';
import { formatInteger } from '#src/lib/formats.ts';
import { useCan } from '#src/lib/session.ts';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { type ListFilter, selectFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import type { ListTab } from '#src/ui/list/list-toolbar.tsx';
import { integerColumn, moneyColumn } from '#src/ui/list/value-columns.tsx';
import styles from '#src/ui/shared.module.css';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { fillableBarcode, fillableIsrc, useCanFill } from './fill-code.tsx';
import { libraryColumns, libraryName, trackColumns, trackName } from './tool-columns.tsx';
import { frTools } from './tools.fr.ts';
import classes from './tools.module.css';

const t = frTools.titleDoubles;
type Duplicates = ApiData<typeof routes.listDuplicateTitles>;
const kinds = ['tracks', 'libraries'] as const;
type Kind = (typeof kinds)[number];

const tabsOf = (current: Kind): ListTab[] =>
  kinds.map((kind) => ({ label: t.tab[kind], to: paths.titleDoubles, search: { kind }, isCurrent: kind === current }));

const filters: ListFilter[] = [
  { kind: 'switch', label: t.sameArtist, param: 'artist', off: 'any' },
  { kind: 'switch', label: t.sameAccount, param: 'account', off: 'any' },
  selectFilter(frTools.column.match, 'match', t.match, ['same', 'similar']),
];

const shared = (kind: Kind) => ({
  id: `duplicate-titles.${kind}`,
  title: frScreens.tools.titleDoubles,
  route: routes.listDuplicateTitles,
  query: { kind },
  tabs: tabsOf(kind),
  filters,
  searchPlaceholder: frTools.search,
  defaultSort: { key: 'title', order: 'asc' } as const,
  exportName: t.exportName[kind],
  empty: { title: t.emptyTitle[kind], text: t.emptyText },
  intro: (
    <Box component="p" maw={760} mb={12} className={styles.muted}>
      {t.hint}
    </Box>
  ),
});

type DuplicateTrack = Duplicates['tracks'][number];
type DuplicateLibrary = Duplicates['libraries'][number];
type DuplicateGroup = Pick<DuplicateTrack, 'size' | 'match'>;

/** A title, its number of records, and the advice. */
function GroupHead({
  name,
  records,
  advice,
  row,
}: {
  name: string;
  records: string;
  advice: string;
  row: DuplicateGroup;
}) {
  return (
    <>
      <Box component="strong" fz={14} className={styles.wrap}>
        {name}
      </Box>{' '}
      <span className={styles.note}>{`${formatInteger(row.size)}\u00a0${records}`}</span>{' '}
      <StatusBadge tone={row.match === 'same' ? 'neutral' : 'info'}>{t.match[row.match]}</StatusBadge>
      <Box component="span" display="block" maw={760} className={styles.muted}>
        {advice}
      </Box>
    </>
  );
}

/** The title's cell, with a mark on the record to keep. */
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
/** The account, linked for those who may open accounts. */
const accountColumn = (isLinked: boolean): ListColumn<DuplicateTrack | DuplicateLibrary> => ({
  ...trackColumns.account,
  cell: ({ userId, userName }) =>
    isLinked ? (
      <Link to={paths.profile(userId)} className={classes.link}>
        {userName}
      </Link>
    ) : (
      <span className={classes.text}>{userName}</span>
    ),
  csv: ({ userName }) => userName,
});

interface Rights {
  canEdit: boolean;
  canOpenAccounts: boolean;
  canReadReports: boolean;
}

const trackList = ({ canEdit, canOpenAccounts, canReadReports }: Rights): ListColumn<DuplicateTrack>[] => [
  withKept<DuplicateTrack>(trackColumns.title),
  trackColumns.artists,
  matchColumn,
  countColumn,
  keptColumn,
  canEdit ? fillableIsrc : trackColumns.isrc,
  trackColumns.release,
  accountColumn(canOpenAccounts),
  ...(canReadReports ? [incomeColumn] : []),
  trackColumns.status,
  adviceColumn<DuplicateTrack>(t.advice.tracks),
  trackColumns.id,
];
const libraryList = ({ canEdit, canOpenAccounts, canReadReports }: Rights): ListColumn<DuplicateLibrary>[] => [
  withKept<DuplicateLibrary>(libraryColumns.title),
  libraryColumns.artists,
  matchColumn,
  countColumn,
  keptColumn,
  canEdit ? fillableBarcode : libraryColumns.barcode,
  accountColumn(canOpenAccounts),
  ...(canReadReports ? [incomeColumn] : []),
  libraryColumns.status,
  adviceColumn<DuplicateLibrary>(t.advice.libraries),
  libraryColumns.id,
];

/** Tracks and releases with equal or similar titles, grouped. */
export default function TitleDoublesPage() {
  const { search } = useListState();
  const can = useCan();
  const rights = {
    canEdit: useCanFill(),
    canOpenAccounts: can('manage_profiles'),
    canReadReports: can('read_reports'),
  };
  return search.kind === 'libraries' ? (
    <ListPage
      {...shared('libraries')}
      rows={(data) => data.libraries}
      columns={libraryList(rights)}
      rowKey={(library) => `${library.group} ${library.id}`}
      rowName={libraryName}
      rowLink={(library) => ({ to: paths.release(library.id) })}
      group={{
        key: (library) => library.group,
        header: (library) => (
          <GroupHead
            name={library.title}
            records={frTools.libraries}
            row={library}
            advice={t.advice.libraries[library.advice]}
          />
        ),
      }}
    />
  ) : (
    <ListPage
      {...shared('tracks')}
      rows={(data) => data.tracks}
      columns={trackList(rights)}
      rowKey={(track) => `${track.group} ${track.trackId}`}
      rowName={(track) => `${trackName(track)}, ${track.libraryTitle}`}
      rowLink={(track) => ({ to: paths.release(track.libraryId), search: { titre: String(track.trackId) } })}
      group={{
        key: (track) => track.group,
        header: (track) => (
          <GroupHead
            name={track.trackTitle}
            records={frTools.tracks}
            row={track}
            advice={t.advice.tracks[track.advice]}
          />
        ),
      }}
    />
  );
}
