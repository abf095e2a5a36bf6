import { useRouter } from '@tanstack/react-router';
import type { SearchParams } from './search-params.ts';

interface SeenList {
  pathname: string;
  search: SearchParams;
  index: number;
}

/** The last visited lists, the latest last. In memory, so that signing out clears them. */
const seen = new Map<string, SeenList>();

export function rememberList(list: SeenList): void {
  seen.delete(list.pathname);
  seen.set(list.pathname, list);
}

/** The list of a deleted record: by going back where it is the previous screen, which restores the scroll position. */
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
