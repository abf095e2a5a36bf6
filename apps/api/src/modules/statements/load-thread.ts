import { parentPort, workerData } from 'node:worker_threads';
import { createStorage } from '#src/lib/open-storage.ts';
import { loadStatement } from './load.service.ts';
import type { StoredLoad, ThreadEnd } from './load-in-thread.service.ts';

/** Loads one statement in a thread; started by `loadInThread`. */
const { ownerUrl, storageUrl, storageKey, sizeBytes, ...target } = workerData as StoredLoad;
const storage = createStorage(storageUrl);
const end = await loadStatement(ownerUrl, {
  ...target,
  file: { sizeBytes, open: (range) => storage.open(storageKey, range) },
  storage,
}).then(
  (): ThreadEnd => ({}),
  // What an error is called and its code are what the job goes by; threads pass on only plain values whole.
  (error: Error & { code?: unknown }): ThreadEnd => ({
    failure: { name: error.name, message: error.message, code: String(error.code ?? '') },
  }),
);
parentPort?.postMessage(end);
