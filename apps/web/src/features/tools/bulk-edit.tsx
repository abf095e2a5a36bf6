import { Button, Loader, SegmentedControl } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import type { JudgedBulkRow } from '@regie/contract/routes/tools.ts';
import { routes } from '@regie/contract/routes.ts';
import { maxBulkFileRows, toolMessages } from '@regie/contract/tools.ts';
import { IconDownload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { fr } from '#src/fr.ts';
import { frTools } from '#src/fr-tools.ts';
import { ApiError, api, errorSentence } from '#src/lib/api.ts';
import { formatInteger, plural } from '#src/lib/formats.ts';
import { useHeldWork } from '#src/lib/held-work.ts';
import { newId } from '#src/lib/new-id.ts';
import { downloadTable, downloadTemplate } from '#src/lib/table-file.ts';
import { isAcceptedFile } from '#src/lib/tables/reading.ts';
import { TableRefusal } from '#src/lib/tables/refusal.ts';
import { readTable } from '#src/lib/tables/table-reader.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { Dropzone } from '#src/ui/dropzone.tsx';
import { FileMenu } from '#src/ui/file-menu.tsx';
import { JudgedRows } from '#src/ui/judged-rows.tsx';
import type { StatusTone } from '#src/ui/status-badge.tsx';
import { type CodeKind, columnNames, countVerdicts, toBulkRow, unsavedColumns } from './bulk-columns.ts';
import { clearBulkSend, type JudgedFile, outcomeWords, sendBulk, useBulkSend } from './bulk-send.ts';
import classes from './tools.module.css';

const t = frTools.bulk;
const accept = '.csv,.xlsx,text/csv,text/comma-separated-values,application/vnd.ms-excel';
const maxShown = 500;

type Stage =
  | { kind: 'none' }
  | { kind: 'reading' }
  | { kind: 'refused'; message: string }
  /** The server could not judge the rows: the same file can be tried again. */
  | { kind: 'failed'; file: File; message: string }
  | { kind: 'judged'; judged: JudgedFile };

/** The first row that cannot be read as one, such as by a text without end. */
function refusedRow(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  for (const [path, message] of Object.entries(error.errors)) {
    const index = /^rows\.(\d+)\./.exec(path)?.[1];
    if (index !== undefined) return toolMessages.atRow(Number(index) + 1, message);
  }
  return undefined;
}

/** A file that sets ISRCs or barcodes: read, judged row by row, sent in chunks of fifty rows (specification 2 §2, §7). */
export function BulkEdit() {
  const sending = useBulkSend();
  const [chosenKind, setKind] = useState<CodeKind>('isrc');
  const [file, setFile] = useState<File>();
  const [ownStage, setStage] = useState<Stage>({ kind: 'none' });
  const reading = useRef<AbortController>(undefined);
  const queryClient = useQueryClient();
  useEffect(() => () => reading.current?.abort(), []);
  // A file that is being sent, or was, is what the screen shows, wherever the sending began.
  const stage: Stage = sending.stage === 'none' ? ownStage : { kind: 'none' };
  const isSending = sending.stage === 'sending';
  const judged =
    isSending || sending.stage === 'stopped' ? sending.judged : stage.kind === 'judged' ? stage.judged : undefined;
  const kind = judged?.kind ?? (sending.stage === 'done' ? sending.kind : chosenKind);
  useHeldWork(judged !== undefined || stage.kind === 'reading' || stage.kind === 'failed');

  const reset = () => {
    reading.current?.abort();
    clearBulkSend();
    setFile(undefined);
    setStage({ kind: 'none' });
  };

  const take = async (chosen: File) => {
    reading.current?.abort();
    const aborter = new AbortController();
    reading.current = aborter;
    setKind(kind);
    clearBulkSend();
    if (!isAcceptedFile(chosen)) {
      setFile(undefined);
      return setStage({ kind: 'refused', message: messages.csvFileType });
    }
    setFile(chosen);
    setStage({ kind: 'reading' });
    try {
      const table = await readTable(chosen, columnNames[kind], maxBulkFileRows, aborter.signal);
      const refuse = (why: string) => new TableRefusal(`${messages.invalidData}\u00a0: ${why}`);
      if (!table.fields.includes('code')) throw refuse(t.noCode[kind]);
      if (!table.fields.includes('title') && !table.fields.includes('id')) throw refuse(t.noTitle);
      const { data } = await api(routes.judgeBulkRows, {
        body: { kind, rows: table.rows.map((row) => toBulkRow(kind, row)) },
        signal: aborter.signal,
      });
      const { rows, ignored } = table;
      setStage({
        kind: 'judged',
        judged: { kind, fileName: chosen.name, rows, verdicts: data, ignored, key: newId() },
      });
    } catch (error) {
      if (aborter.signal.aborted) return;
      const refusal = error instanceof TableRefusal ? error.message : refusedRow(error);
      if (refusal !== undefined) setStage({ kind: 'refused', message: refusal });
      else setStage({ kind: 'failed', file: chosen, message: errorSentence(error) });
    }
  };

  const send = async (...sent: Parameters<typeof sendBulk>) => {
    setFile(undefined);
    setStage({ kind: 'none' });
    await sendBulk(...sent);
    void queryClient.invalidateQueries();
  };

  return (
    <div className={classes.bulk}>
      <div>
        <SegmentedControl
          aria-label={t.kind}
          value={kind}
          disabled={isSending}
          data={(['isrc', 'barcode'] as const).map((value) => ({ value, label: t.kinds[value] }))}
          onChange={(value) => {
            reset();
            setKind(value === 'barcode' ? 'barcode' : 'isrc');
          }}
        />
      </div>
      <p className={`${classes.line} ${classes.muted}`}>
        {t.hint[kind]} {t.exportHint}
      </p>
      <Dropzone
        label={t.drop}
        accept={accept}
        onFile={(chosen) => void take(chosen)}
        fileName={judged?.fileName ?? file?.name}
        error={stage.kind === 'refused' ? stage.message : undefined}
        hint={t.formats(formatInteger(maxBulkFileRows))}
        disabled={isSending}
      />
      <div>
        <FileMenu
          variant="subtle"
          label={t.template}
          onPick={(format) => downloadTemplate(format, t.templateFile[kind], t.templateExample[kind])}
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
      {judged && (
        <Preview
          key={judged.key}
          judged={judged}
          isSending={isSending}
          failure={sending.stage === 'stopped' ? sending.failure : undefined}
          onSend={() => void send(judged, sending.stage === 'stopped' ? sending.progress : undefined)}
          onCancel={reset}
        />
      )}
      {sending.stage === 'done' && (
        <Notice tone={sending.saved > 0 ? 'success' : 'info'} onDismiss={reset}>
          {outcomeWords(sending.saved, sending.unsaved.length).join(' · ')}
          {sending.unsaved.length > 0 && (
            <div className={classes.retry}>
              <Button
                size="xs"
                variant="default"
                leftSection={<IconDownload size={14} stroke={1.8} aria-hidden />}
                onClick={() => void downloadTable('csv', t.unsavedFile, unsavedColumns(kind), sending.unsaved)}
              >
                {t.download}
              </Button>
            </div>
          )}
        </Notice>
      )}
    </div>
  );
}

const tones: Record<JudgedBulkRow['verdict'], StatusTone> = {
  change: 'success',
  same: 'info',
  blank: 'neutral',
  unsaved: 'danger',
};

interface PreviewProps {
  judged: JudgedFile;
  isSending: boolean;
  /** Why the sending stopped; it can go on. */
  failure: string | undefined;
  onSend: () => void;
  onCancel: () => void;
}

function Preview({ judged, isSending, failure, onSend, onCancel }: PreviewProps) {
  const { verdicts, ignored } = judged;
  const counts = countVerdicts(verdicts);
  const first = verdicts.find(({ verdict }) => verdict === 'unsaved');
  return (
    <div className={classes.preview}>
      <p role="status" className={classes.summary}>
        {[
          plural(counts.change, t.changes, t.changesMany),
          ...(counts.same > 0 ? [plural(counts.same, t.same, t.sameMany)] : []),
          ...(counts.blank > 0 ? [plural(counts.blank, t.blank, t.blankMany)] : []),
          ...(counts.unsaved > 0 ? [plural(counts.unsaved, t.unsaved, t.unsavedMany)] : []),
        ].join(' · ')}
      </p>
      {failure && (
        <Notice tone="error" isMessage>
          {failure}
        </Notice>
      )}
      {ignored.length > 0 && <p className={`${classes.line} ${classes.muted}`}>{t.ignored(ignored.join(', '))}</p>}
      {first && (
        <Notice tone="error" isMessage>
          {toolMessages.atRow(first.row, first.message ?? '')}
          {counts.unsaved > 1 && t.others(plural(counts.unsaved - 1, t.other, t.othersMany))}.{' '}
          {counts.change > 0 && t.skipped}
        </Notice>
      )}
      <JudgedRows
        rows={verdicts}
        verdictOf={({ verdict }) => ({ tone: tones[verdict], words: t.verdict[verdict] })}
        isRefused={({ verdict }) => verdict === 'unsaved'}
        onlyRefusedLabel={t.onlyUnsaved}
        columns={[
          { header: t.column.title, cell: ({ title }) => title },
          { header: t.column.before, cell: ({ before }) => before, isCode: true },
          { header: t.column.after, cell: ({ row, after }) => after ?? judged.rows[row - 1]?.code, isCode: true },
        ]}
        limit={{ rows: maxShown, note: t.shown(formatInteger(maxShown)) }}
      />
      <div className={classes.actions}>
        <Button variant="default" onClick={onCancel} disabled={isSending}>
          {fr.common.cancel}
        </Button>
        <Button onClick={onSend} loading={isSending} disabled={counts.change === 0}>
          {failure ? t.resume : t.submit(plural(counts.change, t.code, t.codes))}
        </Button>
      </div>
      {counts.change === 0 && <p className={`${classes.line} ${classes.muted}`}>{t.nothing}</p>}
    </div>
  );
}
