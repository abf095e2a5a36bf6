import type { ColumnNames } from '@regie/contract/columns.ts';
import { messages } from '@regie/contract/messages.ts';
import { TableRefusal } from './refusal.ts';
import type { SmallTable } from './small-table.ts';

export interface ToTableWorker {
  file: File;
  names: ColumnNames<string>;
  maxRows: number;
  sheet: string | undefined;
}
export type FromTableWorker =
  | { kind: 'read'; table: SmallTable<string> }
  | { kind: 'refused'; message: string; sheets?: readonly string[] | undefined };

/** Reads a small table in a worker, so that a crafted file cannot block the page. @throws TableRefusal */
export async function readTable<Field extends string>(
  file: File,
  names: ColumnNames<Field>,
  maxRows: number,
  sheet: string | undefined,
  signal?: AbortSignal,
): Promise<SmallTable<Field>> {
  const worker = new Worker(new URL('./table-worker.ts', import.meta.url), { type: 'module' });
  const read = Promise.withResolvers<SmallTable<Field>>();
  const fail = (...why: ConstructorParameters<typeof TableRefusal>) => read.reject(new TableRefusal(...why));
  worker.addEventListener('message', ({ data }: MessageEvent<FromTableWorker>) => {
    if (data.kind === 'read') read.resolve(data.table as SmallTable<Field>);
    else fail(data.message, data.sheets);
  });
  worker.addEventListener('error', () => fail(messages.retry));
  signal?.addEventListener('abort', () => fail(''));
  try {
    worker.postMessage({ file, names, maxRows, sheet } satisfies ToTableWorker);
    return await read.promise;
  } finally {
    worker.terminate();
  }
}
