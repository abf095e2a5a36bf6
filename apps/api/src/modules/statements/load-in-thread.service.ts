import { Worker } from 'node:worker_threads';
import { saveMemory } from '#src/lib/heap.ts';
import type { LoadTarget } from './load.service.ts';

/** A load, told without what only one thread can use. */
export interface StoredLoad extends Omit<LoadTarget, 'file' | 'storage'> {
  ownerUrl: string;
  storageUrl: string;
  storageKey: string;
  sizeBytes: number;
}
export interface ThreadEnd {
  failure?: { name: string; message: string; code: string };
}

/** Of a text little is in use at a time; of a workbook much is kept. */
const resourceLimits = { maxYoungGenerationSizeMb: 48, maxOldGenerationSizeMb: 1024 };

/**
 * Loads a statement in a thread of its own: all that its heap took is given back when it ends, and answering requests goes on
 * meanwhile.
 * @throws what `loadStatement` throws, by name, message and code; ERR_WORKER_OUT_OF_MEMORY where a file takes more than a
 * thread may have
 */
export async function loadInThread(load: StoredLoad): Promise<void> {
  const endSaving = saveMemory();
  const thread = new Worker(new URL('load-thread.ts', import.meta.url), { workerData: load, resourceLimits });
  try {
    const { failure } = await new Promise<ThreadEnd>((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
      thread.once('exit', (code) => reject(new Error(`the thread of a load ended with ${code}`)));
    });
    if (failure) throw Object.assign(new Error(failure.message), { name: failure.name, code: failure.code });
  } finally {
    // Connections that a storage keeps open would keep it.
    await thread.terminate();
    endSaving();
  }
}
