import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ApiError, errorSentence, isUnanswered } from './api.ts';
import { flashAnswer } from './flash.ts';
import { watchFocus } from './focus.ts';
import { newId } from './new-id.ts';

/** What it returns is shown as a success (`flashAnswer`). */
export type Action = (options: { idempotencyKey: string }) => Promise<unknown>;

interface ActSettings {
  /** Receives the error and its sentence, and undefined at the start, where another component shows it. */
  onFailure?: (sentence: string | undefined, error?: unknown) => void;
  /** `screen`: before the button is free, also after a refusal. `form`: in the background, so that the input stays. */
  reloads?: 'screen' | 'form' | 'nothing';
}

/** Never runs twice at once. The same content keeps its idempotency key until it is done: repeating has no effect. */
export function useAct({ onFailure, reloads = 'screen' }: ActSettings = {}) {
  const queryClient = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [errors, setErrors] = useState<Record<string, string>>({});
  const isRunning = useRef(false);
  const sent = useRef<{ content: string; key: string }>(undefined);
  const show = onFailure ?? setFailure;

  const keyOf = (content: unknown) => {
    const text = JSON.stringify(content);
    // Buttons without content may do different things.
    if (text === undefined || sent.current?.content !== text) sent.current = { content: text ?? '', key: newId() };
    return sent.current.key;
  };
  const reload = async (isAwaited: boolean) => {
    // What a closed dialog has shown is not read again: it may be gone.
    await new Promise((resolve) => setTimeout(resolve));
    const reloaded = queryClient.invalidateQueries();
    if (isAwaited) await reloaded;
  };
  const run = async (action: Action, content?: unknown): Promise<boolean> => {
    if (isRunning.current) return false;
    isRunning.current = true;
    const mendFocus = watchFocus(document.activeElement);
    setIsBusy(true);
    show(undefined);
    setErrors({});
    try {
      const answer = await action({ idempotencyKey: keyOf(content) });
      sent.current = undefined;
      if (reloads !== 'nothing') await reload(reloads === 'screen');
      flashAnswer(answer);
      return true;
    } catch (error) {
      show(errorSentence(error), error);
      setErrors(error instanceof ApiError ? error.errors : {});
      const isStale = error instanceof ApiError && error.code === 'conflict';
      if (isStale) sent.current = undefined;
      // Without an answer it may have been done, but the server may not answer the reload either.
      const isAwaited = reloads === 'screen' && !isUnanswered(error);
      if (reloads === 'screen' || (reloads === 'form' && isStale)) await reload(isAwaited);
      return false;
    } finally {
      isRunning.current = false;
      // After the caller has closed its dialog: a second click between the two would repeat the action.
      setTimeout(() => setIsBusy(isRunning.current));
      // A disabled button has lost the focus.
      mendFocus();
    }
  };
  const act = (action: Action, content?: unknown) => void run(action, content);
  return { act, run, isBusy, failure, setFailure, errors };
}
