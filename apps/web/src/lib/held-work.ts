import { useEffect } from 'react';

const holders = new Set<symbol>();

/** While `isHeld`, this screen has something typed or chosen that would be lost with it. */
export function useHeldWork(isHeld: boolean): void {
  useEffect(() => {
    if (!isHeld) return;
    const holder = Symbol('held');
    holders.add(holder);
    return () => {
      holders.delete(holder);
    };
  }, [isHeld]);
}

export const isWorkHeld = (): boolean => holders.size > 0;
