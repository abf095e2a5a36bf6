import { useBlocker } from '@tanstack/react-router';
import { createContext, useContext, useEffect, useSyncExternalStore } from 'react';

/** The sources of unsaved changes, and whether leaving the screen would lose them. */
const sources = new Map<symbol, boolean>();
const listeners = new Set<() => void>();
const notify = () => {
  for (const listener of listeners) listener();
};

/** The sources of unsaved changes in the surrounding dialog, which asks before it closes. Undefined outside dialogs. */
export const DialogUnsavedChanges = createContext<Set<symbol> | undefined>(undefined);

/**
 * While `isDirty`, this screen, or the dialog around it, has unsaved changes. Leaving asks for a confirmation while
 * `isLostOnLeaving`: not while the changes are being sent, nor when they outlive the screen.
 */
export function useUnsavedChanges(isDirty: boolean, isLostOnLeaving = isDirty): void {
  const dialogSources = useContext(DialogUnsavedChanges);
  useEffect(() => {
    if (!isDirty) return;
    const source = Symbol('unsaved changes');
    sources.set(source, isLostOnLeaving);
    dialogSources?.add(source);
    notify();
    return () => {
      sources.delete(source);
      dialogSources?.delete(source);
      notify();
    };
  }, [isDirty, isLostOnLeaving, dialogSources]);
}

export const hasUnsavedChanges = (): boolean => sources.size > 0;

const wouldLoseChanges = (): boolean => [...sources.values()].includes(true);

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export interface NavigationConfirmation {
  isAsking: boolean;
  leave: () => void;
  stay: () => void;
}

/**
 * While changes would be lost, opening another screen asks for a confirmation, and closing the tab makes the browser
 * ask. Changing only the query stays on the screen.
 */
export function useNavigationConfirmation(): NavigationConfirmation {
  // A blocker delays every navigation: disable it without unsaved changes.
  const disabled = !useSyncExternalStore(subscribe, wouldLoseChanges);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => wouldLoseChanges() && current.pathname !== next.pathname,
    enableBeforeUnload: wouldLoseChanges,
    disabled,
    withResolver: true,
  });
  return {
    isAsking: blocker.status === 'blocked',
    leave: () => blocker.proceed?.(),
    stay: () => blocker.reset?.(),
  };
}
