import { releaseStatuses } from '@regie/contract/releases.ts';
import type { ToolLibrary, ToolTrack } from '@regie/contract/routes/tools.ts';
import { paths } from '#src/app/paths.ts';
import { ReleaseBadge } from '#src/domain/release-badge.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { codeColumn, longTextColumn } from '#src/ui/list/value-columns.tsx';
import shared from '#src/ui/shared.module.css';
import { frTools } from './tools.fr.ts';

const t = frTools.column;

export const trackName = ({ trackTitle, version }: ToolTrack) => (version ? `${trackTitle} (${version})` : trackTitle);
export const libraryName = ({ title, version }: ToolLibrary) => (version ? `${title} (${version})` : title);

const nameCell = (name: string, { artists }: { artists: string }) => (
  <>
    {name}
    {artists && <span className={shared.under}>{artists}</span>}
  </>
);

const recordColumns = {
  artists: { key: 'artists', header: t.artists, csv: (row) => row.artists },
  account: longTextColumn({ key: 'account', header: t.account, isSecondary: true, csv: (row) => row.userName }),
  status: {
    key: 'status',
    header: t.status,
    cell: ({ status }) => <ReleaseBadge status={status} />,
    csv: ({ status }) => releaseStatuses[status].label,
  },
} as const satisfies Record<string, ListColumn<ToolTrack | ToolLibrary>>;

export const trackColumns = {
  ...recordColumns,
  title: { key: 'title', header: t.title, cell: (track) => nameCell(trackName(track), track), csv: trackName },
  isrc: codeColumn({ key: 'isrc', header: t.isrc, csv: (track) => track.isrc }),
  release: longTextColumn({ key: 'release', header: t.release, csv: (track) => track.libraryTitle }),
  id: { key: 'id', header: t.trackId, csv: (track) => track.trackId },
} as const satisfies Record<string, ListColumn<ToolTrack>>;

export const libraryColumns = {
  ...recordColumns,
  title: { key: 'title', header: t.release, cell: (row) => nameCell(libraryName(row), row), csv: libraryName },
  barcode: codeColumn({ key: 'barcode', header: t.barcode, csv: (library) => library.barcode }),
  id: { key: 'id', header: t.releaseId, csv: (library) => library.id },
} as const satisfies Record<string, ListColumn<ToolLibrary>>;

export const trackLink = ({ trackId }: ToolTrack) => ({ to: paths.track(trackId) });
export const libraryLink = ({ id }: ToolLibrary) => ({ to: paths.release(id) });

interface ListTexts<Kind extends string> {
  tab: Record<Kind, string>;
  exportName: Record<Kind, string>;
  emptyTitle: Record<Kind, string>;
}

/** What the lists of a page say, each of one kind. */
export const kindList = <Kind extends string>(
  id: string,
  to: string,
  t: ListTexts<Kind>,
  kind: Kind,
  emptyText: string,
) => ({
  id: `${id}.${kind}`,
  hasWholeCards: true as const,
  query: { kind },
  tabs: Object.entries<string>(t.tab).map(([one, label]) => ({
    label,
    to,
    search: { kind: one },
    isCurrent: one === kind,
  })),
  exportName: t.exportName[kind],
  empty: { title: t.emptyTitle[kind], text: emptyText },
});
