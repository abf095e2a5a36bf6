import { maxBatchRows } from '@regie/contract/routes/reports.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatDuration, formatInteger, formatMonth } from '@regie/values/formats.ts';
import { findMonth, monthEndMs } from '@regie/values/month.ts';
import { paths } from '#src/app/paths.ts';
import { ApiError, api, errorSentence } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { newId } from '#src/lib/new-id.ts';
import { onSignedIn, refreshSession } from '#src/lib/session.ts';
import { createStore } from '#src/lib/store.ts';
import { addWork, finishWork, updateWork } from '#src/lib/work-tray.ts';
import type { FormatChoice, WireRow } from './csv-rows.ts';
import type { SendOutcome, SendProgress, SendResult, SendState } from './csv-send.ts';
import type { TableAnalysis } from './csv-table.ts';
import type { FromWorker, ToWorker } from './csv-worker-messages.ts';
import { frReports } from './reports.fr.ts';

export interface ImportTarget {
  monthMs: number;
  toMonthMs: number | undefined;
}

export type ReportImport =
  | { stage: 'none' }
  | { stage: 'reading'; file: File; bytes: number }
  | { stage: 'refused'; file: File; message: string }
  | { stage: 'asking'; file: File; sheets: readonly string[] }
  | { stage: 'ready'; file: File; analysis: TableAnalysis }
  | {
      stage: 'sending';
      fileName: string;
      target: ImportTarget;
      progress: SendProgress;
      state: SendState;
      startedAt: number;
      updatedAt: number;
      isCancelling: boolean;
    }
  | { stage: 'finished'; fileName: string; target: ImportTarget; outcome: SendOutcome; failure?: string };

// The import outlives the screen that started it: the tray shows it everywhere, and the screen reconnects to it.
const current = createStore<ReportImport>({ stage: 'none' });
let worker: Worker | undefined;
let isAgain = false;

export const useReportImport = current.useValue;

function findSending() {
  const now = current.get();
  return now.stage === 'sending' ? now : undefined;
}

function post(message: ToWorker): void {
  worker?.postMessage(message);
}

export function clearImport(): void {
  if (findSending()) return;
  worker?.terminate();
  worker = undefined;
  current.set({ stage: 'none' });
}

export function readImportFile(file: File, sheet?: string): void {
  if (findSending()) return;
  worker?.terminate();
  const reader = new Worker(new URL('./csv-worker.ts', import.meta.url), { type: 'module', name: 'report-import' });
  worker = reader;
  current.set({ stage: 'reading', file, bytes: 0 });
  const refuse = (message: string, sheets?: readonly string[]) => {
    reader.terminate();
    current.set(sheets ? { stage: 'asking', file, sheets } : { stage: 'refused', file, message });
  };
  reader.addEventListener('error', () => refuse(frReports.import.workerFailed), { once: true });
  reader.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
    if (worker !== reader) return;
    if (data.kind === 'reading') current.set({ stage: 'reading', file, bytes: data.bytes });
    else if (data.kind === 'analysed') current.set({ stage: 'ready', file, analysis: data.analysis });
    else if (data.kind === 'refused' && current.get().stage === 'reading') refuse(data.message, data.sheets);
  });
  post({ kind: 'analyse', file, sheet });
}

export function startImport(target: ImportTarget, formats: FormatChoice, onEnd: () => void): void {
  const ready = current.get();
  if (ready.stage !== 'ready' || !worker) return;
  const { file, analysis } = ready;
  isAgain = false;
  const sender = worker;
  // One key per batch of this run, so that a retry has no further effect. Another run has other keys; otherwise a file
  // imported again after a reversal would only get the stored responses.
  const runId = newId();
  const month = findMonth(target.monthMs) ?? '';
  const title = frReports.import.workTitle(file.name, formatMonth(target.monthMs));
  const workId = addWork({
    title,
    unit: fr.list.exportRows,
    total: analysis.rowCount,
    cancel: cancelImport,
    asksBeforeUnload: true,
  });
  let progress: SendProgress = { rowsDone: 0, rowCount: analysis.rowCount, saved: 0, unsaved: 0 };
  let state: SendState = { kind: 'sending' };
  const startedAt = Date.now();
  let updatedAt = startedAt;
  const show = () =>
    current.set({
      stage: 'sending',
      fileName: file.name,
      target,
      progress,
      state,
      startedAt,
      updatedAt,
      isCancelling: findSending()?.isCancelling ?? false,
    });

  const end = (outcome: SendOutcome, failure = outcome.refusal) => {
    window.removeEventListener('focus', returnToTab);
    stopListening();
    sender.terminate();
    current.set({ stage: 'finished', fileName: file.name, target, outcome, ...(failure !== undefined && { failure }) });
    const sentence = outcome.isWaiting
      ? frReports.import.waitingResult(formatInteger(outcome.saved))
      : frReports.import.result(formatInteger(outcome.saved), formatInteger(outcome.unsaved));
    const isAttended = failure === undefined && outcome.isComplete && outcome.isWaiting;
    finishWork(workId, {
      state: failure !== undefined ? 'failed' : !outcome.isComplete ? 'cancelled' : isAttended ? 'attention' : 'done',
      result: failure ?? (outcome.isComplete ? sentence : frReports.import.stopped(sentence)),
      ...(isAttended && { word: frReports.imports.state.staged }),
      href: outcome.importId === undefined ? paths.addPlatformReport : paths.import(outcome.importId),
    });
    onEnd();
  };
  const fail = (message: string) =>
    end({ ...progress, isComplete: false, wasReceived: false, hasAdded: false, isWaiting: false, dropped: 0 }, message);

  sender.addEventListener('error', () => fail(frReports.import.workerFailed), { once: true });
  sender.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
    switch (data.kind) {
      case 'batch':
        void sendBatch(data.index, data.rows).then((result) => post({ kind: 'result', index: data.index, result }));
        break;
      case 'progress':
        progress = data.progress;
        updatedAt = Date.now();
        updateWork(workId, { done: progress.rowsDone });
        show();
        break;
      case 'state':
        state = data.state;
        updateWork(workId, { title: state.kind === 'sending' ? title : `${title} – ${stateSentence(state)}` });
        show();
        break;
      case 'refused':
        fail(data.message);
        break;
      case 'finished':
        end(data.outcome);
        break;
      default:
        break;
    }
  });
  window.addEventListener('focus', returnToTab);
  const stopListening = onSignedIn(resumeImport);
  show();
  post({ kind: 'send', formats, batchRows: maxBatchRows });

  async function sendBatch(index: number, rows: WireRow[]): Promise<SendResult> {
    try {
      const { data } = await api(routes.importReportBatch, {
        query: {
          date: target.monthMs,
          ...(target.toMonthMs !== undefined && { to: monthEndMs(findMonth(target.toMonthMs) ?? month) }),
          import: analysis.sha256,
          batch: index,
          batches: Math.ceil(analysis.rowCount / maxBatchRows),
          name: file.name.slice(0, 255),
          again: String(isAgain),
        },
        body: rows,
        idempotencyKey: `${analysis.sha256}-${month}-${index}-${runId}`,
      });
      return { kind: 'answered', answer: data };
    } catch (error) {
      return sendResultOf(error);
    }
  }
}

const defaultBusySeconds = 15;

function sendResultOf(error: unknown): SendResult {
  const message = errorSentence(error);
  if (!(error instanceof ApiError)) return { kind: 'failed', message };
  if (error.errors.again !== undefined) return { kind: 'asked', message, importId: Number(error.errors.import) };
  if (error.status === 401 || error.status === 403) return { kind: 'blocked', message };
  if (error.status === 429) return { kind: 'busy', seconds: error.retryAfterSeconds ?? defaultBusySeconds };
  if (error.status >= 400 && error.status < 500) return { kind: 'refused', message };
  if (error.code === 'network' || error.code === 'unavailable') return { kind: 'unreachable' };
  return { kind: 'failed', message };
}

/** A user who signed in again in another tab returns to this one. */
function returnToTab(): void {
  if (findSending()?.state.kind === 'blocked') void refreshSession();
}

export function confirmAgain(): void {
  isAgain = true;
  post({ kind: 'resume' });
}

/** Stops the import, unless the question closes because it was confirmed. */
export function declineAgain(): void {
  if (!isAgain) cancelImport();
}

export function resumeImport(): void {
  if (findSending()?.state.kind === 'blocked') post({ kind: 'resume' });
}

export function cancelImport(): void {
  const sending = findSending();
  if (!sending || sending.isCancelling) return;
  current.set({ ...sending, isCancelling: true });
  post({ kind: 'cancel' });
}

export function stateSentence(state: Exclude<SendState, { kind: 'sending' }>): string {
  if (state.kind === 'posting') return frReports.import.posting;
  if (state.kind === 'blocked') return frReports.import.blocked(state.message);
  if (state.kind === 'asked') return frReports.import.asked;
  return frReports.import.waiting[state.reason](formatDuration(state.seconds));
}
