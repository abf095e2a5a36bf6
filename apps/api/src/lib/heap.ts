import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const growsSteadily = '--heap-growing-percent=200';
const growsSparingly = '--heap-growing-percent=100';
let sparing = 0;

/**
 * Lets the garbage reach twice what is in use before V8 looks for it. The bodies of requests lie outside the heap but
 * count for that, and V8's own figure, a tenth or two, makes it go through the whole heap at every 15 MB of them: a
 * third of the time of an upload.
 */
export function growHeapSteadily(): void {
  setFlagsFromString(growsSteadily);
}

/**
 * Keeps the heaps of this process smaller while something large is done: what is garbage now is given back at once, and V8
 * looks for more once a heap has doubled. To be ended by what it returns.
 */
export function saveMemory(): () => void {
  sparing += 1;
  setFlagsFromString(growsSparingly);
  setFlagsFromString('--expose-gc');
  // There is no other way to ask for it in a running process. It takes a tenth of a second.
  const collect = runInNewContext('gc') as (options: { type: 'major'; flavor: 'last-resort' }) => void;
  collect({ type: 'major', flavor: 'last-resort' });
  return () => {
    sparing -= 1;
    if (sparing === 0) setFlagsFromString(growsSteadily);
  };
}
