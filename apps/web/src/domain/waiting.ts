import type { WaitingCounts } from '@regie/contract/routes/accounting.ts';
import { createStore } from '#src/lib/store.ts';

export const waitingCounts = createStore<WaitingCounts | undefined>(undefined);

export const formatCount = (count: number) => (count > 99 ? '99+' : count > 0 ? String(count) : undefined);

export function useWaitingCount(): (list: keyof WaitingCounts | undefined) => string | undefined {
  const counts = waitingCounts.useValue();
  return (list) => list && (formatCount(counts?.[list] ?? 0) ?? '');
}
