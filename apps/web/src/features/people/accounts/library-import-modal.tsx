import { libraryColumns } from '@regie/contract/columns.ts';
import { maxProfileImportRows, type Profile, type ProfileImportOutcome } from '@regie/contract/routes/accounts.ts';
import { routes } from '@regie/contract/routes.ts';
import { api } from '#src/lib/api.ts';
import type { DialogState } from '#src/lib/asked.ts';
import { fr } from '#src/lib/fr.ts';
import { PlainTable } from '#src/ui/plain-table.tsx';
import shared from '#src/ui/shared.module.css';
import { accountName } from './account-labels.ts';
import { frAccounts } from './accounts.fr.ts';
import { ImportDialog } from './import-dialog.tsx';

const t = frAccounts.libraryImport;

const templateExample = {
  titre: 'Titre d’exemple',
  artistes: 'Artiste principal',
  barcode: '',
  isrc: '',
  album: 'Nom de la sortie',
};

/** Imports a file's releases into an account (product §34.5). */
export const LibraryImportModal = ({ profile, ...dialog }: { profile: Profile } & DialogState) => (
  <ImportDialog
    {...dialog}
    title={t.title(accountName(profile))}
    texts={t}
    example={templateExample}
    names={libraryColumns}
    maxRows={maxProfileImportRows}
    keys={['titre']}
    send={(releases, options) => {
      const body = { user: String(profile.id), releases };
      return api(routes.importProfileLibraries, { params: { id: profile.id }, body, ...options });
    }}
    verdict={({ releases, created, unchanged, refused, added }) => ({
      summary: [t.releases(releases), t.tracksMade(created), t.known(unchanged)].join(', '),
      nothing: added.length > 0 ? undefined : t.nothing,
      details: refused.length === 0 && added.length > 0 && <NewReleases added={added} />,
    })}
  />
);

const NewReleases = ({ added }: Pick<ProfileImportOutcome, 'added'>) => (
  <PlainTable name={t.release} head={[t.release, frAccounts.libraries.barcode, { right: t.tracks }]} maxHeight={320}>
    <tbody>
      {added.map((release, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: releases that are not there yet have no identity
        <tr key={index}>
          <td>{release.title}</td>
          <td data-short className={shared.mono}>
            {release.barcode ?? fr.common.none}
          </td>
          <td data-align="right">{release.tracks}</td>
        </tr>
      ))}
    </tbody>
  </PlainTable>
);
