import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const growsSteadily = '--heap-growing-percent=200';
const growsSparingly = '--heap-growing-percent=100';
let sparing = 0;

/**
 * Lets the heap double before V8 collects. Request bodies are outside the heap but count towards V8's limit: by default
 * every 15 MB of uploads trigger a full collection, a third of an upload's time.
 */
export function raiseHeapGrowth(): void {
  setFlagsFromString(growsSteadily);
}

/** Keeps the heap small during a large task, by collecting now and whenever it doubles. @returns ends it */
export function saveMemory(): () => void {
  sparing += 1;
  setFlagsFromString(growsSparingly);
  setFlagsFromString('--expose-gc');
  // The only way to trigger a collection in a running process; takes a tenth of a second.
  const collect = runInNewContext('gc') as (options: { type: 'major'; flavor: 'last-resort' }) => void;
  collect({ type: 'major', flavor: 'last-resort' });
  return () => {
    sparing -= 1;
    if (sparing === 0) setFlagsFromString(growsSteadily);
  };
}
