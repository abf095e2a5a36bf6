import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ApiError, errorSentence, isUnanswered } from './api.ts';
import { flashAnswer } from './flash.ts';
import { useIdempotencyKey } from './idempotency-key.ts';

/** What it returns is shown as a success (`flashAnswer`), once what is on screen is current. */
type Action = (options: { idempotencyKey: string }) => Promise<unknown>;

/**
 * A button's action. It does not start again while it runs, and what is on screen reloads when it is answered.
 * @param onFailure receives the error's sentence, and undefined at the start, where another component shows it
 */
export function useAct(onFailure?: (sentence: string | undefined) => void) {
  const queryClient = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  /** By field. */
  const [errors, setErrors] = useState<Record<string, string>>({});
  const isRunning = useRef(false);
  const idempotency = useIdempotencyKey();
  const show = onFailure ?? setFailure;

  const run = async (action: Action, content: unknown) => {
    if (isRunning.current) return;
    isRunning.current = true;
    let isAnswered = true;
    let answer: unknown;
    setIsBusy(true);
    show(undefined);
    setErrors({});
    // Buttons without content may do different things.
    if (content === undefined) idempotency.forget();
    try {
      answer = await action({ idempotencyKey: idempotency.keyOf(content) });
      idempotency.forget();
    } catch (error) {
      isAnswered = !isUnanswered(error);
      if (isAnswered) idempotency.forget();
      show(errorSentence(error));
      setErrors(error instanceof ApiError ? error.errors : {});
    }
    if (isAnswered) await queryClient.invalidateQueries();
    flashAnswer(answer);
    isRunning.current = false;
    setIsBusy(false);
  };
  /** @param content what is sent: the same content keeps its idempotency key until it is answered */
  const act = (action: Action, content?: unknown) => void run(action, content);
  return { act, isBusy, failure, setFailure, errors };
}
