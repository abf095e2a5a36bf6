import { messages } from '@regie/contract/messages.ts';
import type { StatementUpload } from '@regie/contract/routes/statements.ts';
import { routes } from '@regie/contract/routes.ts';
import {
  maxStatementBytes,
  type StatementStatus,
  statementChunkBytes,
  statementMessages,
} from '@regie/contract/statements.ts';
import { frStatements } from '#src/fr-statements.ts';
import { ApiError, api, apiUpload, errorSentence } from '#src/lib/api.ts';
import { newId } from '#src/lib/new-id.ts';
import { readPreference, writePreference } from '#src/lib/preferences.ts';
import { maxUnexpected, waitForNetwork, waitForSession } from '#src/lib/upload-waiting.ts';
import { addWork, finishWork, restartWork, updateWork } from '#src/lib/work-tray.ts';
import { paths } from '#src/paths.ts';

import { isBeingRead } from './statement-words.tsx';

const t = frStatements.upload;

interface Job {
  file: File;
  replaces: number | undefined;
  workId: string;
  isWaiting: boolean;
  /** Stops the call or the waiting that is on. */
  stop: AbortController;
  uploadId: number | undefined;
  sentBytes: number;
  /** The last chunk while its answer is out: what is asked again under its key has no second effect. */
  last: { start: number; key: string } | undefined;
  onStored: () => void;
}

// Uploads outlive the screen that started them: the tray shows them everywhere.
const jobs: Job[] = [];
const atOnce = 2;
let working = 0;

/** What this browser began to send, so that the same file goes on and another one of its name and size does not. */
const memoryKey = (file: File) => `statement-upload.${file.size}.${file.name}`;
const printOf = (file: File) => `${file.lastModified}`;

/** Why a file cannot be sent; undefined when it can be. */
export function refuseStatement(file: File): string | undefined {
  if (file.size === 0) return statementMessages.empty;
  return file.size > maxStatementBytes ? statementMessages.tooLarge : undefined;
}

/** Sends a statement's file, two at a time; `onStored` is called once it is a statement. */
export function startStatementUpload(
  file: File,
  options: { replaces?: number | undefined; onStored: () => void },
): void {
  const job: Job = {
    file,
    replaces: options.replaces,
    workId: addWork({
      title: t.title(file.name),
      unit: 'bytes',
      total: file.size,
      cancel: () => cancel(job),
      asksBeforeUnload: true,
    }),
    isWaiting: false,
    stop: new AbortController(),
    uploadId: undefined,
    sentBytes: 0,
    last: undefined,
    onStored: options.onStored,
  };
  jobs.push(job);
  letWait(job);
}

function letWait(job: Job): void {
  job.stop = new AbortController();
  job.isWaiting = true;
  updateWork(job.workId, { note: t.waiting, toggle: { label: t.pause, run: () => pause(job) } });
  work();
}

function work(): void {
  while (working < atOnce) {
    const job = jobs.find(({ isWaiting }) => isWaiting);
    if (!job) return;
    job.isWaiting = false;
    working += 1;
    void send(job).finally(() => {
      working -= 1;
      work();
    });
  }
}

function pause(job: Job): void {
  job.stop.abort();
  job.isWaiting = false;
  const percent = Math.floor((job.sentBytes / job.file.size) * 100);
  updateWork(job.workId, { note: t.paused(percent), toggle: { label: t.resume, run: () => letWait(job) } });
}

function cancel(job: Job): void {
  job.stop.abort();
  const { uploadId } = job;
  end(job, 'cancelled', t.cancelled);
  // What is not removed now is removed by the night.
  if (uploadId !== undefined) {
    void api(routes.cancelStatementUpload, { params: { id: uploadId } }).catch(() => undefined);
  }
}

/** The job has left the browser. @returns whether it had not already */
function leave(job: Job): boolean {
  const index = jobs.indexOf(job);
  if (index < 0) return false;
  jobs.splice(index, 1);
  writePreference(memoryKey(job.file), '');
  return true;
}

function end(job: Job, state: 'failed' | 'cancelled', result: string): void {
  if (leave(job)) finishWork(job.workId, { state, result });
}

/** The file is on the server: the tray goes on to say what reading it found. */
function stored(job: Job, id: number): void {
  if (!leave(job)) return;
  job.onStored();
  updateWork(job.workId, { note: t.reading, toggle: undefined, cancel: undefined, asksBeforeUnload: false });
  void tellReading(job.workId, id);
}

const wantsSomebody: readonly StatementStatus[] = ['unrecognised', 'ambiguous'];
const askAgainMs = 1500;
const maxFailures = 20;

async function tellReading(workId: string, id: number): Promise<void> {
  const href = paths.storeStatement(id);
  for (let failures = 0; failures < maxFailures; ) {
    try {
      const { status, problem } = (await api(routes.getStoreStatement, { params: { id } })).data;
      if (!isBeingRead(status)) {
        const state = status === 'refused' ? 'failed' : wantsSomebody.includes(status) ? 'attention' : 'done';
        const result = problem?.message ?? t.found[status];
        finishWork(workId, { state, word: frStatements.status[status], result, href });
        return;
      }
      failures = 0;
    } catch {
      failures += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, askAgainMs));
  }
  finishWork(workId, { state: 'done', result: routes.uploadStatement.message, href });
}

/** Sends a file from where the server stands until it is a statement, refused, paused or cancelled. */
async function send(job: Job): Promise<void> {
  const { signal } = job.stop;
  let failures = 0;
  let unexpected = 0;
  while (!signal.aborted) {
    try {
      const done = await sendOn(job, signal, () => {
        failures = 0;
        unexpected = 0;
      });
      return stored(job, done);
    } catch (error) {
      if (signal.aborted) return;
      const code = error instanceof ApiError ? error.code : undefined;
      if (code === 'unauthorized') {
        updateWork(job.workId, { note: t.signedOut });
        await waitForSession(signal);
      } else if (code === 'network' || code === 'unavailable' || code === 'too_many_requests') {
        failures += 1;
        updateWork(job.workId, { note: t.offline(code === 'network' ? messages.network : errorSentence(error)) });
        await waitForNetwork(failures, signal);
      } else if (isElsewhere(error) && unexpected < maxUnexpected) {
        unexpected += 1;
        job.uploadId = undefined;
        job.last = undefined;
        if (code === 'server_error') await waitForNetwork(unexpected, signal);
      } else {
        return end(job, 'failed', error instanceof ApiError ? errorSentence(error) : t.unreadable);
      }
    }
  }
}

/** The server stands somewhere else than was thought, or met something that may pass. */
const isElsewhere = (error: unknown) =>
  error instanceof ApiError &&
  (error.code === 'server_error' ||
    error.code === 'not_found' ||
    (error.code === 'conflict' &&
      (error.message === statementMessages.uploadStart || error.message === messages.conflict)));

/** @returns the statement */
async function sendOn(job: Job, signal: AbortSignal, onAnswer: () => void): Promise<number> {
  const begun = job.last === undefined || job.uploadId === undefined ? await begin(job, signal) : undefined;
  let start = begun?.received ?? job.last?.start ?? 0;
  job.uploadId = begun?.id ?? job.uploadId;
  if (begun) restartWork(job.workId, start);
  for (;;) {
    const answer = await sendChunk(job, job.uploadId ?? 0, start, signal);
    onAnswer();
    writePreference(memoryKey(job.file), printOf(job.file));
    if (answer.statementId !== null) return answer.statementId;
    start = answer.received;
  }
}

/** Where the server stands with this very file; another one of its name and size begins anew. */
async function begin(job: Job, signal: AbortSignal): Promise<StatementUpload> {
  const { file, replaces } = job;
  const body = { fileName: file.name, sizeBytes: file.size, ...(replaces === undefined ? {} : { replaces }) };
  const { data } = await api(routes.beginStatementUpload, { body, signal });
  if (data.received === 0 || readPreference(memoryKey(file)) === printOf(file)) return data;
  await api(routes.cancelStatementUpload, { params: { id: data.id }, signal });
  return (await api(routes.beginStatementUpload, { body, signal })).data;
}

async function sendChunk(job: Job, id: number, start: number, signal: AbortSignal): Promise<StatementUpload> {
  const { file } = job;
  // Read first: a file that has gone or changed on the disk is no matter of the network.
  const chunk = new Blob([await file.slice(start, start + statementChunkBytes).arrayBuffer()]);
  const isLast = start + chunk.size === file.size;
  if (isLast && job.last?.start !== start) job.last = { start, key: newId() };
  const { data } = await apiUpload(routes.uploadStatement, {
    params: { id },
    file: chunk,
    fileName: 'chunk',
    headers: {
      'x-file-start': String(start),
      ...(isLast && job.last ? { 'idempotency-key': job.last.key } : {}),
    },
    signal,
    onProgress: (bytes) => {
      job.sentBytes = start + bytes;
      updateWork(job.workId, {
        done: job.sentBytes,
        note: isLast && bytes >= chunk.size ? t.checking : undefined,
      });
    },
  });
  job.sentBytes = data.received;
  return data;
}
