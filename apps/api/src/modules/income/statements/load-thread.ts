import { parentPort, workerData } from 'node:worker_threads';
import { createStorage } from '#src/lib/open-storage.ts';
import { readInPlace } from '#src/lib/storage.ts';
import { createLineStore } from '#src/modules/income/lines/lines.service.ts';
import { loadStatement } from './load.service.ts';
import type { StoredLoad, ThreadEnd } from './load-in-thread.service.ts';

/** Entry point of the thread that `loadInThread` starts. */
const { ownerUrl, storageUrl, storageKey, sizeBytes, linesDir, ...target } = workerData as StoredLoad;
const storage = readInPlace(createStorage(storageUrl));
const lines = createLineStore({ storage, folder: linesDir });
const end = await loadStatement(ownerUrl, {
  ...target,
  file: { sizeBytes, open: (range) => storage.open(storageKey, range) },
  lines,
}).then(
  (isDone): ThreadEnd => ({ isDone }),
  // The job needs the error's name and code; threads transfer only plain values completely.
  (error: Error & { code?: unknown }): ThreadEnd => ({
    failure: { name: error.name, message: error.message, code: String(error.code ?? '') },
  }),
);
await lines.close();
parentPort?.postMessage(end);
