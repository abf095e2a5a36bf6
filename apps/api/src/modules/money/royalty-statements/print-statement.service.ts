import { Worker } from 'node:worker_threads';
import type { RoyaltyRecord } from '@regie/contract/routes/royalty-statements.ts';
import { AppError } from '#src/lib/errors.ts';

const idleMs = 60_000;
const maxWaiting = 50;
const resourceLimits = { maxOldGenerationSizeMb: 256 };

interface Printer {
  thread: Worker;
  /** In the order in which the thread answers. */
  waiting: PromiseWithResolvers<Buffer>[];
  /** Ends a thread that has had nothing to do, or has not answered, for a minute. */
  end: NodeJS.Timeout;
}
/** Kept between statements: starting a thread takes longer than printing one. */
let printer: Printer | undefined;

function openPrinter(): Printer {
  const thread = new Worker(new URL('print-thread.ts', import.meta.url), { resourceLimits });
  const close = (error: Error) => {
    if (printer === opened) printer = undefined;
    clearTimeout(opened.end);
    for (const one of opened.waiting.splice(0)) one.reject(error);
    void thread.terminate();
  };
  const end = setTimeout(() => close(new Error('the printing thread did not answer')), idleMs).unref();
  const opened: Printer = { thread, waiting: [], end };
  thread.on('message', (answer: ArrayBuffer | string) => {
    const one = opened.waiting.shift();
    if (typeof answer === 'string') one?.reject(new Error(answer));
    else one?.resolve(Buffer.from(answer));
    if (opened.waiting.length === 0) thread.unref();
    end.refresh();
  });
  thread.on('error', close);
  thread.on('exit', (code) => close(new Error(`the printing thread ended with ${code}`)));
  return opened;
}

/** Prints in a thread, one statement after another. @throws unavailable when many wait; Error when printing fails */
export async function printRoyaltyStatement(record: RoyaltyRecord): Promise<Buffer> {
  printer ??= openPrinter();
  if (printer.waiting.length >= maxWaiting) throw new AppError('unavailable');
  const answer = Promise.withResolvers<Buffer>();
  if (printer.waiting.push(answer) === 1) printer.end.refresh();
  printer.thread.ref();
  printer.thread.postMessage(record);
  return answer.promise;
}
