import { Box, Button, Stack } from '@mantine/core';
import { libraryColumns } from '@regie/contract/columns.ts';
import { messages } from '@regie/contract/messages.ts';
import {
  maxProfileImportRows,
  type Profile,
  type ProfileImportOutcome,
  type ProfileImportRow,
} from '@regie/contract/routes/accounts.ts';
import { routes } from '@regie/contract/routes.ts';
import { api } from '#src/lib/api.ts';
import type { DialogState } from '#src/lib/asked.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { TableRefusal } from '#src/lib/tables/refusal.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { CheckedFile, type CheckedRows, FileCheckDrop, useFileCheck } from '#src/ui/file-check.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import shared from '#src/ui/shared.module.css';
import { accountName } from './account-labels.ts';
import { frAccounts } from './accounts.fr.ts';

const t = frAccounts.libraryImport;

const templateExample = {
  titre: 'Titre d’exemple',
  artistes: 'Artiste principal',
  barcode: '',
  isrc: '',
  album: 'Nom de la sortie',
};

type Checked = CheckedRows<keyof ProfileImportRow> & { outcome: ProfileImportOutcome };

/** Imports a file's releases into an account (product §34.5): validated by the server, then all or none are written. */
export function LibraryImportModal({ profile, isOpen, onClose }: { profile: Profile } & DialogState) {
  const send = (rows: ProfileImportRow[], options: { dryRun: boolean; key?: string; signal?: AbortSignal }) =>
    api(routes.importProfileLibraries, {
      params: { id: profile.id },
      query: options.dryRun ? { dryRun: 'true' } : {},
      body: { user: String(profile.id), releases: rows },
      signal: options.signal,
      idempotencyKey: options.key,
    });

  const file = useFileCheck<keyof ProfileImportRow, Pick<Checked, 'outcome'>>({
    names: libraryColumns,
    maxRows: maxProfileImportRows,
    wrongType: messages.excelFileType,
    check: async ({ fields, rows }, signal) => {
      if (!fields.includes('titre')) throw new TableRefusal(t.noTitleColumn);
      return { outcome: (await send(rows, { dryRun: true, signal })).data };
    },
  });

  const close = () => {
    file.reset();
    onClose();
  };

  const save = ({ rows, key }: Checked) =>
    file.save(async () => {
      flashSuccess((await send(rows, { dryRun: false, key })).message);
      close();
    });

  return (
    <Dialog
      isOpen={isOpen}
      isDirty={file.isDirty}
      onClose={file.isSaving ? () => undefined : close}
      title={t.title(accountName(profile))}
      size="lg"
      closeOnClickOutside={false}
    >
      <Stack gap="md">
        <p className={shared.muted}>{t.hint}</p>
        <FileCheckDrop
          check={file}
          label={t.drop}
          hint={t.formatHint}
          template={{ file: t.templateFile, example: templateExample }}
        />
        {file.checked && <Verdict checked={file.checked} isImporting={file.isSaving} onImport={save} />}
      </Stack>
    </Dialog>
  );
}

interface VerdictProps {
  checked: Checked;
  isImporting: boolean;
  onImport: (checked: Checked) => Promise<unknown>;
}

function Verdict({ checked, isImporting, onImport }: VerdictProps) {
  const { outcome, notes } = checked;
  const isRefused = outcome.refused.length > 0;
  return (
    <CheckedFile
      summary={[t.releases(outcome.releases), t.tracksMade(outcome.created), t.known(outcome.unchanged)].join(', ')}
      notes={notes}
      nothing={isRefused || outcome.added.length > 0 ? undefined : t.nothing}
      cancel={<CancelButton disabled={isImporting} />}
      submit={
        <Button loading={isImporting} disabled={isRefused} onClick={() => void onImport(checked)}>
          {t.submit}
        </Button>
      }
    >
      {isRefused && (
        <>
          <Notice tone="error" isMessage>
            {t.correct}
          </Notice>
          <Box component="ul" fz={13} className={shared.bullets}>
            {outcome.refused.map(({ row, message }) => (
              <li key={row}>{t.refusedRow(row, message)}</li>
            ))}
          </Box>
        </>
      )}
      {!isRefused && outcome.added.length > 0 && (
        <PlainTable
          name={t.release}
          head={[t.release, frAccounts.libraries.barcode, { right: t.tracks }]}
          maxHeight={320}
        >
          <tbody>
            {outcome.added.map((release, index) => (
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
      )}
    </CheckedFile>
  );
}
