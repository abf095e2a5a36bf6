import { useEffect, useSyncExternalStore } from 'react';

interface PageName {
  title?: string | undefined;
  parent?: string | undefined;
}

const unnamed: PageName = {};
let page = unnamed;
const listeners = new Set<() => void>();

function setPage(next: PageName): void {
  page = next;
  for (const listener of listeners) listener();
}

/**
 * Sets the title once the record is loaded: the last breadcrumb and the document's title.
 * @param parent the screen above it, when it depends on the record
 */
export function usePageTitle(title: string | undefined, parent?: string): void {
  useEffect(() => {
    setPage({ title, parent });
    return () => setPage(unnamed);
  }, [title, parent]);
}

export function useCurrentPage(): PageName {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => page,
  );
}
