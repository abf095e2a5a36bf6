import { useRouter } from '@tanstack/react-router';
import type { SearchParams } from './search-params.ts';

interface SeenList {
  pathname: string;
  search: SearchParams;
  /** Its index in this tab's history. */
  index: number;
}

/** The last visited lists, the latest last. In memory, so that signing out clears them. */
const seen = new Map<string, SeenList>();

export function rememberList(list: SeenList): void {
  seen.delete(list.pathname);
  seen.set(list.pathname, list);
}

/**
 * Returns from a deleted record to its list, with its filters and page: by going back when the list is the previous
 * screen, which restores the scroll position. `pathnames` are the list's views, the default first.
 */
export function useReturnToList(): (pathnames: readonly [string, ...string[]]) => Promise<void> {
  const router = useRouter();
  return async (pathnames) => {
    const lists = [...seen.values()];
    const last = lists.findLast(({ pathname }) => pathnames.includes(pathname));
    const before = router.latestLocation.state.__TSR_index - 1;
    if (last && last === lists.findLast(({ index }) => index === before)) {
      const arrived = new Promise<void>((resolve) => {
        const stop = router.subscribe('onResolved', () => {
          stop();
          resolve();
        });
      });
      router.history.back({ ignoreBlocker: true });
      return arrived;
    }
    await router.navigate({ to: last?.pathname ?? pathnames[0], search: last?.search ?? {}, ignoreBlocker: true });
  };
}
