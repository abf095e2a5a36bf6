import { useSyncExternalStore } from 'react';

/** What a call that was refused waits for: a second factor, a sign-in at the identity provider, or a factor to be added. */
type StepUp = 'confirm' | 'provider' | 'missing';

let state: StepUp | undefined;
let waiting: { promise: Promise<boolean>; settle: (isConfirmed: boolean) => void } | undefined;
/** When it was last confirmed, of `performance.now()`. */
let confirmedAt = Number.NEGATIVE_INFINITY;
const listeners = new Set<() => void>();

function setState(next: StepUp | undefined): void {
  state = next;
  for (const listener of listeners) listener();
}

/**
 * Opens the dialog over whatever is on; several calls wait for the same one. True once it is confirmed who is there.
 * @param sentAt when the refused call left, of `performance.now()`: what left before the last confirmation is only repeated
 */
export function confirmIdentity(by: 'confirm' | 'provider', sentAt: number): Promise<boolean> {
  if (sentAt < confirmedAt) return Promise.resolve(true);
  if (!waiting) {
    let settle: (isConfirmed: boolean) => void = () => undefined;
    const promise = new Promise<boolean>((resolve) => {
      settle = resolve;
    });
    waiting = { promise, settle };
    setState(by);
  }
  return waiting.promise;
}

/** The call needs a factor and its caller has none: the dialog leads to where one is added. */
export function askForSecondFactor(): void {
  if (state === undefined) setState('missing');
}

export function closeStepUp(isConfirmed: boolean): void {
  if (isConfirmed) confirmedAt = performance.now();
  waiting?.settle(isConfirmed);
  waiting = undefined;
  setState(undefined);
}

export function useStepUp(): StepUp | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
}
