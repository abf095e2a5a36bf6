import { messages } from '@regie/contract/messages.ts';
import { routes } from '@regie/contract/routes.ts';
import {
  maxStatementBytes,
  type StatementStatus,
  statementChunkBytes,
  statementMessages,
} from '@regie/contract/statements.ts';
import { paths } from '#src/app/paths.ts';
import { api, apiUpload } from '#src/lib/api.ts';
import { newId } from '#src/lib/new-id.ts';
import { createUploads } from '#src/lib/uploads.ts';
import { finishWork, updateWork } from '#src/lib/work-tray.ts';
import { isBeingRead } from './statement-labels.tsx';
import { frStatements } from './statements.fr.ts';

const t = frStatements.upload;

const uploads = createUploads<number>({
  chunkBytes: statementChunkBytes,
  atOnce: 2,
  isElsewhere: ({ code, message }) =>
    code === 'not_found' ||
    (code === 'conflict' && (message === messages.uploadStart || message === messages.conflict)),
  words: { ...t, done: routes.uploadStatement.message },
});

export function refuseStatement(file: File): string | undefined {
  if (file.size === 0) return statementMessages.empty;
  return file.size > maxStatementBytes ? statementMessages.tooLarge : undefined;
}

/** Sends a statement's file, two at a time; `onStored` is called once it is a statement, `onEnd` once it is read. */
export function startStatementUpload(
  file: File,
  { replaces, onStored, onEnd }: { replaces?: number; onStored: () => void; onEnd: () => void },
): void {
  const body = { fileName: file.name, sizeBytes: file.size, replaces };
  let id: number | undefined;
  /** The last chunk while its answer is out: what is asked again under its key has no second effect. */
  let last: { start: number; key: string } | undefined;
  uploads.start({
    key: newId(),
    title: file.name,
    file,
    workTitle: t.title(file.name),
    memoryKey: `statement-upload.${file.size}.${file.name}`,
    endpoint: {
      async begin({ isOurs, isElsewhere }, signal) {
        if (last && !isElsewhere) return { received: last.start };
        last = undefined;
        let { data } = await api(routes.beginStatementUpload, { body, signal });
        if (data.received > 0 && !isOurs) {
          await api(routes.cancelStatementUpload, { params: { id: data.id }, signal });
          ({ data } = await api(routes.beginStatementUpload, { body, signal }));
        }
        id = data.id;
        return { received: data.received };
      },
      async send(chunk, { start, isLast }, call) {
        if (isLast && last?.start !== start) last = { start, key: newId() };
        const { data } = await apiUpload(routes.uploadStatement, {
          params: { id: id ?? 0 },
          file: chunk,
          fileName: 'chunk',
          headers: { 'x-file-start': String(start), ...(isLast && last ? { 'idempotency-key': last.key } : {}) },
          ...call,
        });
        return { received: data.received, result: data.statementId ?? undefined };
      },
      cancel: async () => id !== undefined && api(routes.cancelStatementUpload, { params: { id } }),
    },
    // The tray goes on to say what reading it found.
    onStored(statementId, workId) {
      onStored();
      updateWork(workId, { note: t.reading, toggle: undefined, cancel: undefined, asksBeforeUnload: false });
      void tellReading(workId, statementId).then(onEnd);
    },
  });
}

const wantsSomebody: readonly StatementStatus[] = ['unrecognised', 'ambiguous'];
const askAgainMs = 1500;
const maxFailures = 20;

async function tellReading(workId: string, id: number): Promise<void> {
  for (let failures = 0; failures < maxFailures; ) {
    try {
      const { status, problem } = (await api(routes.getStoreStatement, { params: { id } })).data;
      if (!isBeingRead(status)) {
        const state = status === 'refused' ? 'failed' : wantsSomebody.includes(status) ? 'attention' : 'done';
        const result = problem?.message ?? t.found[status];
        const [href, see] =
          status === 'unrecognised' ? [paths.statementMapping(id), frStatements.again.map] : [paths.storeStatement(id)];
        finishWork(workId, { state, word: frStatements.state[status], result, href, see });
        return;
      }
      failures = 0;
    } catch {
      failures += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, askAgainMs));
  }
  finishWork(workId, { state: 'done', result: routes.uploadStatement.message, href: paths.storeStatement(id) });
}
