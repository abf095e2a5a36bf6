import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo } from 'react';
import { rememberList } from '#src/lib/list-return.ts';
import { usePageLocation } from '#src/lib/page-location.ts';
import { parseSearch, type SearchParams, stringifySearch } from '#src/lib/search-params.ts';

export interface ListState {
  search: SearchParams;
  page: number;
  /** These parts of the URL, for the list's other tabs: its filters apply there too, its page and sorting do not. */
  keep: (...params: readonly string[]) => Record<string, string>;
  setSearch: (change: SearchParams, options?: { replace?: boolean }) => void;
  goToNextPage: (nextCursor: string) => void;
  goToPreviousPage: () => void;
  goToFirstPage: () => void;
}

/** The cursors of visited pages, by page; a keyset list has no other way back. */
const trailKey = (pathname: string, search: SearchParams): string =>
  `regie.trail ${pathname}${stringifySearch({ ...search, cursor: undefined, page: undefined })}`;

function readTrail(key: string): (string | null)[] {
  try {
    const trail: unknown = JSON.parse(window.sessionStorage.getItem(key) ?? '[]');
    return Array.isArray(trail) ? trail.map((cursor) => (typeof cursor === 'string' ? cursor : null)) : [];
  } catch {
    return [];
  }
}

function writeTrail(key: string, trail: (string | null)[]): void {
  try {
    window.sessionStorage.setItem(key, JSON.stringify(trail));
  } catch {
    // Without storage "previous" opens the first page.
  }
}

export function useListState(): ListState {
  const navigate = useNavigate();
  const { pathname, searchStr: searchText, state } = usePageLocation();
  const search = useMemo(() => parseSearch(searchText), [searchText]);
  const index = state.__TSR_index;
  useEffect(() => rememberList({ pathname, search, index }), [pathname, search, index]);
  const page = Math.max(1, Math.floor(Number(search.page ?? 1)) || 1);

  const go = useCallback(
    (next: SearchParams, replace: boolean, resetScroll: boolean) => {
      const values = Object.fromEntries(
        Object.entries(next).filter(([, value]) => value !== undefined && value !== ''),
      );
      void navigate({ to: pathname, search: values, replace, resetScroll });
    },
    [navigate, pathname],
  );

  return {
    search,
    page,
    keep: (...params) => Object.fromEntries(params.flatMap((param) => (search[param] ? [[param, search[param]]] : []))),
    setSearch: (change, options) =>
      go({ ...search, ...change, cursor: undefined, page: undefined }, options?.replace ?? false, false),
    goToNextPage: (nextCursor) => {
      const key = trailKey(pathname, search);
      const trail = readTrail(key);
      trail[page - 1] = search.cursor ?? null;
      trail[page] = nextCursor;
      writeTrail(key, trail);
      go({ ...search, cursor: nextCursor, page: String(page + 1) }, false, true);
    },
    goToPreviousPage: () => {
      const cursor = page > 2 ? readTrail(trailKey(pathname, search))[page - 2] : null;
      go({ ...search, cursor: cursor ?? undefined, page: cursor ? String(page - 1) : undefined }, false, true);
    },
    goToFirstPage: () => go({ ...search, cursor: undefined, page: undefined }, true, true),
  };
}
