import { useLayoutEffect } from 'react';
import { createStore } from './store.ts';

interface PageName {
  title?: string | undefined;
  parent?: string | undefined;
}

const unnamed: PageName = {};
const page = createStore(unnamed);

/**
 * Sets the title once the record is loaded: the last breadcrumb and the document's title.
 * @param parent the screen above it, when it depends on the record
 */
export function usePageTitle(title: string | undefined, parent?: string): void {
  // Before the browser paints: the sidebar does not light another entry in between.
  useLayoutEffect(() => {
    page.set({ title, parent });
    return () => page.set(unnamed);
  }, [title, parent]);
}

export const useCurrentPage = page.useValue;
