import { fr } from '#src/fr.ts';
import type { FormatChoice, WireRow } from './csv-rows.ts';
import { readRow } from './csv-rows.ts';
import { type TableAnalysis, type TableBatch, tableBatches } from './csv-table.ts';
import { UnsavedFile } from './csv-unsaved.ts';

export interface BatchAnswer {
  saved: number;
  unsaved: { row: number; isrc: string; reason: string }[];
  importId: number;
  alreadyCounted: boolean;
  /** False of rows that wait for the rest of the file. */
  isPosted: boolean;
  /** Rows of other batches that were unsaved as the file was posted. */
  dropped: number;
}

/** How one attempt to send a batch ended. */
export type SendResult =
  | { kind: 'answered'; answer: BatchAnswer }
  /** No answer, or the server is restarting: the same batch is sent again until it answers. */
  | { kind: 'unreachable' }
  /** Too many requests: again after so many seconds. */
  | { kind: 'busy'; seconds: number }
  /** The session ended or lost its right: nothing more is sent until the user resumes. */
  | { kind: 'blocked'; message: string }
  /** The server refuses this batch. */
  | { kind: 'refused'; message: string }
  /** The server failed; tried again a few times. */
  | { kind: 'failed'; message: string };

export type SendState =
  | { kind: 'sending' }
  /** All but the batch that makes the file whole have been answered. */
  | { kind: 'posting' }
  | { kind: 'waiting'; reason: 'unreachable' | 'busy' | 'failed'; seconds: number; attempt: number }
  | { kind: 'blocked'; message: string };

export interface SendProgress {
  /** Rows whose fate is known. */
  rowsDone: number;
  rowCount: number;
  saved: number;
  unsaved: number;
  importId?: number;
}

export interface SendOutcome extends SendProgress {
  isComplete: boolean;
  /** Batches that an earlier run had counted: nothing was added for them now. */
  batchesAlreadyCounted: number;
  batches: number;
  /** Rows were taken that wait for the rest of the file: nothing of them is posted. */
  isWaiting: boolean;
  /** Rows that the server took and that had lost their track when the file was posted: they are in no file of ours. */
  dropped: number;
  unsavedFile?: Blob;
}

export interface SendControl {
  /** Aborted by the user: what is under way is awaited, nothing more is sent. */
  signal: AbortSignal;
  /** Resolves when the user asks to go on after `blocked`. */
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

/** After how long the n-th attempt (from 1) follows. */
function retryDelay(attempt: number): number {
  return delaysSeconds[Math.min(attempt, delaysSeconds.length) - 1] ?? 30;
}

/**
 * Sends a file's rows in batches, two under way at most: the next piece of the file is read only when one
 * has been answered, so memory does not depend on the file's size. Never loses a row silently: each is
 * saved, unsaved with its reason, or not sent because the user cancelled.
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
    } else for (const index of batch.rows.keys()) reasons.set(index, fr.reports.csv.batchFailed(result.message));
    batches++;
    progress.unsaved += reasons.size;
    progress.rowsDone += batch.rows.length;
    unsavedFile.add(
      batch.index,
      batch.rows.flatMap((cells, index) => {
        const reason = reasons.get(index);
        // The file's own reason says more than the server can know of an unreadable value.
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

/** undefined when the user cancelled before an answer came. */
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
