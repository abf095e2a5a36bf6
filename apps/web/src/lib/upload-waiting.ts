import { onSignedIn } from './session.ts';

const retryAfterMs = [1000, 2000, 4000, 8000, 15_000, 30_000];

/** Waits a while, less when the network comes back. */
export function waitForNetwork(failures: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
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
}

/** Waits until somebody is signed in again. */
export function waitForSession(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stopListening = onSignedIn(go);
    function go() {
      stopListening();
      signal.removeEventListener('abort', go);
      resolve();
    }
    signal.addEventListener('abort', go);
  });
}

/** After these the same thing would be refused again, however often. */
export const maxUnexpected = 5;
