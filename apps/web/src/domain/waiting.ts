import type { WaitingCounts } from '@regie/contract/routes/accounting.ts';
import { createStore } from '#src/lib/store.ts';

/** What waits in the lists of the sidebar; undefined until the first response. */
export const waitingCounts = createStore<WaitingCounts | undefined>(undefined);

/** Exact up to 99; nothing for none. */
export const formatCount = (count: number) => (count > 99 ? '99+' : count > 0 ? String(count) : undefined);

/** The count of a list, as its tab shows it; empty for none, and until it is known. */
export function useWaitingCount(): (list: keyof WaitingCounts | undefined) => string | undefined {
  const counts = waitingCounts.useValue();
  return (list) => list && (formatCount(counts?.[list] ?? 0) ?? '');
}
