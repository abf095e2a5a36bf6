import type { PreparedDocument } from '@regie/documents/prepare.ts';
import { printDocument } from '@regie/documents/print.ts';

self.addEventListener('message', ({ data }: MessageEvent<PreparedDocument>) => {
  void printDocument(data).then((blob) => self.postMessage(blob), reportError);
});
