import { useBlocker } from '@tanstack/react-router';
import { createContext, useContext, useEffect } from 'react';
import { createStore } from './store.ts';

/** The sources of unsaved changes, and whether leaving the screen would lose them. */
const sources = createStore<ReadonlyMap<symbol, boolean>>(new Map());

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
    sources.set(new Map(sources.get()).set(source, isLostOnLeaving));
    dialogSources?.add(source);
    return () => {
      dialogSources?.delete(source);
      sources.set(new Map([...sources.get()].filter(([other]) => other !== source)));
    };
  }, [isDirty, isLostOnLeaving, dialogSources]);
}

export const hasUnsavedChanges = (): boolean => sources.get().size > 0;

const wouldLoseChanges = (): boolean => [...sources.get().values()].includes(true);

const dialogOf = ({ search }: { search: { titre?: unknown } }) => search.titre;

export interface NavigationConfirmation {
  isAsking: boolean;
  leave: () => void;
  stay: () => void;
}

/**
 * While changes would be lost, opening another screen or leaving the dialog that the address names (`titre`) asks for a
 * confirmation, and closing the tab makes the browser ask. Changing another part of the query stays on the screen.
 */
export function useNavigationConfirmation(): NavigationConfirmation {
  // A blocker delays every navigation: disable it without unsaved changes.
  sources.useValue();
  const disabled = !wouldLoseChanges();
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      wouldLoseChanges() && (current.pathname !== next.pathname || dialogOf(current) !== dialogOf(next)),
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
