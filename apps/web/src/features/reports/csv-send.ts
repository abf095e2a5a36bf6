import type { FormatChoice, WireRow } from './csv-rows.ts';
import { readRow } from './csv-rows.ts';
import { type TableAnalysis, type TableBatch, tableBatches } from './csv-table.ts';
import { UnsavedFile } from './csv-unsaved.ts';
import { frReports } from './reports.fr.ts';

export interface BatchAnswer {
  saved: number;
  unsaved: { row: number; isrc: string; reason: string }[];
  importId: number;
  alreadyCounted: boolean;
  /** False for rows staged until the rest of the file arrives. */
  isPosted: boolean;
  /** Rows of other batches that became unsaved when the file was posted. */
  dropped: number;
}

/** The result of one attempt to send a batch. */
export type SendResult =
  | { kind: 'answered'; answer: BatchAnswer }
  /** No response, or the server is restarting: the batch is retried until it responds. */
  | { kind: 'unreachable' }
  /** Too many requests: retried after this number of seconds. */
  | { kind: 'busy'; seconds: number }
  /** The session ended or lost its capability: sending stops until the user resumes. */
  | { kind: 'blocked'; message: string }
  /** The server refuses this batch. */
  | { kind: 'refused'; message: string }
  /** The server failed; retried a few times. */
  | { kind: 'failed'; message: string };

export type SendState =
  | { kind: 'sending' }
  /** Only the last batch, which completes the file, is without a response. */
  | { kind: 'posting' }
  | { kind: 'waiting'; reason: 'unreachable' | 'busy' | 'failed'; seconds: number; attempt: number }
  | { kind: 'blocked'; message: string };

export interface SendProgress {
  /** Rows with a known result. */
  rowsDone: number;
  rowCount: number;
  saved: number;
  unsaved: number;
  importId?: number;
}

export interface SendOutcome extends SendProgress {
  isComplete: boolean;
  /** Batches counted by an earlier run: nothing was added. */
  batchesAlreadyCounted: number;
  batches: number;
  /** Rows are staged until the rest of the file arrives: none of them is posted. */
  isWaiting: boolean;
  /**
   * Rows accepted earlier that had lost their track when the file was posted: they are not in our file of unsaved rows.
   */
  dropped: number;
  unsavedFile?: Blob;
}

export interface SendControl {
  /** Aborted by the user: pending batches are awaited, no others are sent. */
  signal: AbortSignal;
  /** Resolves when the user resumes after `blocked`. */
  resumed: () => Promise<void>;
  /** Waits; resolves early when the signal aborts. */
  wait: (seconds: number, signal: AbortSignal) => Promise<void>;
}

export interface SendOptions extends SendControl {
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

/** The delay before the n-th attempt (from 1). */
function retryDelay(attempt: number): number {
  return delaysSeconds[Math.min(attempt, delaysSeconds.length) - 1] ?? 30;
}

/**
 * Sends a file's rows in batches, at most two at a time: the next rows are read once one has its response, so memory
 * use does not depend on the file's size. Every row is accounted for: saved, unsaved with a reason, or not sent because
 * the user cancelled.
 */
export async function sendTable(options: SendOptions): Promise<SendOutcome> {
  const { analysis, signal } = options;
  const unsavedFile = new UnsavedFile(analysis.shape.header, analysis.columns, options.formats);
  const progress: SendProgress = { rowsDone: 0, rowCount: analysis.rowCount, saved: 0, unsaved: 0 };
  const underWay = new Set<Promise<void>>();
  let batchesAlreadyCounted = 0;
  let batches = 0;
  let isComplete = true;
  let isWaiting = false;
  let isPosted = false;
  let dropped = 0;

  const deliver = async (batch: TableBatch) => {
    const read = batch.rows.map((row) => readRow(row, analysis.columns, options.formats));
    const result = await sendUntilAnswered({ index: batch.index, rows: read.map((row) => row.wire) }, options);
    if (!result) {
      isComplete = false;
      return;
    }
    const reasons = new Map<number, string>();
    if (result.kind === 'answered') {
      const first = batch.index * options.batchRows + 1;
      for (const { row, reason } of result.answer.unsaved) reasons.set(row - first, reason);
      progress.saved += result.answer.saved;
      progress.importId = result.answer.importId;
      if (result.answer.alreadyCounted) batchesAlreadyCounted++;
      else if (result.answer.isPosted) isPosted = true;
      if (!result.answer.isPosted) isWaiting = true;
      dropped += result.answer.dropped;
      progress.saved -= result.answer.dropped;
      progress.unsaved += result.answer.dropped;
    } else for (const index of batch.rows.keys()) reasons.set(index, frReports.csv.batchFailed(result.message));
    batches++;
    progress.unsaved += reasons.size;
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
    ...{ ...progress, isComplete, batchesAlreadyCounted, batches, dropped },
    isWaiting: isWaiting && !isPosted,
    unsavedFile: unsavedFile.toBlob(),
  };
}

/** undefined when the user cancelled before a response. */
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
        onState({ kind: 'blocked', message: result.message });
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
