import { onSignedIn } from './session.ts';

const retryAfterMs = [1000, 2000, 4000, 8000, 15_000, 30_000];

export const waitForNetwork = (failures: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(go, retryAfterMs[Math.min(failures, retryAfterMs.length) - 1]);
    function go() {
      clearTimeout(timer);
      window.removeEventListener('online', go);
      signal.removeEventListener('abort', go);
      resolve();
    }
    window.addEventListener('online', go);
    signal.addEventListener('abort', go);
  });

export const waitForSession = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const stopListening = onSignedIn(go);
    function go() {
      stopListening();
      signal.removeEventListener('abort', go);
      resolve();
    }
    signal.addEventListener('abort', go);
  });

export const maxUnexpected = 5;
