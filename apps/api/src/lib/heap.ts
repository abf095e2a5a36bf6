import { setFlagsFromString } from 'node:v8';

/**
 * Lets the garbage reach twice what is in use before V8 looks for it. The bodies of requests lie outside the heap but
 * count for that, and V8's own figure, a tenth or two, makes it go through the whole heap at every 15 MB of them: a
 * third of the time of an upload.
 */
export function growHeapSteadily(): void {
  setFlagsFromString('--heap-growing-percent=200');
}
