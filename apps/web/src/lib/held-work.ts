import { useBlocker } from '@tanstack/react-router';
import { createContext, useContext, useEffect, useSyncExternalStore } from 'react';

/** What is held, and whether leaving the screen would lose it. */
const holders = new Map<symbol, boolean>();
const listeners = new Set<() => void>();
const tell = () => {
  for (const listener of listeners) listener();
};

/** What the dialog around holds: it asks before it closes. None outside dialogs. */
export const DialogHolders = createContext<Set<symbol> | undefined>(undefined);

/**
 * While `isHeld`, this screen, or the dialog it is in, has something typed or chosen. Leaving asks first while
 * `isLostOnLeaving`: not while it is being sent, nor where it outlives the screen.
 */
export function useHeldWork(isHeld: boolean, isLostOnLeaving = isHeld): void {
  const dialogHolders = useContext(DialogHolders);
  useEffect(() => {
    if (!isHeld) return;
    const holder = Symbol('held');
    holders.set(holder, isLostOnLeaving);
    dialogHolders?.add(holder);
    tell();
    return () => {
      holders.delete(holder);
      dialogHolders?.delete(holder);
      tell();
    };
  }, [isHeld, isLostOnLeaving, dialogHolders]);
}

export const isWorkHeld = (): boolean => holders.size > 0;

const wouldLoseWork = (): boolean => [...holders.values()].includes(true);

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export interface Leaving {
  isAsking: boolean;
  leave: () => void;
  stay: () => void;
}

/**
 * While something would be lost, going to another screen asks first, and closing the tab makes the browser ask. A change
 * of the query alone stays on the screen.
 */
export function useLeaving(): Leaving {
  // A blocker makes every navigation wait: without held work there is none.
  const disabled = !useSyncExternalStore(subscribe, wouldLoseWork);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => wouldLoseWork() && current.pathname !== next.pathname,
    enableBeforeUnload: wouldLoseWork,
    disabled,
    withResolver: true,
  });
  return {
    isAsking: blocker.status === 'blocked',
    leave: () => blocker.proceed?.(),
    stay: () => blocker.reset?.(),
  };
}
