import type { routes } from '@regie/contract/routes.ts';
import type { ApiData } from '#src/lib/api.ts';
import type { FormatChoice, WireRow } from './csv-rows.ts';
import { readRow } from './csv-rows.ts';
import { type TableAnalysis, type TableBatch, tableBatches } from './csv-table.ts';
import { UnsavedFile } from './csv-unsaved.ts';
import { frReports } from './reports.fr.ts';

/** `isPosted` is false for rows staged until the rest of the file arrives. */
type BatchAnswer = Pick<
  ApiData<typeof routes.importReportBatch>,
  'saved' | 'unsaved' | 'importId' | 'alreadyCounted' | 'isPosted' | 'dropped'
>;

export type SendResult =
  | { kind: 'answered'; answer: BatchAnswer }
  /** No response, or the server is restarting: the batch is retried until it responds. */
  | { kind: 'unreachable' }
  | { kind: 'busy'; seconds: number }
  /** The session ended or lost its capability: sending stops until the user resumes. */
  | { kind: 'blocked'; message: string }
  /** Rows are in this other import too: sending stops until the user confirms or cancels. */
  | { kind: 'asked'; message: string; importId: number }
  | { kind: 'refused'; message: string }
  | { kind: 'failed'; message: string };

export type SendState =
  | { kind: 'sending' }
  | { kind: 'posting' }
  | { kind: 'waiting'; reason: 'unreachable' | 'busy' | 'failed'; seconds: number; attempt: number }
  | { kind: 'blocked'; message: string }
  | { kind: 'asked'; message: string; importId: number };

export interface SendProgress {
  rowsDone: number;
  rowCount: number;
  saved: number;
  unsaved: number;
  importId?: number;
}

export interface SendOutcome extends SendProgress {
  isComplete: boolean;
  wasReceived: boolean;
  hasAdded: boolean;
  /** Why a batch is missing: its rows are sent by the same file again, so they are in no file of unsaved rows. */
  refusal?: string;
  isWaiting: boolean;
  /** Rows accepted earlier that had lost their track at posting: they are not in our file of unsaved rows. */
  dropped: number;
  unsavedFile?: Blob;
}

export interface SendOptions {
  /** Aborted by the user: pending batches are awaited, no others are sent. */
  signal: AbortSignal;
  resumed: () => Promise<void>;
  wait: (seconds: number, signal: AbortSignal) => Promise<void>;
  file: Blob;
  analysis: TableAnalysis;
  formats: FormatChoice;
  batchRows: number;
  send: (batch: { index: number; rows: WireRow[] }) => Promise<SendResult>;
  onProgress: (progress: SendProgress) => void;
  onState: (state: SendState) => void;
}

const maxInFlight = 2;
const delaysSeconds = [1, 2, 4, 8, 15, 30];
const maxFailures = 4;

const retryDelay = (attempt: number): number => delaysSeconds[Math.min(attempt, delaysSeconds.length) - 1] ?? 30;

/** At most two batches at a time, in constant memory. Each row is saved, unsaved with a reason, or not sent. */
export async function sendTable(options: SendOptions): Promise<SendOutcome> {
  const { analysis, signal } = options;
  const unsavedFile = new UnsavedFile(analysis.shape.header, analysis.columns, options.formats);
  const progress: SendProgress = { rowsDone: 0, rowCount: analysis.rowCount, saved: 0, unsaved: 0 };
  const underWay = new Set<Promise<void>>();
  let wasReceived = false;
  let newlySaved = 0;
  let refusal: string | undefined;
  let isComplete = true;
  let isWaiting = false;
  let isPosted = false;
  let dropped = 0;

  const deliver = async (batch: TableBatch) => {
    const read = batch.rows.map((row) => readRow(row, analysis.columns, options.formats));
    const result = await sendUntilAnswered({ index: batch.index, rows: read.map((row) => row.wire) }, options);
    if (result?.kind !== 'answered') {
      isComplete = false;
      if (result) refusal ??= frReports.csv.batchFailed(result.message);
      return;
    }
    const { answer } = result;
    const first = batch.index * options.batchRows + 1;
    const reasons = new Map(answer.unsaved.map(({ row, reason }) => [row - first, reason]));
    progress.importId = answer.importId;
    if (answer.alreadyCounted) wasReceived = true;
    else {
      newlySaved += answer.saved;
      isPosted ||= answer.isPosted;
    }
    if (!answer.isPosted) isWaiting = true;
    dropped += answer.dropped;
    progress.saved += answer.saved - answer.dropped;
    progress.unsaved += answer.dropped + reasons.size;
    progress.rowsDone += batch.rows.length;
    unsavedFile.add(
      batch.index,
      batch.rows.flatMap((cells, index) => {
        const reason = reasons.get(index);
        // For an unreadable value, the local reason is more precise than the server's.
        return reason === undefined ? [] : [{ cells, reason: read[index]?.refusal ?? reason }];
      }),
    );
    options.onProgress({ ...progress });
  };

  for await (const batch of tableBatches(options.file, analysis.shape, options.batchRows)) {
    if (signal.aborted) {
      isComplete = false;
      break;
    }
    const delivery = deliver(batch).finally(() => underWay.delete(delivery));
    underWay.add(delivery);
    if (underWay.size >= maxInFlight) await Promise.race(underWay);
  }
  while (underWay.size > 1) await Promise.race(underWay);
  if (underWay.size === 1 && isWaiting && progress.rowsDone > 0 && !signal.aborted)
    options.onState({ kind: 'posting' });
  await Promise.all(underWay);
  return {
    ...{ ...progress, isComplete, wasReceived, dropped, ...(refusal !== undefined && { refusal }) },
    // The batch that completes a file posts those that waited.
    hasAdded: isPosted && (newlySaved > 0 || isWaiting),
    isWaiting: isWaiting && !isPosted,
    unsavedFile: unsavedFile.toBlob(),
  };
}

async function sendUntilAnswered(batch: { index: number; rows: WireRow[] }, options: SendOptions) {
  const { signal, onState, send } = options;
  let failures = 0;
  for (let attempt = 1; !signal.aborted; attempt++) {
    const result = await send(batch);
    switch (result.kind) {
      case 'answered':
      case 'refused':
        if (attempt > 1) onState({ kind: 'sending' });
        return result;
      case 'blocked':
      case 'asked':
        onState(result);
        await options.resumed();
        onState({ kind: 'sending' });
        break;
      case 'failed':
        if (++failures > maxFailures) {
          onState({ kind: 'sending' });
          return result;
        }
        await pause('failed', retryDelay(failures), failures);
        break;
      case 'busy':
        await pause('busy', result.seconds, attempt);
        break;
      case 'unreachable':
        await pause('unreachable', retryDelay(attempt), attempt);
        break;
    }
  }
  return undefined;

  async function pause(reason: 'unreachable' | 'busy' | 'failed', seconds: number, attempt: number) {
    onState({ kind: 'waiting', reason, seconds, attempt });
    await options.wait(seconds, signal);
  }
}
