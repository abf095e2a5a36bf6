import { messages } from '@regie/contract/messages.ts';
import { fr } from '#src/lib/fr.ts';
import { TableRefusal } from './refusal.ts';
import { readSmallTable } from './small-table.ts';
import type { FromTableWorker, ToTableWorker } from './table-reader.ts';

const post = (message: FromTableWorker) => self.postMessage(message);

self.addEventListener('message', ({ data }: MessageEvent<ToTableWorker>) => {
  void readSmallTable(data.file, data.names, data.maxRows, data.sheet).then(
    (table) => post({ kind: 'read', table }),
    (error: unknown) => {
      if (error instanceof TableRefusal) post({ kind: 'refused', message: error.message, sheets: error.sheets });
      // A file changed or removed after it was chosen is unreadable.
      else
        post({
          kind: 'refused',
          message: error instanceof DOMException ? fr.tables.fileChanged : messages.invalidData,
        });
    },
  );
});
