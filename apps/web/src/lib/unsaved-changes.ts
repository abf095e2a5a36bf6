import { useBlocker, useRouter } from '@tanstack/react-router';
import { createContext, useContext, useEffect } from 'react';
import { createStore } from './store.ts';

const sources = createStore<ReadonlyMap<symbol, boolean>>(new Map());

/** The sources of unsaved changes in the surrounding dialog, which asks before it closes. Undefined outside dialogs. */
export const DialogUnsavedChanges = createContext<Set<symbol> | undefined>(undefined);

/** `isLostOnLeaving`: leaving asks; not while the changes are being sent, nor when they outlive the screen. */
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

const dialogOf = ({ search }: { search: { titre?: unknown; ticket?: unknown } }) => search.titre ?? search.ticket;

/** Escape also reaches a dialog under the question. */
export let isAskingToLeave = false;

export interface NavigationConfirmation {
  isAsking: boolean;
  leave: () => void;
  stay: () => void;
}

/** Asks when leaving the screen, or the dialog that the address names (`titre`, `ticket`), would lose changes. */
export function useNavigationConfirmation(): NavigationConfirmation {
  // A blocker delays every navigation: disable it without unsaved changes.
  sources.useValue();
  // The blocker gives the query of the address alone, which lacks `ticket`.
  const router = useRouter();
  const disabled = !wouldLoseChanges();
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      wouldLoseChanges() &&
      (current.pathname !== next.pathname || ![undefined, dialogOf(next)].includes(dialogOf(router.latestLocation))),
    enableBeforeUnload: wouldLoseChanges,
    disabled,
    withResolver: true,
  });
  const isAsking = blocker.status === 'blocked';
  useEffect(() => {
    if (!isAsking) return;
    isAskingToLeave = true;
    // After the key that has answered it.
    return () => void setTimeout(() => (isAskingToLeave = false));
  }, [isAsking]);
  return {
    isAsking,
    leave: () => blocker.proceed?.(),
    stay: () => blocker.reset?.(),
  };
}
