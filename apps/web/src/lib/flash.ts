import { type ReactNode, useSyncExternalStore } from 'react';

/** An alert above the page after an action in a dialog or on the previous screen. Kept in memory, not in the URL. */
interface Flash {
  tone: 'success' | 'error';
  message: ReactNode;
  /** False until its screen is open. */
  isShown: boolean;
}

let flash: Flash | undefined;
const listeners = new Set<() => void>();

function setFlash(next: Flash | undefined): void {
  flash = next;
  for (const listener of listeners) listener();
}

/** Shows a success; with `afterNavigation` it is shown on the next screen too. */
export function flashSuccess(message: ReactNode, options: { afterNavigation?: boolean } = {}): void {
  setFlash({ tone: 'success', message, isShown: !options.afterNavigation });
}

/** Shows on the next screen why the requested one did not open. */
export function flashProblem(message: string): void {
  setFlash({ tone: 'error', message, isShown: false });
}

export function dismissFlash(): void {
  setFlash(undefined);
}

/** Called by the shell after each navigation. */
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
