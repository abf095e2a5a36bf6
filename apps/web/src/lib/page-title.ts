import { useLayoutEffect } from 'react';
import { createStore } from './store.ts';

export interface Crumb {
  label: string;
  to: string;
}

export interface PagePlace {
  /** The parent screen, when it depends on the record: the sidebar lights its entry. */
  parent?: string;
  /** The account whose record it is: its breadcrumbs are in place of the parent's for those who may read accounts. */
  owner?: { id: number; name: string } | undefined;
  /** Between the owner or the parent, and the page. */
  trail?: readonly Crumb[];
}

interface PageName extends PagePlace {
  title?: string;
}

const unnamed: PageName = {};
const page = createStore(unnamed);

/** The last breadcrumb and the document's title. */
export function usePageTitle(title: string | undefined, { parent, owner, trail }: PagePlace): void {
  const place = JSON.stringify({ parent, owner, trail });
  // Before the browser paints: the sidebar does not light another entry in between.
  useLayoutEffect(() => {
    page.set({ title, ...JSON.parse(place) });
    return () => page.set(unnamed);
  }, [title, place]);
}

export const useCurrentPage = page.useValue;
