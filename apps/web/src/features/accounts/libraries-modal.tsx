import { Button, Modal, Skeleton } from '@mantine/core';
import type { Profile, ProfileLibrary } from '@regie/contract/routes/accounts.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { fr } from '#src/fr.ts';
import { frAccounts } from '#src/fr-accounts.ts';
import { api, errorSentence } from '#src/lib/api.ts';
import { csvFile, downloadCsv } from '#src/lib/csv-download.ts';
import { formatInteger, formatTotal } from '#src/lib/formats.ts';
import { paths } from '#src/paths.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import { ErrorState } from '#src/ui/states.tsx';
import { accountName } from './account-words.ts';
import classes from './accounts.module.css';

const t = frAccounts.libraries;
const shownReleases = 50;
const csvPage = 500;

const readPage = (accountId: number, limit: number, cursor: string | undefined, signal?: AbortSignal) =>
  api(routes.listProfileLibraries, {
    params: { id: accountId },
    query: { limit, ...(cursor === undefined ? {} : { cursor }) },
    ...(signal ? { signal } : {}),
  });

/** Columns `#, Titre, Artistes, ISRC, Code-barres`, one row per track (specification 2 §3). */
export function librariesCsv(releases: readonly ProfileLibrary[]): string {
  const rows = releases.flatMap((release) => release.tracks.map((track) => ({ ...track, barcode: release.barcode })));
  return csvFile(
    [t.number, t.track, t.artists, t.isrc, t.barcode],
    rows.map((row, index) => [index + 1, row.title, row.artists, row.isrc, row.barcode]),
  );
}

/** The upper-cased first name and the last name (specification 2 §9), without what file systems refuse. */
export const librariesFileName = (profile: Pick<Profile, 'fname' | 'lname'>): string =>
  `${`${profile.fname.toLocaleUpperCase('fr')} ${profile.lname}`.replaceAll(/[\\/:*?"<>|]/g, ' ').trim()}.csv`;

async function downloadAll(profile: Profile): Promise<void> {
  const releases: ProfileLibrary[] = [];
  let cursor: string | undefined;
  do {
    const { data, meta } = await readPage(profile.id, csvPage, cursor);
    releases.push(...data);
    cursor = meta?.nextCursor ?? undefined;
  } while (cursor !== undefined);
  downloadCsv([librariesCsv(releases)], librariesFileName(profile));
}

interface LibrariesModalProps {
  profile: Profile;
  isOpen: boolean;
  onClose: () => void;
}

/** An account's releases and tracks, with their download (specification 2 §2). */
export function LibrariesModal({ profile, isOpen, onClose }: LibrariesModalProps) {
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const libraries = useQuery({
    queryKey: ['libraries', profile.id],
    queryFn: ({ signal }) => readPage(profile.id, shownReleases, undefined, signal),
    enabled: isOpen,
  });
  const releases = libraries.data?.data;
  const meta = libraries.data?.meta;
  const download = async () => {
    setIsBusy(true);
    setFailure(undefined);
    await downloadAll(profile).catch((error: unknown) => setFailure(errorSentence(error)));
    setIsBusy(false);
  };
  return (
    <Modal opened={isOpen} onClose={onClose} title={t.title(accountName(profile))} size="xl">
      {failure && (
        <Notice tone="error" onDismiss={() => setFailure(undefined)}>
          {failure}
        </Notice>
      )}
      {libraries.isError && releases === undefined ? (
        <ErrorState error={libraries.error} onRetry={() => void libraries.refetch()} />
      ) : releases === undefined ? (
        <Skeleton h={200} />
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
            <Button
              leftSection={<IconDownload size={16} stroke={1.8} aria-hidden />}
              loading={isBusy}
              onClick={() => void download()}
            >
              {t.download}
            </Button>
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
        <Link className={classes.link} to={paths.release(release.id)}>
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
