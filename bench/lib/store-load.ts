import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { growHeapSteadily } from '@regie/api/lib/heap.ts';
import { createFolderStorage } from '@regie/api/lib/storage.ts';
import { loadStatement } from '@regie/api/modules/statements/load.service.ts';

/** Reads one store's file as the worker does, in a process of its own: its memory is that of the load alone. */
growHeapSteadily();
const [, , ownerUrl = '', statementId = '', path = ''] = process.argv;
const { size } = await stat(path);
const start = performance.now();
await loadStatement(ownerUrl, {
  statementId: Number(statementId),
  file: { sizeBytes: size, open: async (range) => createReadStream(path, range) },
  storage: createFolderStorage(dirname(path)),
  chosen: undefined,
});
process.send?.({ seconds: (performance.now() - start) / 1000, peakBytes: process.resourceUsage().maxRSS * 1024 });
process.disconnect();
