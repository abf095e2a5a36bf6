import { Button, Loader, Stack } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import {
  maxProfileImportRows,
  type Profile,
  type ProfileImportOutcome,
  type ProfileImportRow,
} from '@regie/contract/routes/accounts.ts';
import { routes } from '@regie/contract/routes.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { fr } from '#src/fr.ts';
import { frAccounts } from '#src/fr-accounts.ts';
import { api, errorSentence } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { plural } from '#src/lib/formats.ts';
import { newId } from '#src/lib/new-id.ts';
import { downloadTemplate } from '#src/lib/table-file.ts';
import { isAcceptedFile } from '#src/lib/tables/reading.ts';
import { TableRefusal } from '#src/lib/tables/refusal.ts';
import type { ColumnNames } from '#src/lib/tables/small-table.ts';
import { readTable } from '#src/lib/tables/table-reader.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { Dropzone } from '#src/ui/dropzone.tsx';
import { FileMenu } from '#src/ui/file-menu.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import { accountName } from './account-words.ts';
import classes from './accounts.module.css';

const t = frAccounts.libraryImport;
const accept = '.csv,.xlsx,text/csv,text/comma-separated-values,application/vnd.ms-excel';

/** The columns of the file with other names that they go by; `upc` is the barcode (specification 2 §5). */
const names: ColumnNames<keyof ProfileImportRow> = {
  titre: ['titre', 'titres', 'title', 'tracktitle', 'piste', 'track', 'chanson'],
  artistes: ['artistes', 'artiste', 'artists', 'artist', 'interprete', 'interpretes'],
  barcode: ['barcode', 'upc', 'ean', 'gtin', 'codebarre', 'codebarres'],
  isrc: ['isrc', 'codeisrc'],
  album: ['album', 'sortie', 'release', 'releasetitle'],
};
const templateExample = {
  titre: 'Titre d’exemple',
  artistes: 'Artiste principal',
  barcode: '',
  isrc: '',
  album: 'Nom de la sortie',
};

type Stage =
  | { kind: 'none' }
  | { kind: 'reading' }
  | { kind: 'refused'; message: string }
  | { kind: 'judged'; rows: ProfileImportRow[]; ignored: string[]; outcome: ProfileImportOutcome; key: string };

interface LibraryImportModalProps {
  profile: Profile;
  isOpen: boolean;
  onClose: () => void;
}

/** Imports a file's releases into an account (decisions §4): judged by the server first, then written all or none. */
export function LibraryImportModal({ profile, isOpen, onClose }: LibraryImportModalProps) {
  const [file, setFile] = useState<File>();
  const [stage, setStage] = useState<Stage>({ kind: 'none' });
  const [failure, setFailure] = useState<string>();
  const [isImporting, setIsImporting] = useState(false);
  const reading = useRef<AbortController>(undefined);
  const queryClient = useQueryClient();

  const send = (rows: ProfileImportRow[], options: { dryRun: boolean; key?: string; signal?: AbortSignal }) =>
    api(routes.importProfileLibraries, {
      params: { id: profile.id },
      query: options.dryRun ? { dryRun: 'true' } : {},
      body: { user: String(profile.id), releases: rows },
      ...(options.signal ? { signal: options.signal } : {}),
      ...(options.key === undefined ? {} : { idempotencyKey: options.key }),
    });

  const take = async (chosen: File) => {
    reading.current?.abort();
    const aborter = new AbortController();
    reading.current = aborter;
    setFailure(undefined);
    if (!isAcceptedFile(chosen)) {
      setFile(undefined);
      return setStage({ kind: 'refused', message: messages.excelFileType });
    }
    setFile(chosen);
    setStage({ kind: 'reading' });
    try {
      const table = await readTable(chosen, names, maxProfileImportRows, aborter.signal);
      if (!table.fields.includes('titre')) throw new TableRefusal(t.noTitleColumn);
      const { data } = await send(table.rows, { dryRun: true, signal: aborter.signal });
      setStage({ kind: 'judged', rows: table.rows, ignored: table.ignored, outcome: data, key: newId() });
    } catch (error) {
      if (aborter.signal.aborted) return;
      setStage({ kind: 'refused', message: error instanceof TableRefusal ? error.message : errorSentence(error) });
    }
  };

  const close = () => {
    reading.current?.abort();
    setFile(undefined);
    setStage({ kind: 'none' });
    setFailure(undefined);
    onClose();
  };

  const save = async ({ rows, key }: Extract<Stage, { kind: 'judged' }>) => {
    setIsImporting(true);
    setFailure(undefined);
    try {
      const { message } = await send(rows, { dryRun: false, key });
      void queryClient.invalidateQueries();
      flashSuccess(message);
      close();
    } catch (error) {
      setFailure(errorSentence(error));
    } finally {
      setIsImporting(false);
    }
  };

  return (
    <Dialog
      isOpen={isOpen}
      holdsWork={stage.kind === 'reading' || stage.kind === 'judged'}
      onClose={isImporting ? () => undefined : close}
      title={t.title(accountName(profile))}
      size="lg"
      closeOnClickOutside={false}
    >
      <Stack gap="md">
        <p className={`${classes.line} ${classes.muted}`}>{t.hint}</p>
        {failure && (
          <Notice tone="error" onDismiss={() => setFailure(undefined)}>
            {failure}
          </Notice>
        )}
        <Dropzone
          label={t.drop}
          accept={accept}
          onFile={(chosen) => void take(chosen)}
          fileName={file?.name}
          error={stage.kind === 'refused' ? stage.message : undefined}
          hint={t.formatHint}
          disabled={isImporting}
        />
        <div>
          <FileMenu
            variant="subtle"
            label={t.template}
            onPick={(format) => downloadTemplate(format, t.templateFile, templateExample)}
          />
        </div>
        {stage.kind === 'reading' && (
          <p role="status" className={classes.line}>
            <Loader size={16} aria-hidden /> {t.reading}
          </p>
        )}
        {stage.kind === 'judged' && (
          <>
            <Verdict outcome={stage.outcome} ignored={stage.ignored} />
            <div className={classes.modalActions}>
              <CancelButton disabled={isImporting} />
              <Button
                loading={isImporting}
                disabled={stage.outcome.refused.length > 0}
                onClick={() => void save(stage)}
              >
                {t.submit}
              </Button>
            </div>
          </>
        )}
      </Stack>
    </Dialog>
  );
}

function Verdict({ outcome, ignored }: { outcome: ProfileImportOutcome; ignored: readonly string[] }) {
  return (
    <>
      <p role="status" className={classes.line}>
        {t.counts(
          plural(outcome.releases, t.releaseOne, t.releaseMany),
          plural(outcome.created, t.trackOne, t.trackMany),
          plural(outcome.unchanged, t.knownOne, t.knownMany),
        )}
      </p>
      {ignored.length > 0 && <p className={`${classes.line} ${classes.hint}`}>{t.ignored(ignored.join(', '))}</p>}
      {outcome.refused.length > 0 && (
        <>
          <Notice tone="error" isMessage>
            {t.correct}
          </Notice>
          <ul className={classes.refused}>
            {outcome.refused.map(({ row, message }) => (
              <li key={row}>{t.refusedRow(row, message)}</li>
            ))}
          </ul>
        </>
      )}
      {outcome.refused.length === 0 && outcome.added.length === 0 && (
        <p className={`${classes.line} ${classes.muted}`}>{t.nothing}</p>
      )}
      {outcome.refused.length === 0 && outcome.added.length > 0 && (
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
                <td data-short className={classes.destination}>
                  {release.barcode ?? fr.common.none}
                </td>
                <td data-align="right">{release.tracks}</td>
              </tr>
            ))}
          </tbody>
        </PlainTable>
      )}
    </>
  );
}
