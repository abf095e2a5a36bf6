import { messages } from '@regie/contract/messages.ts';
import { ApiError, errorSentence } from './api.ts';
import { readShared, writePreference } from './preferences.ts';
import { createStore } from './store.ts';
import { maxUnexpected, waitForNetwork, waitForSession } from './upload-waiting.ts';
import { addWork, finishWork, restartWork, updateWork } from './work-tray.ts';

type Ending = 'done' | 'failed' | 'cancelled';

export interface Upload {
  key: number | string;
  title: string;
  fileName: string;
  sizeBytes: number;
  sentBytes: number;
  phase: 'waiting' | 'sending' | 'checking' | 'paused' | 'offline' | 'signedOut' | Ending;
  /** Where an earlier try had got to, while this one has not got much further. */
  resumedAt: number | undefined;
  message: string | undefined;
}

interface Call {
  signal: AbortSignal;
  onProgress: (bytes: number) => void;
}

/** Where the server stands; with a result once the file is whole. */
interface Position<Result> {
  received: number;
  result?: Result;
}

export interface Endpoint<Result> {
  /** A file not sent by this browser (`isOurs`) begins anew. `isElsewhere`: the server has just refused the position. */
  begin: (from: { isOurs: boolean; isElsewhere: boolean }, signal: AbortSignal) => Promise<Position<Result>>;
  send: (chunk: Blob, at: { start: number; isLast: boolean }, call: Call) => Promise<Position<Result>>;
  cancel: () => Promise<unknown>;
}

interface NewUpload<Result> {
  key: number | string;
  title: string;
  file: File;
  workTitle: string;
  /** Where the browser remembers what it began to send, so that another file of the same name does not go on with it. */
  memoryKey: string;
  href?: string;
  endpoint: Endpoint<Result>;
  onStored: (result: Result, workId: string) => void;
}

interface Job<Result> extends NewUpload<Result> {
  workId: string;
  stop: AbortController;
}

interface Options {
  chunkBytes: number;
  atOnce: number;
  isElsewhere: (error: ApiError) => boolean;
  words: {
    waiting: string;
    checking: string;
    pause: string;
    resume: string;
    paused: (percent: number) => string;
    cancelled: string;
    offline: (sentence: string) => string;
    signedOut: string;
    unreadable: string;
    done: string;
  };
}

const fileFingerprint = (file: File) => `${file.size} ${file.lastModified} ${file.name}`;

export const isEnded = ({ phase }: Upload): boolean => phase === 'done' || phase === 'failed' || phase === 'cancelled';
export const percentOf = (upload: Upload): number => Math.floor((upload.sentBytes / upload.sizeBytes) * 100);

/** Sends files in chunks. Uploads outlive the screen that started them: the tray shows them everywhere. */
export function createUploads<Result>({ chunkBytes, atOnce, isElsewhere, words }: Options) {
  const uploads = createStore<ReadonlyMap<number | string, Upload>>(new Map());
  const jobs = new Map<number | string, Job<Result>>();
  let working = 0;

  function set(key: number | string, change: Partial<Upload>): void {
    const upload = uploads.get().get(key);
    if (upload) uploads.set(new Map(uploads.get()).set(key, { ...upload, ...change }));
  }

  /** Sends a file after those that wait already. One that this browser had begun to send goes on where the server stands. */
  function start(upload: NewUpload<Result>): void {
    const { key, title, file } = upload;
    const workId = addWork({
      title: upload.workTitle,
      unit: 'bytes',
      total: file.size,
      cancel: () => cancel(key),
      asksBeforeUnload: true,
    });
    jobs.set(key, { ...upload, workId, stop: new AbortController() });
    const shown = { key, title, fileName: file.name, sizeBytes: file.size, sentBytes: 0 };
    uploads.set(
      new Map(uploads.get()).set(key, { ...shown, phase: 'waiting', resumedAt: undefined, message: undefined }),
    );
    enqueue(key);
  }

  function enqueue(key: number | string): void {
    const job = jobs.get(key);
    if (!job) return;
    job.stop = new AbortController();
    set(key, { phase: 'waiting', message: undefined });
    updateWork(job.workId, { note: words.waiting, toggle: { label: words.pause, run: () => pause(key) } });
    work();
  }

  function work(): void {
    while (working < atOnce) {
      const next = [...uploads.get().values()].find(({ phase }) => phase === 'waiting');
      const job = next && jobs.get(next.key);
      if (!job) return;
      set(job.key, { phase: 'sending' });
      working += 1;
      void send(job).finally(() => {
        working -= 1;
        work();
      });
    }
  }

  function pause(key: number | string): void {
    const upload = uploads.get().get(key);
    const job = jobs.get(key);
    if (!upload || !job) return;
    job.stop.abort();
    set(key, { phase: 'paused', resumedAt: undefined });
    const toggle = { label: words.resume, run: () => enqueue(key) };
    updateWork(job.workId, { note: words.paused(percentOf(upload)), toggle });
  }

  function resume(key: number | string): void {
    if (uploads.get().get(key)?.phase === 'paused') enqueue(key);
  }

  function cancel(key: number | string): void {
    const job = jobs.get(key);
    if (!job) return;
    job.stop.abort();
    writePreference(job.memoryKey, '');
    end(job, 'cancelled', words.cancelled);
    // What was sent is removed by the night at the latest.
    void job.endpoint.cancel().catch(() => undefined);
  }

  function dismiss(key: number | string): void {
    const upload = uploads.get().get(key);
    if (!upload || !isEnded(upload)) return;
    const next = new Map(uploads.get());
    next.delete(key);
    uploads.set(next);
  }

  function end({ key, workId, href }: Job<Result>, state: 'failed' | 'cancelled', message: string): void {
    jobs.delete(key);
    set(key, { phase: state, message, resumedAt: undefined });
    finishWork(workId, { state, result: message, href });
  }

  function show({ key, workId }: Job<Result>, phase: Upload['phase'], message: string | undefined): void {
    set(key, { phase, message });
    updateWork(workId, { note: message });
  }

  async function send(job: Job<Result>): Promise<void> {
    const { signal } = job.stop;
    let failures = 0;
    let unexpected = 0;
    let wasElsewhere = false;
    while (!signal.aborted) {
      try {
        const result = await sendOn(job, wasElsewhere, signal, (isFirst) => {
          failures = 0;
          // Two tabs with files of one name and size would take turns for ever, each with a first chunk.
          if (!isFirst) unexpected = 0;
        });
        jobs.delete(job.key);
        writePreference(job.memoryKey, '');
        set(job.key, { phase: 'done', message: words.done, resumedAt: undefined });
        return job.onStored(result, job.workId);
      } catch (error) {
        if (signal.aborted) return;
        const refusal = error instanceof ApiError ? error : undefined;
        const code = refusal?.code;
        wasElsewhere = code === 'server_error' || (refusal !== undefined && isElsewhere(refusal));
        if (code === 'unauthorized') {
          show(job, 'signedOut', words.signedOut);
          await waitForSession(signal);
        } else if (code === 'network' || code === 'unavailable' || code === 'too_many_requests') {
          failures += 1;
          show(job, 'offline', words.offline(code === 'network' ? messages.network : errorSentence(error)));
          await waitForNetwork(failures, signal);
        } else if (wasElsewhere && unexpected < maxUnexpected) {
          unexpected += 1;
          if (code === 'server_error') await waitForNetwork(unexpected, signal);
        } else {
          return end(job, 'failed', refusal ? errorSentence(refusal) : words.unreadable);
        }
      }
    }
  }

  async function sendOn(
    job: Job<Result>,
    wasElsewhere: boolean,
    signal: AbortSignal,
    onAnswer: (isFirst: boolean) => void,
  ) {
    // Another tab may have begun another file of the same name and size.
    const isOurs = readShared(job.memoryKey) === fileFingerprint(job.file);
    let at = await job.endpoint.begin({ isOurs, isElsewhere: wasElsewhere }, signal);
    const resumedAt = at.received === 0 ? undefined : at.received;
    set(job.key, { phase: 'sending', sentBytes: at.received, message: undefined, resumedAt });
    restartWork(job.workId, at.received);
    // One chunk after the other (product §17).
    for (let sent = 0; at.result === undefined; sent += 1) {
      at = await sendChunk(job, at.received, signal);
      onAnswer(sent === 0);
      writePreference(job.memoryKey, fileFingerprint(job.file));
    }
    return at.result;
  }

  async function sendChunk(job: Job<Result>, start: number, signal: AbortSignal): Promise<Position<Result>> {
    const { file, key, workId } = job;
    // Read first: a file that has gone or changed on the disk is no matter of the network.
    const chunk = new Blob([await file.slice(start, start + chunkBytes).arrayBuffer()]);
    const isLast = start + chunk.size === file.size;
    const onProgress = (bytes: number) => {
      const isWhole = isLast && bytes >= chunk.size;
      set(key, { sentBytes: start + bytes });
      show(job, isWhole ? 'checking' : 'sending', isWhole ? words.checking : undefined);
      updateWork(workId, { done: start + bytes });
    };
    return job.endpoint.send(chunk, { start, isLast }, { signal, onProgress });
  }

  return {
    start,
    pause,
    resume,
    cancel,
    dismiss,
    find: (key: number | string) => uploads.get().get(key),
    useUploads: uploads.useValue,
  };
}
