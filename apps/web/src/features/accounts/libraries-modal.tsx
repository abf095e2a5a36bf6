import { Modal, Skeleton } from '@mantine/core';
import type { Profile, ProfileLibrary } from '@regie/contract/routes/accounts.ts';
import { routes } from '@regie/contract/routes.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { api, errorSentence } from '#src/lib/api.ts';
import { formatInteger, formatTotal } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { downloadTable, type FileColumn, type FileFormat } from '#src/lib/table-file.ts';
import { Message } from '#src/ui/alerts.tsx';
import { FileMenu } from '#src/ui/file-menu.tsx';
import { Loading } from '#src/ui/loaded.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import shared from '#src/ui/shared.module.css';
import { accountName } from './account-labels.ts';
import { frAccounts } from './accounts.fr.ts';
import classes from './accounts.module.css';

const t = frAccounts.libraries;
const shownReleases = 50;
const exportPage = 500;

const readPage = (accountId: number, limit: number, cursor: string | undefined, signal?: AbortSignal) =>
  api(routes.listProfileLibraries, {
    params: { id: accountId },
    query: { limit, ...(cursor === undefined ? {} : { cursor }) },
    ...(signal ? { signal } : {}),
  });

interface LibraryRow {
  number: number;
  track: ProfileLibrary['tracks'][number];
  barcode: string | null;
}

/** One row per track (product §23.2). */
export const libraryRows = (releases: readonly ProfileLibrary[]): LibraryRow[] =>
  releases
    .flatMap(({ tracks, barcode }) => tracks.map((track) => ({ track, barcode })))
    .map((row, index) => ({ number: index + 1, ...row }));

/** Columns `#, Titre, Artistes, ISRC, Code-barres` (product §23.2). */
export const libraryColumns: FileColumn<LibraryRow>[] = [
  { header: '#', value: (row) => row.number },
  { header: t.track, value: (row) => row.track.title },
  { header: t.artists, value: (row) => row.track.artists },
  { header: t.isrc, value: (row) => row.track.isrc },
  { header: t.barcode, value: (row) => row.barcode },
];

/** The upper-cased first name and the last name (product §29.5), without characters that file systems refuse. */
export const librariesFileName = (profile: Pick<Profile, 'fname' | 'lname'>): string =>
  `${profile.fname.toLocaleUpperCase('fr')} ${profile.lname}`.replaceAll(/[\\/:*?"<>|]/g, ' ').trim();

async function downloadAll(profile: Profile, format: FileFormat): Promise<void> {
  const releases: ProfileLibrary[] = [];
  let cursor: string | undefined;
  do {
    const { data, meta } = await readPage(profile.id, exportPage, cursor);
    releases.push(...data);
    cursor = meta?.nextCursor ?? undefined;
  } while (cursor !== undefined);
  await downloadTable(format, librariesFileName(profile), libraryColumns, libraryRows(releases));
}

interface LibrariesModalProps {
  profile: Profile;
  isOpen: boolean;
  onClose: () => void;
}

/** An account's releases and tracks, with a download (product §22.5). */
export function LibrariesModal({ profile, isOpen, onClose }: LibrariesModalProps) {
  const [failure, setFailure] = useState<string>();
  const libraries = useQuery({
    queryKey: ['libraries', profile.id],
    queryFn: ({ signal }) => readPage(profile.id, shownReleases, undefined, signal),
    enabled: isOpen,
  });
  const releases = libraries.data?.data;
  const meta = libraries.data?.meta;
  const download = async (format: FileFormat) => {
    setFailure(undefined);
    await downloadAll(profile, format).catch((error: unknown) => setFailure(errorSentence(error)));
  };
  return (
    <Modal opened={isOpen} onClose={onClose} title={t.title(accountName(profile))} size="xl">
      <Message tone="error" text={failure} onDismiss={setFailure} />
      {releases === undefined ? (
        <Loading query={libraries} placeholder={<Skeleton h={200} />} />
      ) : releases.length === 0 ? (
        <p className={classes.muted}>{t.empty}</p>
      ) : (
        <>
          <div className={classes.modalActions}>
            <span className={classes.hint}>
              {meta && meta.nextCursor !== null
                ? t.tooMany(formatInteger(releases.length), formatTotal(meta.total, meta.totalIsExact))
                : ''}
            </span>
            <FileMenu variant="filled" label={t.download} onPick={download} />
          </div>
          {releases.map((release) => (
            <ReleaseTracks key={release.id} release={release} />
          ))}
        </>
      )}
    </Modal>
  );
}

function ReleaseTracks({ release }: { release: ProfileLibrary }) {
  return (
    <section className={classes.release}>
      <h3 className={classes.releaseTitle}>
        <Link className={shared.link} to={paths.release(release.id)}>
          {release.title}
        </Link>
        <span className={classes.destination}>{release.barcode ?? fr.common.none}</span>
      </h3>
      {release.tracks.length === 0 ? (
        <p className={classes.hint}>{t.noTrack}</p>
      ) : (
        <PlainTable name={release.title}>
          <thead className="visually-hidden">
            <tr>
              <th scope="col">{t.number}</th>
              <th scope="col">{t.track}</th>
              <th scope="col">{t.artists}</th>
              <th scope="col">{t.isrc}</th>
            </tr>
          </thead>
          <tbody>
            {release.tracks.map((track, index) => (
              <tr key={track.id}>
                <td data-short className={classes.rank}>
                  {index + 1}
                </td>
                <td>{track.title}</td>
                <td>{track.artists || fr.common.none}</td>
                <td data-short className={classes.destination}>
                  {track.isrc ?? fr.common.none}
                </td>
              </tr>
            ))}
          </tbody>
        </PlainTable>
      )}
    </section>
  );
}
