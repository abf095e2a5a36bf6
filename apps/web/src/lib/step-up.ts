import { useSyncExternalStore } from 'react';

/** What a refused call waits for: a second factor, a sign-in at the identity provider, or adding a factor. */
type StepUp = 'confirm' | 'provider' | 'missing';

let state: StepUp | undefined;
let waiting: { promise: Promise<boolean>; settle: (isConfirmed: boolean) => void } | undefined;
/** The last confirmation, in `performance.now()`. */
let confirmedAt = Number.NEGATIVE_INFINITY;
const listeners = new Set<() => void>();

function setState(next: StepUp | undefined): void {
  state = next;
  for (const listener of listeners) listener();
}

/**
 * Opens the dialog over the screen; concurrent calls share it. True once the identity is confirmed.
 * @param sentAt when the refused call was sent, in `performance.now()`: a call sent before the last confirmation is
 * only repeated
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

/** The call requires a factor and the admin has none: the dialog links to the page that adds one. */
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
