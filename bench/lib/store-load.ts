import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { raiseHeapGrowth } from '@regie/api/lib/heap.ts';
import { loadInThread } from '@regie/api/modules/income/statements/load-in-thread.service.ts';

/** Loads a store's file in its own process, to measure only the load's memory. */
raiseHeapGrowth();
const [, , ownerUrl = '', statementId = '', path = ''] = process.argv;
const { size } = await stat(path);
const folder = dirname(path);
const start = performance.now();
await loadInThread({
  ownerUrl,
  storageUrl: pathToFileURL(dirname(folder)).href,
  storageKey: join(basename(folder), basename(path)),
  sizeBytes: size,
  statementId: Number(statementId),
  linesDir: join(folder, '..', 'lines'),
});
process.send?.({ seconds: (performance.now() - start) / 1000, peakBytes: process.resourceUsage().maxRSS * 1024 });
process.disconnect();
