import { Button, Loader } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import {
  type ImportOutcome,
  type ImportRow,
  type JudgedRow,
  maxImportRows,
} from '@regie/contract/routes/row-import.ts';
import { routes } from '@regie/contract/routes.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { fr } from '#src/fr.ts';
import { api, errorSentence } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { plural } from '#src/lib/formats.ts';
import { useHeldWork } from '#src/lib/held-work.ts';
import { newId } from '#src/lib/new-id.ts';
import { downloadTemplate } from '#src/lib/table-file.ts';
import { isAcceptedFile } from '#src/lib/tables/reading.ts';
import { TableRefusal } from '#src/lib/tables/refusal.ts';
import type { ColumnNames } from '#src/lib/tables/small-table.ts';
import { readTable } from '#src/lib/tables/table-reader.ts';
import { paths } from '#src/paths.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { Dropzone } from '#src/ui/dropzone.tsx';
import { FileMenu } from '#src/ui/file-menu.tsx';
import { JudgedRows } from '#src/ui/judged-rows.tsx';
import type { StatusTone } from '#src/ui/status-badge.tsx';
import classes from './row-import.module.css';
import { columnNames, templateExample } from './row-import-columns.ts';

const t = fr.rowImport;
const accept = '.csv,.xlsx,text/csv,text/comma-separated-values,application/vnd.ms-excel';
const names: ColumnNames<keyof ImportRow> = columnNames;

type Stage =
  | { kind: 'none' }
  | { kind: 'reading' }
  | { kind: 'refused'; message: string }
  /** The server could not judge the rows: the same file can be tried again. */
  | { kind: 'failed'; file: File; message: string }
  | { kind: 'judged'; rows: ImportRow[]; ignored: string[]; outcome: ImportOutcome; key: string };

/** Imports the tracks of a file into a release: chosen, judged row by row by the server, then written all or none. */
export function RowImport({ releaseId }: { releaseId: number }) {
  const [file, setFile] = useState<File>();
  const [stage, setStage] = useState<Stage>({ kind: 'none' });
  const [failure, setFailure] = useState<string>();
  const [isImporting, setIsImporting] = useState(false);
  const reading = useRef<AbortController>(undefined);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  useEffect(() => () => reading.current?.abort(), []);
  useHeldWork(stage.kind === 'reading' || stage.kind === 'failed' || stage.kind === 'judged');

  const judge = async (rows: ImportRow[], signal?: AbortSignal) =>
    (
      await api(routes.importTracks, {
        params: { id: releaseId },
        query: { dryRun: 'true' },
        body: rows,
        ...(signal ? { signal } : {}),
      })
    ).data;

  const take = async (chosen: File) => {
    reading.current?.abort();
    const aborter = new AbortController();
    reading.current = aborter;
    setFailure(undefined);
    if (!isAcceptedFile(chosen)) {
      setFile(undefined);
      return setStage({ kind: 'refused', message: messages.csvFileType });
    }
    setFile(chosen);
    setStage({ kind: 'reading' });
    try {
      const table = await readTable(chosen, names, maxImportRows, aborter.signal);
      if (!table.fields.includes('titre')) throw new TableRefusal(t.noTitleColumn);
      const outcome = await judge(table.rows, aborter.signal);
      setStage({ kind: 'judged', rows: table.rows, ignored: table.ignored, outcome, key: newId() });
    } catch (error) {
      if (aborter.signal.aborted) return;
      if (error instanceof TableRefusal) setStage({ kind: 'refused', message: error.message });
      else setStage({ kind: 'failed', file: chosen, message: errorSentence(error) });
    }
  };

  const save = async ({ rows, key }: Extract<Stage, { kind: 'judged' }>) => {
    setIsImporting(true);
    setFailure(undefined);
    try {
      const { data, message } = await api(routes.importTracks, {
        params: { id: releaseId },
        query: {},
        body: rows,
        idempotencyKey: key,
      });
      void queryClient.invalidateQueries();
      flashSuccess(t.done(message, outcomeWords(data)), { afterNavigation: true });
      setStage({ kind: 'none' });
      setFile(undefined);
      await navigate({ to: paths.release(releaseId) });
    } catch (error) {
      setFailure(errorSentence(error));
      // The release or another one changed since the rows were judged: they are judged again.
      await judge(rows).then(
        (outcome) => setStage((now) => (now.kind === 'judged' ? { ...now, outcome } : now)),
        () => undefined,
      );
    } finally {
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
        <p role="status" className={classes.reading}>
          <Loader size={16} aria-hidden /> {t.reading}
        </p>
      )}
      {stage.kind === 'failed' && (
        <Notice tone="error" isMessage>
          {stage.message}
          <div className={classes.retry}>
            <Button size="xs" variant="default" onClick={() => void take(stage.file)}>
              {fr.common.retry}
            </Button>
          </div>
        </Notice>
      )}
      {stage.kind === 'judged' && (
        <Preview
          key={stage.key}
          outcome={stage.outcome}
          ignored={stage.ignored}
          isImporting={isImporting}
          onImport={() => void save(stage)}
          onCancel={() => {
            setStage({ kind: 'none' });
            setFile(undefined);
          }}
        />
      )}
    </section>
  );
}

const tones: Record<JudgedRow['verdict'], StatusTone> = {
  new: 'success',
  exists: 'info',
  conflict: 'danger',
  invalid: 'danger',
};
const isRefused = ({ verdict }: JudgedRow) => verdict === 'conflict' || verdict === 'invalid';

function outcomeWords({ created, completed }: ImportOutcome): string {
  return [
    plural(created, t.created, t.createdMany),
    ...(completed > 0 ? [plural(completed, t.completed, t.completedMany)] : []),
  ].join(', ');
}

interface PreviewProps {
  outcome: ImportOutcome;
  ignored: readonly string[];
  isImporting: boolean;
  onImport: () => void;
  onCancel: () => void;
}

function Preview({ outcome, ignored, isImporting, onImport, onCancel }: PreviewProps) {
  const refused = outcome.rows.filter(isRefused).length;
  const unchanged = outcome.rows.length - refused - outcome.created - outcome.completed;
  const hasWork = outcome.created + outcome.completed > 0;
  return (
    <div className={classes.preview}>
      <p role="status" className={classes.summary}>
        {[
          outcomeWords(outcome),
          ...(unchanged > 0 ? [plural(unchanged, t.unchanged, t.unchangedMany)] : []),
          ...(refused > 0 ? [plural(refused, t.refused, t.refusedMany)] : []),
        ].join(' · ')}
      </p>
      {ignored.length > 0 && <p className={classes.hint}>{t.ignored(ignored.join(', '))}</p>}
      {refused > 0 && (
        <Notice tone="error" isMessage>
          {t.correct}
        </Notice>
      )}
      <JudgedRows
        rows={outcome.rows}
        verdictOf={({ verdict }) => ({ tone: tones[verdict], words: t.verdicts[verdict] })}
        isRefused={isRefused}
        onlyRefusedLabel={t.onlyRefused}
        columns={[
          { header: t.trackTitle, cell: ({ title }) => title },
          { header: t.artists, cell: ({ artists }) => artistWords(artists) },
          { header: t.isrc, cell: ({ isrc }) => isrc, isCode: true },
          { header: t.barcode, cell: ({ barcode }) => barcode, isCode: true },
        ]}
      />
      <div className={classes.actions}>
        <Button variant="default" onClick={onCancel} disabled={isImporting}>
          {fr.common.cancel}
        </Button>
        <Button onClick={onImport} loading={isImporting} disabled={refused > 0 || !hasWork}>
          {outcome.created > 0 ? t.submit(plural(outcome.created, t.track, t.tracks)) : t.complete}
        </Button>
      </div>
      {!hasWork && refused === 0 && <p className={classes.hint}>{t.nothing}</p>}
    </div>
  );
}

function artistWords(artists: JudgedRow['artists']): string {
  const of = (role: string) => artists.filter((artist) => artist.role === role).map(({ fullname }) => fullname);
  const [primary, featured] = [of('Primary Artist').join(', '), of('Featuring').join(', ')];
  return [primary, ...(featured ? [`feat. ${featured}`] : [])].filter(Boolean).join(' ');
}
