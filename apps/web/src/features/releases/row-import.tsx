import { Button } from '@mantine/core';
import { trackColumns } from '@regie/contract/columns.ts';
import { messages } from '@regie/contract/messages.ts';
import {
  type ImportOutcome,
  type ImportRow,
  maxImportRows,
  type ValidatedRow,
} from '@regie/contract/routes/row-import.ts';
import { routes } from '@regie/contract/routes.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, isUnanswered } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { plural } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { newId } from '#src/lib/new-id.ts';
import { TableRefusal } from '#src/lib/tables/refusal.ts';
import { useUnsavedChanges } from '#src/lib/unsaved-changes.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { CheckedFile, FileCheckDrop, saveFailure, useFileCheck } from '#src/ui/file-check.tsx';
import type { StatusTone } from '#src/ui/status-badge.tsx';
import { ValidatedRows } from '#src/ui/validated-rows.tsx';
import { frReleases } from './releases.fr.ts';
import classes from './row-import.module.css';

/** The template's columns and its example row. */
const templateExample = {
  titre: 'Titre d’exemple',
  artistes: 'Artiste principal feat. Artiste invité',
  barcode: '',
  isrc: '',
};

const t = frReleases.rowImport;

interface Checked {
  rows: ImportRow[];
  told: string[];
  outcome: ImportOutcome;
  key: string;
}

interface RowImportProps {
  releaseId: number;
  onImported: (outcome: ImportOutcome) => void;
}

/** Imports the tracks of a file into a release: rows are validated by the server, then all or none are written. */
export function RowImport({ releaseId, onImported }: RowImportProps) {
  const [failure, setFailure] = useState<string>();
  const [isImporting, setIsImporting] = useState(false);
  const queryClient = useQueryClient();

  const judge = async (rows: ImportRow[], signal?: AbortSignal) =>
    (
      await api(routes.importTracks, {
        params: { id: releaseId },
        query: { dryRun: 'true' },
        body: rows,
        ...(signal ? { signal } : {}),
      })
    ).data;
  const file = useFileCheck<keyof ImportRow, Checked>({
    names: trackColumns,
    maxRows: maxImportRows,
    wrongType: messages.csvFileType,
    check: async ({ fields, rows, told }, signal) => {
      setFailure(undefined);
      if (!fields.includes('titre')) throw new TableRefusal(t.noTitleColumn);
      return { rows, told, outcome: await judge(rows, signal), key: newId() };
    },
  });
  useUnsavedChanges(file.isDirty, file.isDirty && !isImporting);

  const save = async (checked: Checked) => {
    setIsImporting(true);
    setFailure(undefined);
    try {
      const { data, message } = await api(routes.importTracks, {
        params: { id: releaseId },
        query: {},
        body: checked.rows,
        idempotencyKey: checked.key,
      });
      onImported(data);
      flashSuccess(t.done(message, outcomeLabels(data)));
      file.reset();
    } catch (error) {
      setFailure(saveFailure(error));
      // The same rows with the same key return the first response.
      if (isUnanswered(error)) return;
      // The release changed since the rows were validated: validate them again.
      await judge(checked.rows).then(
        (outcome) => file.replace({ ...checked, outcome }),
        () => undefined,
      );
    } finally {
      void queryClient.invalidateQueries();
      setIsImporting(false);
    }
  };

  return (
    <section className={classes.section} aria-labelledby="row-import">
      <div>
        <h2 id="row-import" className={classes.title}>
          {t.title}
        </h2>
        <p className={classes.hint}>{t.hint}</p>
      </div>
      <Message tone="error" text={failure} onDismiss={setFailure} />
      <FileCheckDrop
        check={file}
        label={t.drop}
        hint={t.formatHint}
        template={{ file: t.templateFile, example: templateExample }}
        disabled={isImporting}
      />
      {file.checked && (
        <Preview
          key={file.checked.key}
          checked={file.checked}
          isImporting={isImporting}
          onImport={save}
          onCancel={file.reset}
        />
      )}
    </section>
  );
}

const tones: Record<ValidatedRow['verdict'], StatusTone> = {
  new: 'success',
  exists: 'info',
  conflict: 'danger',
  invalid: 'danger',
};
const isRefused = ({ verdict }: ValidatedRow) => verdict === 'conflict' || verdict === 'invalid';

function outcomeLabels({ created, completed }: ImportOutcome): string {
  return [
    plural(created, t.created, t.createdMany),
    ...(completed > 0 ? [plural(completed, t.completed, t.completedMany)] : []),
  ].join(', ');
}

interface PreviewProps {
  checked: Checked;
  isImporting: boolean;
  onImport: (checked: Checked) => Promise<void>;
  onCancel: () => void;
}

function Preview({ checked, isImporting, onImport, onCancel }: PreviewProps) {
  const { outcome, told } = checked;
  const refused = outcome.rows.filter(isRefused).length;
  const unchanged = outcome.rows.length - refused - outcome.created - outcome.completed;
  const hasWork = outcome.created + outcome.completed > 0;
  return (
    <CheckedFile
      summary={[
        outcomeLabels(outcome),
        ...(unchanged > 0 ? [plural(unchanged, t.unchanged, t.unchangedMany)] : []),
        ...(refused > 0 ? [plural(refused, t.refused, t.refusedMany)] : []),
      ].join(' · ')}
      told={told}
      nothing={hasWork || refused > 0 ? undefined : t.nothing}
      cancel={
        <Button variant="default" onClick={onCancel} disabled={isImporting}>
          {fr.common.cancel}
        </Button>
      }
      submit={
        <Button onClick={() => void onImport(checked)} loading={isImporting} disabled={refused > 0 || !hasWork}>
          {outcome.created > 0 ? t.submit(plural(outcome.created, t.track, t.tracks)) : t.complete}
        </Button>
      }
    >
      {refused > 0 && (
        <Notice tone="error" isMessage>
          {t.correct}
        </Notice>
      )}
      <ValidatedRows
        rows={outcome.rows}
        verdictOf={({ verdict }) => ({ tone: tones[verdict], words: t.verdicts[verdict] })}
        isRefused={isRefused}
        onlyRefusedLabel={t.onlyRefused}
        columns={[
          { header: t.trackTitle, cell: ({ title }) => title },
          { header: t.artists, cell: ({ artists }) => artistNames(artists) },
          { header: t.isrc, cell: ({ isrc }) => isrc, isCode: true },
          { header: t.barcode, cell: ({ barcode }) => barcode, isCode: true },
        ]}
      />
    </CheckedFile>
  );
}

function artistNames(artists: ValidatedRow['artists']): string {
  const of = (role: string) => artists.filter((artist) => artist.role === role).map(({ fullname }) => fullname);
  const [primary, featured] = [of('Primary Artist').join(', '), of('Featuring').join(', ')];
  return [primary, ...(featured ? [`feat. ${featured}`] : [])].filter(Boolean).join(' ');
}
