import { Box } from '@mantine/core';
import { releaseStatuses } from '@regie/contract/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import type { ApiData } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { codeColumn } from '#src/ui/list/value-columns.tsx';
import shared from '#src/ui/shared.module.css';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { frLibrary } from './library.fr.ts';
import classes from './library.module.css';
import { libraryTabs } from './library-tabs.ts';

const t = frLibrary;

type LibraryTrack = ApiData<typeof routes.listLibraryTracks>[number];

const columns: ListColumn<LibraryTrack>[] = [
  {
    key: 'title',
    header: t.column.title,
    sort: 'title',
    cell: (track) => (
      <>
        <Box component="span" fw={600} className={shared.twoLines}>
          {track.title}
        </Box>
        {track.artists && (
          <span data-card-only className={shared.under}>
            {track.artists}
          </span>
        )}
      </>
    ),
    csv: (track) => track.title,
  },
  {
    key: 'artists',
    header: t.column.artists,
    isTableOnly: true,
    cell: (track) =>
      track.artists ? (
        <span className={`${classes.cellText} ${shared.twoLines}`}>{track.artists}</span>
      ) : (
        fr.common.none
      ),
    csv: (track) => track.artists,
  },
  codeColumn({ key: 'isrc', header: t.column.isrc, csv: (track) => track.isrc }),
  {
    key: 'release',
    header: t.column.release,
    cell: (track) => <span className={`${classes.cellText} ${shared.twoLines}`}>{track.releaseTitle}</span>,
    csv: (track) => track.releaseTitle,
  },
  {
    key: 'status',
    header: t.column.status,
    cell: (track) => (
      <StatusBadge tone={releaseStatuses[track.status].badge}>{releaseStatuses[track.status].label}</StatusBadge>
    ),
    csv: (track) => releaseStatuses[track.status].label,
  },
];

export default function LibraryTrackListPage() {
  return (
    <ListPage
      title={frScreens.library.tracks}
      route={routes.listLibraryTracks}
      columns={columns}
      rowName={(track) => `${track.title}, ${track.releaseTitle}`}
      rowLink={(track) => ({ to: paths.release(track.releaseId), search: { titre: String(track.id) } })}
      searchPlaceholder={t.searchTracks}
      tabs={libraryTabs(paths.libraryTracks)}
      defaultSort={{ key: 'title', order: 'asc' }}
      exportName="titres"
      empty={{ title: t.emptyTitle.tracks, text: t.emptyText.tracks }}
    />
  );
}
