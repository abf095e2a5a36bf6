import { useRouter } from '@tanstack/react-router';
import type { SearchParams } from './search-params.ts';

interface SeenList {
  pathname: string;
  search: SearchParams;
  /** Its place in the history of this tab. */
  index: number;
}

/** Lists as they were last seen, the latest last. In memory: signing out forgets them with the page. */
const seen = new Map<string, SeenList>();

export function rememberList(list: SeenList): void {
  seen.delete(list.pathname);
  seen.set(list.pathname, list);
}

/**
 * Leads from a record that is gone back to its list, with the filters and page it was left with: by a step back where
 * the list is the screen before, so that it scrolls to where it was. `pathnames` are the list's views, the usual first.
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
