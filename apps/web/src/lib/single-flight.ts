import { useRef } from 'react';

/** For a button that may be pressed twice before the screen has noticed: what runs is not begun again. */
export function useSingleFlight(action: () => Promise<unknown>): () => void {
  const isRunning = useRef(false);
  const run = async () => {
    if (isRunning.current) return;
    isRunning.current = true;
    try {
      await action();
    } catch {
      // Whoever told the action to run tells what came of it.
    } finally {
      isRunning.current = false;
    }
  };
  return () => void run();
}
