import { useRef } from 'react';

/** For a button that may be pressed twice before it is disabled: an action in progress is not started again. */
export function useSingleFlight(action: () => Promise<unknown>): () => void {
  const isRunning = useRef(false);
  const run = async () => {
    if (isRunning.current) return;
    isRunning.current = true;
    try {
      await action();
    } catch {
      // The action itself reports its errors.
    } finally {
      isRunning.current = false;
    }
  };
  return () => void run();
}
