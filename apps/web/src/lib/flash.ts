import { type ReactNode, useSyncExternalStore } from 'react';

/** An alert above the page, for what was done in a dialog or on the screen just left. Never in an address: it ends with the page. */
interface Flash {
  tone: 'success' | 'error';
  message: ReactNode;
  /** False until the screen it is meant for is on. */
  isShown: boolean;
}

let flash: Flash | undefined;
const listeners = new Set<() => void>();

function setFlash(next: Flash | undefined): void {
  flash = next;
  for (const listener of listeners) listener();
}

/** Shows a success; with `afterNavigation` it survives the next change of screen. */
export function flashSuccess(message: ReactNode, options: { afterNavigation?: boolean } = {}): void {
  setFlash({ tone: 'success', message, isShown: !options.afterNavigation });
}

/** Says on the next screen why the one asked for did not open. */
export function flashProblem(message: string): void {
  setFlash({ tone: 'error', message, isShown: false });
}

export function dismissFlash(): void {
  setFlash(undefined);
}

/** The shell tells that another screen is on. */
export function advanceFlash(): void {
  if (flash) setFlash(flash.isShown ? undefined : { ...flash, isShown: true });
}

export function useFlash(): Pick<Flash, 'tone' | 'message'> | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => flash,
  );
}
