import { releaseStatuses } from '@regie/contract/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { ReleaseBadge } from '#src/domain/release-badge.tsx';
import type { ApiData } from '#src/lib/api.ts';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { codeColumn, longTextColumn } from '#src/ui/list/value-columns.tsx';
import shared from '#src/ui/shared.module.css';
import { frLibrary } from './library.fr.ts';
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
        <span className={`${shared.name} ${shared.twoLines}`}>
          {track.title}
          {track.version && ` (${track.version})`}
        </span>
        {track.artists && (
          <span data-card-only className={shared.under}>
            {track.artists}
          </span>
        )}
      </>
    ),
    csv: (track) => track.title,
  },
  longTextColumn({ key: 'artists', header: t.column.artists, isTableOnly: true, csv: (track) => track.artists }),
  codeColumn({ key: 'isrc', header: t.column.isrc, csv: (track) => track.isrc }),
  longTextColumn({ key: 'release', header: t.column.release, csv: (track) => track.releaseTitle }),
  {
    key: 'status',
    header: t.column.status,
    cell: ({ status }) => <ReleaseBadge status={status} />,
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
      rowLink={(track) => ({ to: paths.track(track.id) })}
      searchPlaceholder={t.searchTracks}
      tabs={libraryTabs(paths.libraryTracks)}
      defaultSort={{ key: 'title', order: 'asc' }}
      exportName="titres"
      empty={{ title: t.emptyTitle.tracks, text: t.emptyText.tracks }}
    />
  );
}
