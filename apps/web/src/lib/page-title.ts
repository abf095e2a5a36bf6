import { useEffect, useSyncExternalStore } from 'react';

let title: string | undefined;
const listeners = new Set<() => void>();

function setTitle(next: string | undefined): void {
  title = next;
  for (const listener of listeners) listener();
}

/** Names the page once its record is known: the last breadcrumb and the document's title. */
export function usePageTitle(name: string | undefined): void {
  useEffect(() => {
    setTitle(name);
    return () => setTitle(undefined);
  }, [name]);
}

export function useCurrentPageTitle(): string | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => title,
  );
}
