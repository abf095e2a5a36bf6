import { Worker } from 'node:worker_threads';
import { saveMemory } from '#src/lib/heap.ts';
import type { LoadTarget } from './load.service.ts';

export interface StoredLoad extends Omit<LoadTarget, 'file' | 'lines'> {
  ownerUrl: string;
  storageUrl: string;
  storageKey: string;
  sizeBytes: number;
  linesDir: string;
}
export type ThreadEnd = { isDone?: boolean; failure?: { name: string; message: string; code: string } };

/** Text needs little memory at a time, workbooks much. */
const resourceLimits = { maxYoungGenerationSizeMb: 48, maxOldGenerationSizeMb: 1024 };

/**
 * Loads a statement in its own thread: its heap is freed at the end, and the main thread keeps answering requests.
 * @throws what `loadStatement` throws, by name, message and code; ERR_WORKER_OUT_OF_MEMORY
 */
export async function loadInThread(load: StoredLoad): Promise<boolean> {
  const endSaving = saveMemory();
  const thread = new Worker(new URL('load-thread.ts', import.meta.url), { workerData: load, resourceLimits });
  try {
    const { failure, isDone = false } = await new Promise<ThreadEnd>((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
      thread.once('exit', (code) => reject(new Error(`the thread of a load ended with ${code}`)));
    });
    if (failure) throw Object.assign(new Error(failure.message), { name: failure.name, code: failure.code });
    return isDone;
  } finally {
    // The storage's open connections would keep the thread alive.
    await thread.terminate();
    endSaving();
  }
}
