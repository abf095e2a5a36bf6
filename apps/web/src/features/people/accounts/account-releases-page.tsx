import { Box, Group } from '@mantine/core';
import { anyEditLibraries } from '@regie/contract/releases.ts';
import type { Profile, ProfileLibrary } from '@regie/contract/routes/accounts.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatTotal } from '@regie/values/formats.ts';
import { IconDisc } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { DeclareAi } from '#src/domain/ai/declare-ai.tsx';
import { TrackLink } from '#src/domain/tracks/track-link.tsx';
import { api, errorSentence, readPages } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { downloadTable, type FileColumn, type FileFormat } from '#src/lib/table-file.ts';
import { Message } from '#src/ui/alerts.tsx';
import { FileMenu } from '#src/ui/file-menu.tsx';
import { Pager, pageSize } from '#src/ui/list/list-pager.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import { Loaded } from '#src/ui/loaded.tsx';
import { TabHeader } from '#src/ui/page-header.tsx';
import { PlainTable, TableSkeleton } from '#src/ui/plain-table.tsx';
import shared from '#src/ui/shared.module.css';
import { EmptyState } from '#src/ui/states.tsx';
import { useAccount } from './account-context.ts';
import { frAccounts } from './accounts.fr.ts';
import classes from './accounts.module.css';

const t = frAccounts.libraries;
const exportPage = 500;

const readPage = (accountId: number, limit: number, cursor: string | undefined, signal?: AbortSignal) =>
  api(routes.listProfileLibraries, { params: { id: accountId }, query: { limit, cursor }, signal });

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
  for await (const { data } of readPages((cursor) => readPage(profile.id, exportPage, cursor))) releases.push(...data);
  await downloadTable(format, librariesFileName(profile), libraryColumns, libraryRows(releases));
}

export default function AccountReleasesPage() {
  const profile = useAccount();
  const can = useCan();
  const [failure, setFailure] = useState<string>();
  const state = useListState();
  const { cursor } = state.search;
  const libraries = useQuery({
    queryKey: ['libraries', profile.id, cursor],
    queryFn: ({ signal }) => readPage(profile.id, pageSize, cursor, signal),
    placeholderData: keepPreviousData,
  });
  const meta = libraries.data?.meta;
  const total = meta && formatTotal(meta.total, meta.totalIsExact);
  const download = async (format: FileFormat) => {
    setFailure(undefined);
    await downloadAll(profile, format).catch((error: unknown) => setFailure(errorSentence(error)));
  };
  return (
    <>
      <TabHeader
        title={frScreens.accounts.releases}
        count={total}
        actions={
          <>
            {anyEditLibraries.some(can) && <DeclareAi of={{ userId: profile.id }} />}
            <FileMenu label={fr.list.export} disabled={!meta || meta.total === 0} onPick={download} />
          </>
        }
      />
      <Message tone="error" text={failure} onDismiss={setFailure} />
      <Loaded query={libraries} placeholder={<TableSkeleton rows={8} />}>
        {({ data: releases }) =>
          releases.length === 0 ? (
            <EmptyState icon={IconDisc} title={t.empty} text={t.emptyText} />
          ) : (
            <div aria-busy={libraries.isFetching}>
              {releases.map((release) => (
                <ReleaseTracks key={release.id} release={release} />
              ))}
              <Pager state={state} count={releases.length} total={total ?? ''} nextCursor={meta?.nextCursor ?? null} />
            </div>
          )
        }
      </Loaded>
    </>
  );
}

function ReleaseTracks({ release }: { release: ProfileLibrary }) {
  return (
    <Box component="section" mt={18}>
      <Group justify="space-between" gap="4px 16px" mb={4}>
        <Box component="h3" fz={14} fw={620}>
          <Link className={shared.link} to={paths.release(release.id)}>
            {release.title}
          </Link>
        </Box>
        <span className={`${shared.mono} ${shared.muted}`}>{release.barcode ?? fr.common.none}</span>
      </Group>
      {release.tracks.length === 0 ? (
        <p className={shared.under}>{t.noTrack}</p>
      ) : (
        <PlainTable name={release.title} className={classes.tracks}>
          <colgroup>
            <col />
            <col />
            <col />
            <col />
          </colgroup>
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
                <td data-short className={shared.muted}>
                  {index + 1}
                </td>
                <td>
                  <TrackLink id={track.id}>{track.title}</TrackLink>
                </td>
                <td>{track.artists || fr.common.none}</td>
                <td data-short className={shared.mono}>
                  {track.isrc ?? fr.common.none}
                </td>
              </tr>
            ))}
          </tbody>
        </PlainTable>
      )}
    </Box>
  );
}
