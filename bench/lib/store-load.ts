import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { raiseHeapGrowth } from '@regie/api/lib/heap.ts';
import { loadInThread } from '@regie/api/modules/statements/load-in-thread.service.ts';

/**
 * Loads a store's file in its own process, to measure only the load's memory; or, once it is told to, helps another process
 * that loads it in slices of that many bytes.
 */
raiseHeapGrowth();
const [, , ownerUrl = '', statementId = '', path = '', sliceBytes, task] = process.argv;
const { size } = await stat(path);
const folder = dirname(path);
const start = performance.now();
const load = {
  ownerUrl,
  storageUrl: pathToFileURL(dirname(folder)).href,
  storageKey: join(basename(folder), basename(path)),
  sizeBytes: size,
  statementId: Number(statementId),
  linesDir: join(folder, '..', 'lines'),
  chosen: undefined,
  ...(sliceBytes !== undefined && { slicing: { fromBytes: 0, sliceBytes: Number(sliceBytes) } }),
};
if (task === 'slices') {
  await once(process, 'message');
  while (await loadInThread({ ...load, task: 'slices' }));
} else await loadInThread({ ...load, task: 'load' });
process.send?.({ seconds: (performance.now() - start) / 1000, peakBytes: process.resourceUsage().maxRSS * 1024 });
process.disconnect();
