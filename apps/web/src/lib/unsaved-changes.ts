import { useBlocker } from '@tanstack/react-router';

export interface Leaving {
  isAsking: boolean;
  leave: () => void;
  stay: () => void;
}

/**
 * While `isDirty`, going to another screen asks first, and closing the tab makes the browser ask. A change of
 * the query alone stays on the screen.
 */
export function useUnsavedChanges(isDirty: boolean): Leaving {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  return {
    isAsking: blocker.status === 'blocked',
    leave: () => blocker.proceed?.(),
    stay: () => blocker.reset?.(),
  };
}
