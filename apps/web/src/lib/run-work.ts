import { errorSentence } from './api.ts';
import { fr } from './fr.ts';
import { addWork, finishWork, type NewWork, updateWork, type WorkOutcome } from './work-tray.ts';

type Progress = Pick<NewWork, 'total'> & { done: number };

/** Runs what the tray shows, and can cancel, until its outcome or the reason of its failure. */
export async function runWork(
  work: Pick<NewWork, 'title' | 'unit' | 'total'>,
  run: (signal: AbortSignal, onProgress: (progress: Progress) => void) => Promise<WorkOutcome>,
): Promise<void> {
  const aborter = new AbortController();
  const id = addWork({ ...work, cancel: () => aborter.abort() });
  try {
    finishWork(id, await run(aborter.signal, (progress) => updateWork(id, progress)));
  } catch (error) {
    if (aborter.signal.aborted) finishWork(id, { state: 'cancelled', result: fr.list.exportCancelled });
    else {
      // Of a workbook that is being written.
      const isTooLong = error instanceof RangeError;
      finishWork(id, { state: 'failed', result: isTooLong ? fr.list.tooLongForSheet : errorSentence(error) });
    }
  }
}
