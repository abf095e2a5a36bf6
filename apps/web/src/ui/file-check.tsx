import { Box, Group, Loader, Select, Stack } from '@mantine/core';
import type { ColumnNames } from '@regie/contract/columns.ts';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useAct } from '#src/lib/act.ts';
import { errorSentence, isUnanswered } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { newId } from '#src/lib/new-id.ts';
import { downloadTemplate } from '#src/lib/table-file.ts';
import { isAcceptedFile } from '#src/lib/tables/reading.ts';
import { TableRefusal } from '#src/lib/tables/refusal.ts';
import type { SmallTable } from '#src/lib/tables/small-table.ts';
import { readTable } from '#src/lib/tables/table-reader.ts';
import { Message, Notice } from './alerts.tsx';
import { Dropzone } from './dropzone.tsx';
import { FileMenu } from './file-menu.tsx';
import shared from './shared.module.css';

export const acceptedTables = '.csv,.xlsx,text/csv,text/comma-separated-values,application/vnd.ms-excel';

type Stage<Checked> =
  | { kind: 'none' }
  | { kind: 'reading' }
  | { kind: 'refused'; message: string }
  | { kind: 'asking'; file: File; sheets: readonly string[] }
  /** The server could not validate the rows: the same file can be retried. */
  | { kind: 'failed'; file: File; message: string }
  | { kind: 'checked'; checked: Checked };

export interface CheckedRows<Field extends string> extends Omit<SmallTable<Field>, 'fields'> {
  fileName: string;
  key: string;
}

export interface FileCheck<Checked, Verdict = unknown> {
  stage: Stage<Checked>;
  checked: Checked | undefined;
  fileName: string | undefined;
  /** A file is being read, or its rows are shown: leaving would lose them. */
  isDirty: boolean;
  take: (file: File, sheet?: string) => Promise<void>;
  reset: () => void;
  isSaving: boolean;
  failure: string | undefined;
  setFailure: (failure: string | undefined) => void;
  /** @param again validates the rows anew after a refusal */
  save: (write: () => Promise<void>, again?: () => Promise<Verdict>) => Promise<unknown>;
}

/** A file of few rows: parsed here, then validated by the server before anything is written. */
export function useFileCheck<Field extends string, Verdict>(options: {
  names: ColumnNames<Field>;
  maxRows: number;
  wrongType: string;
  /** @throws TableRefusal for a table that cannot be imported */
  check: (table: SmallTable<Field>, signal: AbortSignal) => Promise<Verdict>;
}): FileCheck<CheckedRows<Field> & Verdict, Verdict> {
  const [fileName, setFileName] = useState<string>();
  const [stage, setStage] = useState<Stage<CheckedRows<Field> & Verdict>>({ kind: 'none' });
  const [failure, setFailure] = useState<string>();
  const { run, isBusy: isSaving } = useAct({
    onFailure: (sentence, error) => setFailure(sentence && saveFailure(error)),
  });
  const reading = useRef<AbortController>(undefined);
  useEffect(() => () => reading.current?.abort(), []);

  const take = async (file: File, sheet?: string) => {
    reading.current?.abort();
    const aborter = new AbortController();
    reading.current = aborter;
    setFailure(undefined);
    if (!isAcceptedFile(file)) {
      setFileName(undefined);
      return setStage({ kind: 'refused', message: options.wrongType });
    }
    setFileName(file.name);
    setStage({ kind: 'reading' });
    try {
      const table = await readTable(file, options.names, options.maxRows, sheet, aborter.signal);
      const verdict = await options.check(table, aborter.signal);
      const { rows, notes } = table;
      setStage({ kind: 'checked', checked: { rows, notes, fileName: file.name, key: newId(), ...verdict } });
    } catch (error) {
      if (aborter.signal.aborted) return;
      const sheets = error instanceof TableRefusal ? error.sheets : undefined;
      if (sheets) setStage({ kind: 'asking', file, sheets });
      else if (error instanceof TableRefusal) setStage({ kind: 'refused', message: error.message });
      else setStage({ kind: 'failed', file, message: errorSentence(error) });
    }
  };

  const save = (write: () => Promise<void>, again?: () => Promise<Verdict>) =>
    run(() =>
      write().catch(async (error: unknown) => {
        // The same rows with the same key return the first response.
        const verdict = isUnanswered(error) ? undefined : await again?.().catch(() => undefined);
        if (verdict)
          setStage((now) =>
            now.kind === 'checked' ? { kind: 'checked', checked: { ...now.checked, ...verdict } } : now,
          );
        throw error;
      }),
    );

  return {
    stage,
    checked: stage.kind === 'checked' ? stage.checked : undefined,
    fileName,
    isDirty: stage.kind === 'reading' || stage.kind === 'failed' || stage.kind === 'checked',
    ...{ take, isSaving, failure, setFailure, save },
    reset: () => {
      reading.current?.abort();
      setFailure(undefined);
      setFileName(undefined);
      setStage({ kind: 'none' });
    },
  };
}

interface FileCheckDropProps {
  check: Omit<FileCheck<unknown>, 'save'>;
  label: string;
  hint: string;
  template: { file: string; example: Readonly<Record<string, string>> };
}

export function FileCheckDrop({ check, label, hint, template }: FileCheckDropProps) {
  const { stage, take } = check;
  return (
    <>
      <Message text={check.failure} onDismiss={check.setFailure} />
      <Dropzone
        label={label}
        accept={acceptedTables}
        onFile={(file) => void take(file)}
        fileName={check.fileName}
        error={stage.kind === 'refused' ? stage.message : undefined}
        hint={hint}
        disabled={check.isSaving}
      />
      {stage.kind === 'asking' && (
        <SheetSelect sheets={stage.sheets} onChoose={(sheet) => void take(stage.file, sheet)} />
      )}
      <div>
        <FileMenu
          variant="subtle"
          label={fr.tables.validated.template}
          onPick={(format) => downloadTemplate(format, template.file, template.example)}
        />
      </div>
      {stage.kind === 'reading' && (
        <Group role="status" component="p" gap={8} wrap="nowrap">
          <Loader size={16} aria-hidden /> {fr.tables.validated.reading}
        </Group>
      )}
      {stage.kind === 'failed' && (
        <Notice tone="error" isMessage onRetry={() => void take(stage.file)}>
          {stage.message}
        </Notice>
      )}
    </>
  );
}

export const SheetSelect = ({ sheets, onChoose }: { sheets: readonly string[]; onChoose: (sheet: string) => void }) => (
  <Select
    label={fr.tables.sheet}
    description={fr.tables.chooseSheet}
    data={sheets}
    value={null}
    onChange={(sheet) => sheet !== null && onChoose(sheet)}
  />
);

export const saveFailure = (error: unknown): string =>
  isUnanswered(error) ? fr.tables.validated.unanswered : errorSentence(error);

interface CheckedFileProps {
  summary: string;
  notes: readonly string[];
  nothing: string | undefined;
  cancel: ReactNode;
  submit: ReactNode;
  children: ReactNode;
}

export function CheckedFile({ summary, notes, nothing, cancel, submit, children }: CheckedFileProps) {
  return (
    <Stack gap={12}>
      <Box role="status" component="p" fw={600}>
        {summary}
      </Box>
      {notes.map((sentence) => (
        <p key={sentence} className={shared.note}>
          {sentence}
        </p>
      ))}
      {children}
      <Group justify="flex-end" gap={8}>
        {cancel}
        {submit}
      </Group>
      {nothing !== undefined && <p className={shared.note}>{nothing}</p>}
    </Stack>
  );
}
