import { Box, Button, SegmentedControl, Stack } from '@mantine/core';
import { bulkColumns } from '@regie/contract/columns.ts';
import { messages } from '@regie/contract/messages.ts';
import type { ValidatedBulkRow } from '@regie/contract/routes/tools.ts';
import { routes } from '@regie/contract/routes.ts';
import { maxBulkFileRows, toolMessages } from '@regie/contract/tools.ts';
import { formatInteger } from '@regie/values/formats.ts';
import { IconDownload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { TableRefusal } from '#src/lib/tables/refusal.ts';
import { useUnsavedChanges } from '#src/lib/unsaved-changes.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { CheckedFile, FileCheckDrop, useFileCheck } from '#src/ui/file-check.tsx';
import { LeaveModal } from '#src/ui/leave-modal.tsx';
import shared from '#src/ui/shared.module.css';
import type { StatusTone } from '#src/ui/status-badge.tsx';
import { ValidatedRows } from '#src/ui/validated-rows.tsx';
import {
  type CodeKind,
  countVerdicts,
  downloadUnsaved,
  type FileRow,
  toBulkRow,
  type UnsavedRow,
} from './bulk-columns.ts';
import { clearBulkSend, type Judged, outcomeLabels, type ParsedFile, sendBulk, useBulkSend } from './bulk-send.ts';
import { frTools } from './tools.fr.ts';

const t = frTools.bulk;
const maxShown = 500;

function refusedRow(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  for (const [path, message] of Object.entries(error.errors)) {
    const index = /^rows\.(\d+)\./.exec(path)?.[1];
    if (index !== undefined) return toolMessages.atRow(Number(index) + 1, message);
  }
  return undefined;
}

/** A file that sets ISRCs or barcodes: validated row by row, sent in chunks of fifty rows (product §22.13, §27.7). */
export function BulkEdit() {
  const sending = useBulkSend();
  const [chosenKind, setKind] = useState<CodeKind>('isrc');
  const [isAsking, setIsAsking] = useState(false);
  const queryClient = useQueryClient();
  const isSending = sending.stage === 'sending';
  // A file being sent, or the last one sent, is shown wherever the upload started.
  const sent = sending.stage === 'sending' || sending.stage === 'stopped' ? sending.validated : undefined;
  const kind = sent?.kind ?? (sending.stage === 'done' ? sending.kind : chosenKind);
  const fileCheck = useFileCheck<keyof FileRow, Judged>({
    names: bulkColumns[kind],
    maxRows: maxBulkFileRows,
    wrongType: messages.csvFileType,
    check: async ({ fields, rows }, signal) => {
      const refuse = (why: string) => new TableRefusal(`${messages.invalidData}\u00a0: ${why}`);
      if (!fields.includes('code')) throw refuse(t.noCode[kind]);
      if (!fields.includes('title') && !fields.includes('id')) throw refuse(t.noTitle);
      try {
        const body = { kind, rows: rows.map((row) => toBulkRow(kind, row)) };
        const { data } = await api(routes.judgeBulkRows, { body, signal });
        return { kind, verdicts: data };
      } catch (error) {
        const refusal = refusedRow(error);
        throw refusal === undefined ? error : new TableRefusal(refusal);
      }
    },
  });
  const validated = sent ?? fileCheck.checked;
  // A file being sent, or the last one sent, outlives the screen.
  useUnsavedChanges(sent !== undefined || fileCheck.isDirty, fileCheck.isDirty);

  const take = (...chosen: Parameters<typeof fileCheck.take>) => {
    setKind(kind);
    clearBulkSend();
    return fileCheck.take(...chosen);
  };

  const reset = () => {
    clearBulkSend();
    fileCheck.reset();
  };

  const change = () => {
    reset();
    setKind(kind === 'isrc' ? 'barcode' : 'isrc');
    setIsAsking(false);
  };

  const send = async (...toSend: Parameters<typeof sendBulk>) => {
    fileCheck.reset();
    await sendBulk(...toSend);
    void queryClient.invalidateQueries();
  };

  return (
    <Stack gap={16} maw={960}>
      <div>
        <SegmentedControl
          aria-label={t.kind}
          value={kind}
          disabled={isSending}
          data={(['isrc', 'barcode'] as const).map((value) => ({ value, label: t.kinds[value] }))}
          onChange={() => (fileCheck.isDirty || sending.stage === 'stopped' ? setIsAsking(true) : change())}
        />
        <LeaveModal leaving={{ isAsking, leave: change, stay: () => setIsAsking(false) }} />
      </div>
      <p className={shared.note}>
        {t.hint[kind]} {t.exportHint}
      </p>
      <FileCheckDrop
        check={{ ...fileCheck, fileName: validated?.fileName ?? fileCheck.fileName, take, isSaving: isSending }}
        label={t.drop}
        hint={t.formats(formatInteger(maxBulkFileRows))}
        template={{ file: t.templateFile[kind], example: t.templateExample[kind] }}
      />
      {validated && (
        <Preview
          key={validated.key}
          validated={validated}
          isSending={isSending}
          failure={sending.stage === 'stopped' ? sending.failure : undefined}
          onSend={() => void send(validated, sending.stage === 'stopped' ? sending.progress : undefined)}
          onCancel={reset}
        />
      )}
      {sending.stage === 'done' && (
        <Notice tone={sending.saved > 0 ? 'success' : 'info'} onDismiss={reset}>
          {outcomeLabels(sending.saved, sending.unsaved.length).join(' · ')}
          <UnsavedDownload kind={kind} rows={sending.unsaved} />
        </Notice>
      )}
    </Stack>
  );
}

function UnsavedDownload({ kind, rows }: { kind: CodeKind; rows: readonly UnsavedRow[] }) {
  return (
    rows.length > 0 && (
      <Box mt={8}>
        <Button
          size="xs"
          variant="default"
          leftSection={buttonIcon(IconDownload, 14)}
          onClick={() => void downloadUnsaved(kind, rows)}
        >
          {t.download}
        </Button>
      </Box>
    )
  );
}

const tones: Record<ValidatedBulkRow['verdict'], StatusTone> = {
  change: 'success',
  same: 'info',
  blank: 'neutral',
  unsaved: 'danger',
};

interface PreviewProps {
  validated: ParsedFile;
  isSending: boolean;
  failure: string | undefined;
  onSend: () => void;
  onCancel: () => void;
}

function Preview({ validated, isSending, failure, onSend, onCancel }: PreviewProps) {
  const { verdicts, notes } = validated;
  const counts = countVerdicts(verdicts);
  const first = verdicts.find(({ verdict }) => verdict === 'unsaved');
  const unsaved = verdicts.flatMap(({ verdict, message, row }) => {
    const refused = verdict === 'unsaved' ? validated.rows[row - 1] : undefined;
    return refused ? [{ ...refused, reason: message ?? '' }] : [];
  });
  return (
    <CheckedFile
      summary={[
        t.changes(counts.change),
        counts.same > 0 && t.same(counts.same),
        counts.blank > 0 && t.blank(counts.blank),
        counts.unsaved > 0 && t.unsaved(counts.unsaved),
      ]
        .filter(Boolean)
        .join(' · ')}
      notes={notes}
      nothing={counts.change === 0 ? t.nothing : undefined}
      cancel={
        <Button variant="default" onClick={onCancel} disabled={isSending}>
          {fr.common.cancel}
        </Button>
      }
      submit={
        <Button onClick={onSend} loading={isSending} disabled={counts.change === 0}>
          {failure ? t.resume : t.submit(counts.change)}
        </Button>
      }
    >
      <Message text={failure} />
      {first && (
        <Notice tone="error" isMessage>
          {toolMessages.atRow(first.row, first.message ?? '')}
          {counts.unsaved > 1 && t.others(t.other(counts.unsaved - 1))}. {counts.change > 0 && t.skipped}
          <UnsavedDownload kind={validated.kind} rows={unsaved} />
        </Notice>
      )}
      <ValidatedRows
        rows={verdicts}
        verdictOf={({ verdict }) => ({ tone: tones[verdict], words: t.verdict[verdict] })}
        isRefused={({ verdict }) => verdict === 'unsaved'}
        onlyRefusedLabel={t.onlyUnsaved}
        columns={[
          { header: t.column.title, cell: ({ title }) => title },
          { header: t.column.before, cell: ({ before }) => before, isCode: true },
          { header: t.column.after, cell: ({ row, after }) => after ?? validated.rows[row - 1]?.code, isCode: true },
        ]}
        limit={{ rows: maxShown, note: t.shown(formatInteger(maxShown)) }}
      />
    </CheckedFile>
  );
}
