import { createStore } from './store.ts';

type StepUp = 'confirm' | 'provider' | 'missing';

const state = createStore<StepUp | undefined>(undefined);
let waiting: { promise: Promise<boolean>; settle: (isConfirmed: boolean) => void } | undefined;
/** The last confirmation, in `performance.now()`. */
let confirmedAt = Number.NEGATIVE_INFINITY;

/** Concurrent calls share the dialog. @param sentAt in `performance.now()`: one before the last confirmation is true */
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
