import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ApiError, errorSentence, isUnanswered } from './api.ts';
import { flashAnswer } from './flash.ts';
import { newId } from './new-id.ts';

/** What it returns is shown as a success (`flashAnswer`). */
export type Action = (options: { idempotencyKey: string }) => Promise<unknown>;

interface ActSettings {
  /** Receives the error and its sentence, and undefined at the start, where another component shows it. */
  onFailure?: (sentence: string | undefined, error?: unknown) => void;
  /**
   * What is asked again: by default what is on screen, also after a refusal, before the button is free again. Other
   * data is asked again when it is shown next. `form`: in the background, and after a refusal only when the record has
   * changed meanwhile, so that the input stays. `nothing`: the action changes nothing.
   */
  reloads?: 'screen' | 'form' | 'nothing';
}

/**
 * What a button, form or dialog does. It does not start again while it runs; the same content keeps its idempotency key
 * until it is done, or its record has changed: repeating what was done although a later step failed, or whose response
 * was lost, has no further effect.
 */
export function useAct({ onFailure, reloads = 'screen' }: ActSettings = {}) {
  const queryClient = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  /** By field. */
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
    const reloaded = queryClient.invalidateQueries();
    if (isAwaited) await reloaded;
  };
  /**
   * @param content what is sent
   * @returns whether it was done
   */
  const run = async (action: Action, content?: unknown): Promise<boolean> => {
    if (isRunning.current) return false;
    isRunning.current = true;
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
      setIsBusy(false);
    }
  };
  const act = (action: Action, content?: unknown) => void run(action, content);
  return { act, run, isBusy, failure, setFailure, errors };
}
