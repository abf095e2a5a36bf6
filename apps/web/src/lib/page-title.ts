import { useLayoutEffect } from 'react';
import { createStore } from './store.ts';

export interface Crumb {
  label: string;
  to: string;
}

interface PageName {
  title?: string;
  parent?: string;
  trail?: readonly Crumb[];
}

const unnamed: PageName = {};
const page = createStore(unnamed);

/** The last breadcrumb and the document's title. @param parent the screen above @param trail through another record */
export function usePageTitle(title: string | undefined, parent?: string, trail?: readonly Crumb[]): void {
  const above = JSON.stringify(trail);
  // Before the browser paints: the sidebar does not light another entry in between.
  useLayoutEffect(() => {
    page.set({ title, parent, trail: above === undefined ? undefined : JSON.parse(above) });
    return () => page.set(unnamed);
  }, [title, parent, above]);
}

export const useCurrentPage = page.useValue;
