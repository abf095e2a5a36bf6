import { Button } from '@mantine/core';
import { anyEditLibraries } from '@regie/contract/releases.ts';
import type { Person } from '@regie/contract/routes/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconExternalLink, IconPencil, IconPlus } from '@tabler/icons-react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { ArtistDialog } from '#src/domain/tracks/artist-dialog.tsx';
import { frTracks } from '#src/domain/tracks/tracks.fr.ts';
import { useAsked } from '#src/lib/asked.ts';
import { fr } from '#src/lib/fr.ts';
import { usePageLocation } from '#src/lib/page-location.ts';
import { useCan } from '#src/lib/session.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { IconButton } from '#src/ui/icon-button.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { integerColumn } from '#src/ui/list/value-columns.tsx';
import shared from '#src/ui/shared.module.css';
import { frLibrary } from './library.fr.ts';
import { libraryTabs } from './library-tabs.ts';

const t = frLibrary;

const names = new Map<string, string>(Object.entries(frTracks.roles));
/** Instruments are shown as stored. */
const roleNames = ({ roles }: Person) => roles.map((role) => names.get(role) ?? role).join(', ');

const storeLinks = {
  spotify: 'https://open.spotify.com/artist/',
  appleMusic: 'https://music.apple.com/artist/',
};

const kinds = {
  artists: { route: routes.listArtists, title: frScreens.library.artists, path: paths.artists, exportName: 'artistes' },
  contributors: {
    route: routes.listContributors,
    title: frScreens.library.contributors,
    path: paths.contributors,
    exportName: 'contributeurs',
  },
  editors: { route: routes.listEditors, title: frScreens.library.editors, path: paths.editors, exportName: 'editeurs' },
} as const;
type Kind = keyof typeof kinds;

const columns: (ListColumn<Person> & { of?: Kind })[] = [
  {
    key: 'name',
    header: t.column.name,
    sort: 'fullname',
    cell: (person) => <span className={`${shared.name} ${shared.twoLines}`}>{person.fullname}</span>,
    csv: (person) => person.fullname,
  },
  {
    key: 'roles',
    header: t.column.roles,
    cell: (person) => roleNames(person) || fr.common.none,
    csv: roleNames,
  },
  integerColumn({ key: 'tracks', header: t.column.tracks, csv: (person) => person.tracks }),
  {
    key: 'spotify',
    header: t.column.spotify,
    of: 'artists',
    isTableOnly: true,
    cell: (person) => <StoreLink store="spotify" id={person.spotifyId} name={person.fullname} />,
    csv: (person) => person.spotifyId,
  },
  {
    key: 'appleMusic',
    header: t.column.appleMusic,
    of: 'artists',
    isTableOnly: true,
    cell: (person) => <StoreLink store="appleMusic" id={person.appleMusicId} name={person.fullname} />,
    csv: (person) => person.appleMusicId,
  },
];

function StoreLink({ store, id, name }: { store: keyof typeof storeLinks; id: string | null; name: string }) {
  if (!id) return <span className={shared.muted}>{fr.common.none}</span>;
  return (
    <a
      className={`${shared.link} ${shared.mono}`}
      style={{ display: 'inline-flex', alignItems: 'center', gap: 4 }}
      href={storeLinks[store] + id}
      target="_blank"
      rel="noreferrer"
      aria-label={t.open(t.column[store], name)}
    >
      {id}
      <IconExternalLink size={14} stroke={1.7} aria-hidden />
    </a>
  );
}

export default function PeopleListPage() {
  const can = useCan();
  const segment = usePageLocation().pathname.split('/')[2];
  const kind: Kind = segment === 'contributors' || segment === 'editors' ? segment : 'artists';
  const { route, title, path, exportName } = kinds[kind];
  const { subject: edited, ask: edit, dialog } = useAsked<Person | undefined>();
  const canEdit = kind === 'artists' && anyEditLibraries.some(can);
  return (
    <>
      <ListPage
        id={kind}
        title={title}
        route={route}
        columns={columns.filter((column) => column.of === undefined || column.of === kind)}
        rowName={(person) => person.fullname}
        onRowOpen={canEdit ? edit : undefined}
        rowActions={
          canEdit
            ? (person) => (
                <IconButton
                  icon={IconPencil}
                  label={frTracks.artist.editTitle(person.fullname)}
                  onClick={() => edit(person)}
                />
              )
            : undefined
        }
        actions={
          canEdit ? (
            <Button leftSection={buttonIcon(IconPlus)} onClick={() => edit(undefined)}>
              {frTracks.artist.newArtist}
            </Button>
          ) : undefined
        }
        searchPlaceholder={t.searchPeople}
        tabs={libraryTabs(path)}
        defaultSort={{ key: 'fullname', order: 'asc' }}
        exportName={exportName}
        empty={{ title: t.emptyTitle.people, text: t.emptyText.people }}
      />
      {canEdit && <ArtistDialog artist={edited} {...dialog} />}
    </>
  );
}
