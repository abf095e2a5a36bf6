import { createContext, useContext, useEffect } from 'react';

const holders = new Set<symbol>();

/** What the dialog around holds: it asks before it closes. None outside dialogs. */
export const DialogHolders = createContext<Set<symbol> | undefined>(undefined);

/** While `isHeld`, this screen, or the dialog it is in, has something typed or chosen that would be lost with it. */
export function useHeldWork(isHeld: boolean): void {
  const dialogHolders = useContext(DialogHolders);
  useEffect(() => {
    if (!isHeld) return;
    const holder = Symbol('held');
    holders.add(holder);
    dialogHolders?.add(holder);
    return () => {
      holders.delete(holder);
      dialogHolders?.delete(holder);
    };
  }, [isHeld, dialogHolders]);
}

export const isWorkHeld = (): boolean => holders.size > 0;
