import { messages } from '@regie/contract/messages.ts';
import { fr } from '#src/lib/fr.ts';
import { TableRefusal } from '#src/lib/tables/refusal.ts';
import type { FormatChoice } from './csv-rows.ts';
import { type SendResult, sendTable } from './csv-send.ts';
import { analyseTable, type TableAnalysis } from './csv-table.ts';
import type { FromWorker, ToWorker } from './csv-worker-messages.ts';

let file: File | undefined;
let analysis: TableAnalysis | undefined;
let resume: (() => void) | undefined;
const cancelled = new AbortController();
const results = new Map<number, (result: SendResult) => void>();

const post = (message: FromWorker) => self.postMessage(message);

self.addEventListener('message', (event: MessageEvent<ToWorker>) => {
  const message = event.data;
  switch (message.kind) {
    case 'analyse':
      file = message.file;
      void refusing(() => analyse(message.file, message.sheet));
      break;
    case 'send':
      void refusing(() => send(message.formats, message.batchRows));
      break;
    case 'result':
      results.get(message.index)?.(message.result);
      results.delete(message.index);
      break;
    case 'resume':
      resume?.();
      break;
    case 'cancel':
      cancelled.abort();
      resume?.();
      break;
  }
});

async function refusing(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof TableRefusal) post({ kind: 'refused', message: error.message, sheets: error.sheets });
    // A file changed or removed after it was chosen is unreadable.
    else if (error instanceof DOMException) post({ kind: 'refused', message: fr.tables.fileChanged });
    else {
      post({ kind: 'refused', message: messages.invalidData });
      throw error;
    }
  }
}

const reportBytesEvery = 4_000_000;

async function analyse(chosen: File, sheet: string | undefined): Promise<void> {
  let reported = 0;
  const report = (bytes: number) => {
    if (bytes - reported < reportBytesEvery) return;
    reported = bytes;
    post({ kind: 'reading', bytes });
  };
  analysis = await analyseTable(chosen, report, sheet);
  post({ kind: 'analysed', analysis });
}

async function send(formats: FormatChoice, batchRows: number): Promise<void> {
  if (!file || !analysis) return;
  const outcome = await sendTable({
    file,
    analysis,
    formats,
    batchRows,
    signal: cancelled.signal,
    send: ({ index, rows }) => {
      const answered = Promise.withResolvers<SendResult>();
      results.set(index, answered.resolve);
      post({ kind: 'batch', index, rows });
      return answered.promise;
    },
    resumed: () => {
      const resumed = Promise.withResolvers<void>();
      const earlier = resume;
      resume = () => {
        earlier?.();
        resumed.resolve();
      };
      if (cancelled.signal.aborted) resumed.resolve();
      return resumed.promise;
    },
    wait: waitOrOnline,
    onProgress: (progress) => post({ kind: 'progress', progress }),
    onState: (state) => post({ kind: 'state', state }),
  });
  post({ kind: 'finished', outcome });
}

function waitOrOnline(seconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const waited = Promise.withResolvers<void>();
  const ended = new AbortController();
  const end = () => {
    clearTimeout(timer);
    ended.abort();
    waited.resolve();
  };
  const timer = setTimeout(end, seconds * 1000);
  self.addEventListener('online', end, { signal: ended.signal });
  signal.addEventListener('abort', end, { signal: ended.signal });
  return waited.promise;
}
