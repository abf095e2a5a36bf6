import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { raiseHeapGrowth } from '@regie/api/lib/heap.ts';
import { loadInThread } from '@regie/api/modules/statements/load-in-thread.service.ts';

/**
 * Loads a store's file in its own process, to measure only the load's memory; or helps another process that loads it in slices
 * of that many bytes, until it is told to end.
 */
raiseHeapGrowth();
const [, , ownerUrl = '', statementId = '', path = '', sliceBytes, task] = process.argv;
const { size } = await stat(path);
const folder = dirname(path);
const start = performance.now();
let isEnded = task !== 'slices';
process.once('message', () => {
  isEnded = true;
});
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
  while (!isEnded) {
    await loadInThread({ ...load, task: 'slices' });
    await setTimeout(50);
  }
} else await loadInThread({ ...load, task: 'load' });
process.send?.({ seconds: (performance.now() - start) / 1000, peakBytes: process.resourceUsage().maxRSS * 1024 });
process.disconnect();
