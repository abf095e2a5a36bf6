import { audioChunkBytes, looksLikeWav, maxAudioBytes } from '@regie/contract/audio.ts';
import { messages } from '@regie/contract/messages.ts';
import type { UploadState } from '@regie/contract/routes/audio.ts';
import { routes } from '@regie/contract/routes.ts';
import { useSyncExternalStore } from 'react';
import { fr } from '#src/fr.ts';
import { ApiError, api, apiUpload, errorSentence } from '#src/lib/api.ts';
import { readPreference, writePreference } from '#src/lib/preferences.ts';
import { maxUnexpected, waitForNetwork, waitForSession } from '#src/lib/upload-waiting.ts';
import { addWork, finishWork, restartWork, updateWork } from '#src/lib/work-tray.ts';
import { paths } from '#src/paths.ts';

const t = fr.releases.audio;

export type UploadPhase =
  | 'waiting'
  | 'sending'
  | 'checking'
  | 'paused'
  | 'offline'
  | 'signedOut'
  | 'done'
  | 'failed'
  | 'cancelled';

export interface AudioUpload {
  trackId: number;
  title: string;
  fileName: string;
  sizeBytes: number;
  sentBytes: number;
  phase: UploadPhase;
  /** Where an earlier try had got to, while this one has not got much further. */
  resumedAt: number | undefined;
  /** The result or the failure, in a sentence. */
  message: string | undefined;
}

interface Job {
  file: File;
  workId: string;
  /** Stops the call or the waiting that is on. */
  stop: AbortController;
  /** Some of this very file has been sent by this page, so the server's part is of it. */
  hasBegun: boolean;
  /** Where the result can be seen. */
  href: string;
  onStored: () => void;
}

// Uploads outlive the screen that started them: the tray shows them everywhere, the screens find them again.
let uploads: ReadonlyMap<number, AudioUpload> = new Map();
const jobs = new Map<number, Job>();
const listeners = new Set<() => void>();
let isWorking = false;

const endings: readonly UploadPhase[] = ['done', 'failed', 'cancelled'];
export const isEnded = (upload: AudioUpload): boolean => endings.includes(upload.phase);
export const percentOf = (upload: AudioUpload): number => Math.floor((upload.sentBytes / upload.sizeBytes) * 100);

function setUploads(next: ReadonlyMap<number, AudioUpload>): void {
  uploads = next;
  for (const listener of listeners) listener();
}

export function useAudioUploads(): ReadonlyMap<number, AudioUpload> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => uploads,
  );
}

function set(trackId: number, change: Partial<AudioUpload>): void {
  const upload = uploads.get(trackId);
  if (upload) setUploads(new Map(uploads).set(trackId, { ...upload, ...change }));
}

/** What this browser sent last to a track, so that the same file goes on and another one of its name does not. */
const memoryKey = (trackId: number) => `audio-upload.${trackId}`;
const printOf = (file: File) => `${file.size} ${file.lastModified} ${file.name}`;

/** Why a file cannot be sent, in the words of product §18.3; undefined when it can be. */
export async function refuseFile(file: File): Promise<string | undefined> {
  if (file.size > maxAudioBytes) return messages.audioTooLarge;
  try {
    const head = new Uint8Array(await file.slice(0, 12).arrayBuffer());
    return /\.wav$/i.test(file.name) && looksLikeWav(head, file.size) ? undefined : messages.audioFormat;
  } catch {
    return t.unreadable;
  }
}

/**
 * Sends a file to a track, after those that wait already. One that this browser had begun to send goes on where the
 * server stands. `onStored` is called once it is the track's.
 * @returns why it was refused at once, in a sentence
 */
export async function startAudioUpload(
  track: { id: number; title: string; releaseId: number },
  file: File,
  onStored: () => void,
): Promise<string | undefined> {
  const present = uploads.get(track.id);
  if (present && !isEnded(present)) return t.busy;
  const refusal = await refuseFile(file);
  if (refusal !== undefined) return refusal;
  const workId = addWork({
    title: t.workTitle(track.title),
    unit: 'bytes',
    total: file.size,
    cancel: () => cancelAudioUpload(track.id),
    asksBeforeUnload: true,
  });
  jobs.set(track.id, {
    file,
    workId,
    stop: new AbortController(),
    hasBegun: readPreference(memoryKey(track.id)) === printOf(file),
    href: paths.release(track.releaseId),
    onStored,
  });
  setUploads(
    new Map(uploads).set(track.id, {
      trackId: track.id,
      title: track.title,
      fileName: file.name,
      sizeBytes: file.size,
      sentBytes: 0,
      phase: 'waiting',
      resumedAt: undefined,
      message: undefined,
    }),
  );
  letWait(track.id);
  return undefined;
}

function letWait(trackId: number): void {
  const job = jobs.get(trackId);
  if (!job) return;
  job.stop = new AbortController();
  set(trackId, { phase: 'waiting', message: undefined });
  updateWork(job.workId, { note: t.waiting, toggle: { label: t.pause, run: () => pauseAudioUpload(trackId) } });
  void work();
}

/** Sends what waits, one file after the other. */
async function work(): Promise<void> {
  if (isWorking) return;
  isWorking = true;
  for (;;) {
    const next = [...uploads.values()].find((upload) => upload.phase === 'waiting');
    const job = next && jobs.get(next.trackId);
    if (!next || !job) break;
    await send(next.trackId, job);
  }
  isWorking = false;
}

export function pauseAudioUpload(trackId: number): void {
  const upload = uploads.get(trackId);
  const job = jobs.get(trackId);
  if (!upload || !job || isEnded(upload)) return;
  job.stop.abort();
  set(trackId, { phase: 'paused', resumedAt: undefined });
  updateWork(job.workId, {
    note: t.paused(percentOf(upload)),
    toggle: { label: t.resume, run: () => letWait(trackId) },
  });
}

/** Goes on with a paused upload. */
export function resumeAudioUpload(trackId: number): void {
  if (uploads.get(trackId)?.phase === 'paused') letWait(trackId);
}

export function cancelAudioUpload(trackId: number): void {
  const job = jobs.get(trackId);
  if (!job) return;
  job.stop.abort();
  writePreference(memoryKey(trackId), '');
  end(trackId, 'cancelled', t.cancelled);
  // What was sent is removed by the night at the latest.
  const query = { name: job.file.name, size: String(job.file.size) };
  void api(routes.cancelAudioUpload, { params: { id: trackId }, query }).catch(() => undefined);
}

/** Forgets an upload that ended. */
export function dismissAudioUpload(trackId: number): void {
  const upload = uploads.get(trackId);
  if (!upload || !isEnded(upload)) return;
  const next = new Map(uploads);
  next.delete(trackId);
  setUploads(next);
}

function end(trackId: number, phase: 'done' | 'failed' | 'cancelled', message: string): void {
  const job = jobs.get(trackId);
  jobs.delete(trackId);
  set(trackId, { phase, message, resumedAt: undefined });
  if (!job) return;
  finishWork(job.workId, { state: phase, result: message, href: job.href });
  if (phase === 'done') job.onStored();
}

/** Sends a file from where the server stands until it is stored, refused, paused or cancelled. */
async function send(trackId: number, job: Job): Promise<void> {
  const { signal } = job.stop;
  let start: number | 'done' | undefined;
  let failures = 0;
  let unexpected = 0;
  while (!signal.aborted) {
    try {
      start ??= await findStart(trackId, job, signal);
      if (start === 'done') return end(trackId, 'done', routes.uploadAudio.message);
      await sendFrom(trackId, job, start, signal, (answer) => {
        failures = 0;
        unexpected = 0;
        job.hasBegun = true;
        writePreference(memoryKey(trackId), answer.done ? '' : printOf(job.file));
      });
      return end(trackId, 'done', routes.uploadAudio.message);
    } catch (error) {
      if (signal.aborted) return;
      start = undefined;
      const code = error instanceof ApiError ? error.code : undefined;
      if (code === 'unauthorized') {
        show(trackId, job, { phase: 'signedOut' }, t.signedOut);
        await waitForSession(signal);
      } else if (code === 'network' || code === 'unavailable' || code === 'too_many_requests') {
        failures += 1;
        const sentence = code === 'network' ? messages.network : errorSentence(error);
        show(trackId, job, { phase: 'offline' }, t.offline(sentence));
        await waitForNetwork(failures, signal);
      } else if ((code === 'conflict' || code === 'server_error') && unexpected < maxUnexpected) {
        unexpected += 1;
        if (code === 'server_error') await waitForNetwork(unexpected, signal);
      } else {
        return end(trackId, 'failed', error instanceof ApiError ? errorSentence(error) : t.unreadable);
      }
    }
  }
}

function show(trackId: number, job: Job, change: Partial<AudioUpload>, note: string | undefined): void {
  set(trackId, { ...change, message: note });
  updateWork(job.workId, { note });
}

/** Where the server stands with this very file; another one of its name and size begins anew. */
async function findStart(trackId: number, job: Job, signal: AbortSignal): Promise<number | 'done'> {
  const query = { name: job.file.name, size: String(job.file.size) };
  const { data } = await api(routes.getAudioUpload, { params: { id: trackId }, query, signal });
  const begin = (sentBytes: number, resumedAt?: number) => {
    set(trackId, { phase: 'sending', sentBytes, message: undefined, resumedAt });
    restartWork(job.workId, sentBytes);
    return sentBytes;
  };
  if (!job.hasBegun) return begin(0);
  // The last answer was lost, not the file.
  if (data.done) return 'done';
  return data.received === 0 ? begin(0) : begin(data.received, data.received);
}

/** Sends a file from `start` to its end, one chunk after the other (product §17). */
async function sendFrom(
  trackId: number,
  job: Job,
  start: number,
  signal: AbortSignal,
  onAnswer: (answer: UploadState) => void,
): Promise<void> {
  for (let next = start; next < job.file.size; next += audioChunkBytes) {
    onAnswer(await sendChunk(trackId, job, next, signal));
  }
}

async function sendChunk(trackId: number, job: Job, start: number, signal: AbortSignal): Promise<UploadState> {
  const { file } = job;
  // Read first: a file that has gone or changed on the disk is no matter of the network.
  const chunk = new Blob([await file.slice(start, start + audioChunkBytes).arrayBuffer()]);
  const isLast = start + chunk.size === file.size;
  const { data } = await apiUpload(routes.uploadAudio, {
    params: { id: trackId },
    file: chunk,
    fileName: 'chunk',
    headers: {
      'x-file-start': String(start),
      'x-file-name': encodeURIComponent(file.name),
      'x-file-size': String(file.size),
    },
    signal,
    onProgress: (bytes) => {
      const sentBytes = start + bytes;
      const isWhole = isLast && bytes >= chunk.size;
      show(trackId, job, { sentBytes, phase: isWhole ? 'checking' : 'sending' }, isWhole ? t.checking : undefined);
      updateWork(job.workId, { done: sentBytes });
    },
  });
  return data;
}
