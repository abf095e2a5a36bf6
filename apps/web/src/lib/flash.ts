import { useSyncExternalStore } from 'react';

/** A green alert above the page, for what was done in a dialog or on the screen just left. */
interface Flash {
  message: string;
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
export function flashSuccess(message: string, options: { afterNavigation?: boolean } = {}): void {
  setFlash({ message, isShown: !options.afterNavigation });
}

export function dismissFlash(): void {
  setFlash(undefined);
}

/** The shell tells that another screen is on. */
export function ageFlash(): void {
  if (flash) setFlash(flash.isShown ? undefined : { ...flash, isShown: true });
}

export function useFlash(): string | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => flash?.message,
  );
}
