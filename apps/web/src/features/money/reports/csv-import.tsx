import { Button, Group, Progress, SimpleGrid, Stack } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import { formatBytes, formatDuration, formatInteger, formatMonth } from '@regie/values/formats.ts';
import { addMonths, findMonth } from '@regie/values/month.ts';
import { IconDownload } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frRecords } from '#src/domain/records.fr.ts';
import { downloadBlob } from '#src/lib/download.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { downloadTemplate } from '#src/lib/table-file.ts';
import { isAcceptedFile } from '#src/lib/tables/reading.ts';
import { workRate } from '#src/lib/work-tray.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { Dropzone } from '#src/ui/dropzone.tsx';
import { acceptedTables, SheetSelect } from '#src/ui/file-check.tsx';
import { FileMenu } from '#src/ui/file-menu.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { Money } from '#src/ui/money.tsx';
import { MonthField } from '#src/ui/month-field.tsx';
import shared from '#src/ui/shared.module.css';
import { ErrorState } from '#src/ui/states.tsx';
import classes from './add-report.module.css';
import { detectNumberFormat } from './csv-numbers.ts';
import { ambiguousColumns, CsvPreview } from './csv-preview.tsx';
import type { FormatChoice } from './csv-rows.ts';
import type { SendOutcome } from './csv-send.ts';
import type { TableAnalysis } from './csv-table.ts';
import { templateExample, unsavedFileName } from './csv-unsaved.ts';
import { Figures } from './record.tsx';
import {
  cancelImport,
  clearImport,
  confirmAgain,
  declineAgain,
  type ReportImport,
  readImportFile,
  resumeImport,
  startImport,
  stateSentence,
  useReportImport,
} from './report-import.ts';
import { importQuery } from './reports.api.ts';
import { frReports } from './reports.fr.ts';

const t = frReports.import;

export function CsvImport() {
  const current = useReportImport();
  if (current.stage === 'sending') return <Sending current={current} />;
  if (current.stage === 'finished') return <Finished current={current} />;
  return <Preparation current={current} />;
}

type Preparing = Extract<ReportImport, { stage: 'none' | 'reading' | 'refused' | 'asking' | 'ready' }>;

function Preparation({ current }: { current: Preparing }) {
  const [monthMs, setMonthMs] = useState<number>();
  const [toMonthMs, setToMonthMs] = useState<number>();
  const [typeError, setTypeError] = useState<string>();
  const [hasTried, setHasTried] = useState(false);
  const monthError = monthMs === undefined ? messages.invalidMonth : undefined;
  const toError = findPeriodFault(monthMs, toMonthMs);

  const take = (file: File) => {
    if (!isAcceptedFile(file)) {
      clearImport();
      setTypeError(messages.csvFileType);
      return;
    }
    setTypeError(undefined);
    setHasTried(false);
    readImportFile(file);
  };

  return (
    <Stack gap={20}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={16} maw={760} style={{ alignItems: 'start' }}>
        <MonthField
          label={t.month}
          required
          value={monthMs}
          onChange={setMonthMs}
          error={hasTried ? monthError : undefined}
        />
        <MonthField
          label={t.toMonth}
          description={t.toMonthHint}
          value={toMonthMs}
          onChange={setToMonthMs}
          error={hasTried || toError ? toError : undefined}
        />
      </SimpleGrid>
      <Dropzone
        label={t.drop}
        accept={acceptedTables}
        onFile={take}
        fileName={typeError ? undefined : fileNameOf(current)}
        error={typeError ?? (current.stage === 'refused' ? current.message : undefined)}
        hint={t.formatHint}
      />
      {current.stage === 'asking' && (
        <SheetSelect sheets={current.sheets} onChoose={(sheet) => readImportFile(current.file, sheet)} />
      )}
      <Group gap="8px 16px">
        <FileMenu
          variant="subtle"
          label={t.template}
          onPick={(format) => downloadTemplate(format, t.templateFile, templateExample)}
        />
      </Group>
      {current.stage === 'reading' && <Reading file={current.file} bytes={current.bytes} />}
      {current.stage === 'ready' && (
        <Ready
          key={current.analysis.sha256}
          analysis={current.analysis}
          monthFault={monthError ?? toError}
          hasTried={hasTried}
          onTry={() => setHasTried(true)}
          onDismissProblems={() => setHasTried(false)}
          target={monthMs === undefined ? undefined : { monthMs, toMonthMs }}
        />
      )}
    </Stack>
  );
}

/** The server's own rule (product §32.3), checked before the upload. */
function findPeriodFault(fromMs: number | undefined, toMs: number | undefined): string | undefined {
  const [from, to] = [fromMs, toMs].map((ms) => (ms === undefined ? undefined : findMonth(ms)));
  if (from === undefined || to === undefined) return undefined;
  if (to < from) return messages.invalidPeriod;
  return to > addMonths(from, 24) ? messages.periodTooLong : undefined;
}

const fileNameOf = (current: Preparing) => (current.stage === 'none' ? undefined : current.file.name);

function Reading({ file, bytes }: { file: File; bytes: number }) {
  return (
    <div role="status">
      <Group justify="space-between" gap="4px 16px" mt={8} fz={13} className="figures">
        <span>{t.reading(file.name)}</span>
        <span>{t.readSoFar(formatBytes(bytes), formatBytes(file.size))}</span>
      </Group>
      <Progress value={file.size === 0 ? 0 : (bytes / file.size) * 100} mt={8} aria-label={t.reading(file.name)} />
    </div>
  );
}

interface ReadyProps {
  analysis: TableAnalysis;
  target: { monthMs: number; toMonthMs: number | undefined } | undefined;
  monthFault: string | undefined;
  hasTried: boolean;
  onTry: () => void;
  onDismissProblems: () => void;
}

function Ready({ analysis, target, monthFault, hasTried, onTry, onDismissProblems }: ReadyProps) {
  const queryClient = useQueryClient();
  const [formats, setFormats] = useState<FormatChoice>(() =>
    Object.fromEntries(analysis.statistics.map((column) => [column.field, detectNumberFormat(column)])),
  );
  const problems = [
    ...(monthFault === undefined ? [] : [monthFault]),
    ...(ambiguousColumns(analysis, formats).length > 0 ? [t.markProblem] : []),
  ];
  const send = () => {
    onTry();
    if (problems.length > 0 || !target) return;
    startImport(target, formats, () => void queryClient.invalidateQueries());
  };
  return (
    <>
      <CsvPreview analysis={analysis} formats={formats} onChange={setFormats} />
      {hasTried && problems.length > 0 && (
        <Notice tone="error" onDismiss={onDismissProblems}>
          {problems.join('. ')}
        </Notice>
      )}
      <Group gap="8px 16px">
        <Button onClick={send}>{t.send(fr.list.rows(analysis.rowCount))}</Button>
        <Button variant="default" onClick={clearImport}>
          {fr.common.cancel}
        </Button>
      </Group>
    </>
  );
}

function Sending({ current }: { current: Extract<ReportImport, { stage: 'sending' }> }) {
  const { progress, state } = current;
  const { perSecond, secondsLeft } = workRate({
    done: progress.rowsDone,
    total: progress.rowCount,
    startedAt: current.startedAt,
    updatedAt: current.updatedAt,
  });
  const title = t.workTitle(current.fileName, formatMonth(current.target.monthMs));
  return (
    <Stack gap={20}>
      <div>
        <h3 className={classes.subtitle}>{title}</h3>
        <Progress.Root size="lg">
          <Progress.Section value={(progress.rowsDone / Math.max(1, progress.rowCount)) * 100} aria-label={title} />
        </Progress.Root>
        <Group justify="space-between" gap="4px 16px" mt={8} fz={13} className="figures">
          <span>{t.progress(formatInteger(progress.rowsDone), formatInteger(progress.rowCount))}</span>
          <span>
            {perSecond !== undefined && t.rate(formatInteger(perSecond))}
            {secondsLeft !== undefined && ` · ${t.left(formatDuration(secondsLeft))}`}
          </span>
        </Group>
        <p className={classes.note}>{t.savedSoFar(formatInteger(progress.saved), formatInteger(progress.unsaved))}</p>
      </div>
      {state.kind === 'posting' && <Notice tone="note">{t.postingTitle}</Notice>}
      {state.kind === 'waiting' && (
        <Notice tone="info">
          {t.waitingTitle}
          {'\u00a0: '}
          {stateSentence(state)}
        </Notice>
      )}
      {state.kind === 'blocked' && (
        <Notice tone="error" isMessage>
          <strong>{t.blockedTitle}</strong>
          {'\u00a0: '}
          {state.message}. {t.blockedHint}
        </Notice>
      )}
      <ConfirmModal
        isOpen={state.kind === 'asked'}
        onClose={declineAgain}
        name={state.kind === 'asked' && state.message}
        consequence={t.askedConsequence}
        verb={t.askedVerb}
        onConfirm={async () => confirmAgain()}
      >
        {state.kind === 'asked' && (
          <Link className={shared.link} to={paths.import(state.importId)} target="_blank">
            {frRecords.seeImport}
          </Link>
        )}
      </ConfirmModal>
      <p className={classes.note}>
        {t.leaveHint} {t.cancelHint}
      </p>
      <Group gap="8px 16px">
        {state.kind === 'blocked' && <Button onClick={resumeImport}>{t.resume}</Button>}
        <Button variant="default" onClick={cancelImport} disabled={current.isCancelling}>
          {current.isCancelling ? t.cancelling : t.cancel}
        </Button>
      </Group>
    </Stack>
  );
}

function Finished({ current }: { current: Extract<ReportImport, { stage: 'finished' }> }) {
  const { outcome, target } = current;
  const can = useCan();
  const { unsavedFile, isWaiting } = outcome;
  const importId = can('read_reports') ? outcome.importId : undefined;
  const month = formatMonth(target.monthMs);
  const notSent = outcome.rowCount - outcome.rowsDone;
  const title =
    current.failure !== undefined
      ? t.failedTitle(month)
      : !outcome.isComplete
        ? t.stoppedTitle(month)
        : isWaiting
          ? t.incompleteTitle(month)
          : t.doneTitle(month);
  return (
    <Stack gap={20}>
      <div role="status">
        <h3 className={classes.subtitle}>{title}</h3>
        <p className={classes.note}>{current.fileName}</p>
      </div>
      <Message text={current.failure} />
      <Message tone="info" text={notSent > 0 && t.notSent(fr.list.rows(notSent))} />
      {isWaiting && <Notice tone="info">{t.incompleteHint}</Notice>}
      <Message text={outcome.dropped > 0 && t.dropped(fr.list.rows(outcome.dropped))} />
      <Message
        tone="info"
        text={outcome.wasReceived && !isWaiting && (outcome.hasAdded ? t.partlyCounted : t.alreadyCounted)}
      />
      <Message text={outcome.isComplete && outcome.saved === 0 && t.nothingSaved} />
      {importId === undefined || isWaiting ? (
        <Figures figures={rowFigures(outcome)} isLarge />
      ) : (
        <ImportFigures importId={importId} outcome={outcome} />
      )}
      {unsavedFile && (
        <div>
          <Button
            variant="default"
            leftSection={buttonIcon(IconDownload)}
            onClick={() => downloadBlob(unsavedFile, unsavedFileName)}
          >
            {t.downloadUnsaved}
          </Button>
          <p className={classes.note}>{t.unsavedHint}</p>
        </div>
      )}
      <Group gap="8px 16px">
        {importId !== undefined && <LinkButton to={paths.import(importId)}>{frRecords.seeImport}</LinkButton>}
        <Button variant="default" onClick={clearImport}>
          {t.another}
        </Button>
      </Group>
    </Stack>
  );
}

const rowFigures = ({ rowsDone, saved, unsaved, isWaiting }: SendOutcome) => [
  { label: frReports.imports.column.rows, value: formatInteger(rowsDone) },
  { label: isWaiting ? t.figureWaiting : frReports.imports.column.saved, value: formatInteger(saved) },
  { label: frReports.imports.column.unsaved, value: formatInteger(unsaved) },
];

/** The sums come from the ledger, not from the browser. */
function ImportFigures({ importId, outcome }: { importId: number; outcome: SendOutcome }) {
  const item = useQuery(importQuery(importId));
  if (item.isError && !item.data) return <ErrorState query={item} />;
  return (
    <Figures
      isLarge
      figures={[
        ...rowFigures(outcome),
        { label: t.figureGross, value: item.data ? <Money amount={item.data.grossUsd} currency="USD" /> : '…' },
        { label: t.figureNet, value: item.data ? <Money amount={item.data.accountsEur} currency="EUR" /> : '…' },
      ]}
    />
  );
}
