import type { BulkRow, ValidatedBulkRow } from '@regie/contract/routes/tools.ts';
import { routes } from '@regie/contract/routes.ts';
import { maxBulkRows } from '@regie/contract/tools.ts';
import { paths } from '#src/app/paths.ts';
import { api } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { createStore } from '#src/lib/store.ts';
import { addWork, finishWork, restartWork, updateWork } from '#src/lib/work-tray.ts';
import { type CheckedRows, saveFailure } from '#src/ui/file-check.tsx';
import { type CodeKind, type FileRow, toBulkRow, type UnsavedRow } from './bulk-columns.ts';
import { frTools } from './tools.fr.ts';

const t = frTools.bulk;

export interface Judged {
  kind: CodeKind;
  verdicts: ValidatedBulkRow[];
}
export type ParsedFile = CheckedRows<keyof FileRow> & Judged;

interface Progress {
  sent: number;
  unsaved: readonly UnsavedRow[];
}

export type BulkSend =
  | { stage: 'none' }
  | { stage: 'sending'; validated: ParsedFile }
  | { stage: 'stopped'; validated: ParsedFile; progress: Progress; failure: string }
  | { stage: 'done'; kind: CodeKind; saved: number; unsaved: readonly UnsavedRow[] };

// Sending outlives the screen: the tray shows it everywhere, and the screen reconnects to it.
const current = createStore<BulkSend>({ stage: 'none' });

export const useBulkSend = current.useValue;

export function clearBulkSend(): void {
  if (current.get().stage !== 'sending') current.set({ stage: 'none' });
}

export const outcomeLabels = (saved: number, unsaved: number): string[] => [
  t.done(saved),
  ...(unsaved > 0 ? [t.unsaved(unsaved)] : []),
];

function sendChunk(validated: ParsedFile, rows: readonly BulkRow[], sent: number) {
  const { kind, key, fileName } = validated;
  const input = {
    query: { edit: key, file: fileName.slice(0, 255) },
    body: rows.map((row) => toBulkRow(kind, row)),
    idempotencyKey: `${key}-${sent / maxBulkRows}`,
  };
  return kind === 'isrc' ? api(routes.editIsrcs, input) : api(routes.editBarcodes, input);
}

/**
 * Sends the rows to change and the refused ones, in chunks (product §27.7), from where an earlier attempt stopped. A
 * refused row carries its reason: the result matches the preview, even if a chunk alone would allow more.
 */
export async function sendBulk(validated: ParsedFile, from?: Progress): Promise<void> {
  if (current.get().stage === 'sending') return;
  const { rows, verdicts, fileName } = validated;
  const toSend = rows.flatMap((row, index): BulkRow[] => {
    const { verdict, message } = verdicts[index] ?? {};
    if (verdict === 'unsaved') return [{ ...row, keptBack: message ?? '' }];
    return verdict === 'change' ? [row] : [];
  });
  let sent = from?.sent ?? 0;
  const unsaved: UnsavedRow[] = [...(from?.unsaved ?? [])];
  let isCancelled = false;
  const work = addWork({
    title: t.work(fileName),
    unit: fr.list.exportRows,
    total: toSend.length,
    cancel: () => {
      isCancelled = true;
    },
    asksBeforeUnload: true,
  });
  if (sent > 0) restartWork(work, sent);
  current.set({ stage: 'sending', validated });
  try {
    while (sent < toSend.length && !isCancelled) {
      const chunk = toSend.slice(sent, sent + maxBulkRows);
      const { data } = await sendChunk(validated, chunk, sent);
      for (const { row, reason } of data) {
        const refused = chunk[row - 1];
        if (refused) unsaved.push({ ...refused, reason });
      }
      sent += chunk.length;
      updateWork(work, { done: sent });
    }
    const saved = sent - unsaved.length;
    for (const row of toSend.slice(sent)) unsaved.push({ ...row, reason: row.keptBack ?? t.cancelled });
    finishWork(work, {
      state: isCancelled ? 'cancelled' : 'done',
      result: outcomeLabels(saved, unsaved.length).join(', '),
      href: paths.bulkEdit,
    });
    current.set({ stage: 'done', kind: validated.kind, saved, unsaved });
  } catch (error) {
    const sentence = saveFailure(error);
    finishWork(work, { state: 'failed', result: sentence, href: paths.bulkEdit });
    current.set({
      stage: 'stopped',
      validated,
      progress: { sent, unsaved },
      failure: `${sentence}${/[.!?]$/.test(sentence) ? '' : '.'} ${t.stopped(t.saved(sent))}`,
    });
  }
}
