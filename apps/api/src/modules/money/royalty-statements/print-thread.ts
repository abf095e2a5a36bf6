import { parentPort } from 'node:worker_threads';
import type { RoyaltyRecord } from '@regie/contract/routes/royalty-statements.ts';
import { installedFonts } from '@regie/documents/installed-fonts.ts';
import { prepareDocument } from '@regie/documents/prepare.ts';
import { printDocument } from '@regie/documents/print.ts';
import { royaltyDocument } from '@regie/documents/royalty-statement.ts';

/** Entry point of the thread that `printRoyaltyStatement` starts: answers records in order, by a PDF or what failed. */
let last: Promise<unknown> = Promise.resolve();

async function print(record: RoyaltyRecord): Promise<ArrayBuffer> {
  const printed = await printDocument(await prepareDocument(royaltyDocument(record).document, installedFonts));
  return printed.arrayBuffer();
}

parentPort?.on('message', (record: RoyaltyRecord) => {
  last = last
    .then(() => print(record))
    .then(
      (bytes) => parentPort?.postMessage(bytes, [bytes]),
      (error: Error) => parentPort?.postMessage(error.message),
    );
});
