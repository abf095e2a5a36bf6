import { releaseStatuses } from '@regie/contract/releases.ts';
import type { ToolLibrary, ToolTrack } from '@regie/contract/routes/tools.ts';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { codeColumn } from '#src/ui/list/value-columns.tsx';
import shared from '#src/ui/shared.module.css';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { frTools } from './tools.fr.ts';
import classes from './tools.module.css';

const t = frTools.column;

/** A title with its version, which distinguishes records of the same title. */
const fullTitle = (title: string, version: string | null) => (version ? `${title} (${version})` : title);
export const trackName = (track: ToolTrack) => fullTitle(track.trackTitle, track.version);
export const libraryName = (library: ToolLibrary) => fullTitle(library.title, library.version);

function Name({ name, hint }: { name: string; hint: string }) {
  return (
    <>
      <span className={classes.name}>{name}</span>
      {hint && <span className={shared.under}>{hint}</span>}
    </>
  );
}

const statusCell = (row: Pick<ToolLibrary, 'status'>) => (
  <StatusBadge tone={releaseStatuses[row.status].badge}>{releaseStatuses[row.status].label}</StatusBadge>
);
const statusText = (row: Pick<ToolLibrary, 'status'>) => releaseStatuses[row.status].label;

/** The track columns of every tools page. */
export const trackColumns = {
  title: {
    key: 'title',
    header: t.title,
    cell: (track) => <Name name={trackName(track)} hint={track.artists} />,
    csv: trackName,
  },
  artists: { key: 'artists', header: t.artists, csv: (track) => track.artists },
  isrc: codeColumn({ key: 'isrc', header: t.isrc, csv: (track) => track.isrc }),
  release: {
    key: 'release',
    header: t.release,
    cell: (track) => <span className={classes.text}>{track.libraryTitle}</span>,
    csv: (track) => track.libraryTitle,
  },
  account: {
    key: 'account',
    header: t.account,
    isSecondary: true,
    cell: (track) => <span className={classes.text}>{track.userName}</span>,
    csv: (track) => track.userName,
  },
  status: { key: 'status', header: t.status, cell: statusCell, csv: statusText },
  id: { key: 'id', header: t.trackId, csv: (track) => track.trackId },
} as const satisfies Record<string, ListColumn<ToolTrack>>;

/** The same for releases. */
export const libraryColumns = {
  title: {
    key: 'title',
    header: t.release,
    cell: (library) => <Name name={libraryName(library)} hint={library.artists} />,
    csv: libraryName,
  },
  artists: { key: 'artists', header: t.artists, csv: (library) => library.artists },
  barcode: codeColumn({ key: 'barcode', header: t.barcode, csv: (library) => library.barcode }),
  account: {
    key: 'account',
    header: t.account,
    isSecondary: true,
    cell: (library) => <span className={classes.text}>{library.userName}</span>,
    csv: (library) => library.userName,
  },
  status: { key: 'status', header: t.status, cell: statusCell, csv: statusText },
  id: { key: 'id', header: t.releaseId, csv: (library) => library.id },
} as const satisfies Record<string, ListColumn<ToolLibrary>>;
