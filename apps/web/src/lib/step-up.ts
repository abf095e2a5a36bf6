import { createStore } from './store.ts';

/** What a refused call waits for: a second factor, a sign-in at the identity provider, or adding a factor. */
type StepUp = 'confirm' | 'provider' | 'missing';

const state = createStore<StepUp | undefined>(undefined);
let waiting: { promise: Promise<boolean>; settle: (isConfirmed: boolean) => void } | undefined;
/** The last confirmation, in `performance.now()`. */
let confirmedAt = Number.NEGATIVE_INFINITY;

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
    state.set(by);
  }
  return waiting.promise;
}

/** The call requires a factor and the admin has none: the dialog links to the page that adds one. */
export function askForSecondFactor(): void {
  if (state.get() === undefined) state.set('missing');
}

export function closeStepUp(isConfirmed: boolean): void {
  if (isConfirmed) confirmedAt = performance.now();
  waiting?.settle(isConfirmed);
  waiting = undefined;
  state.set(undefined);
}

export const useStepUp = state.useValue;
