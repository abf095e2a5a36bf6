import { MutationCache, QueryClient } from '@tanstack/react-query';
import { isUnanswered } from './api.ts';

const staleMs = 15_000;
const maxRetries = 2;

/** Only what may pass by itself is tried again: no answer, or a server that restarts. */
function shouldRetry(failures: number, error: unknown): boolean {
  return failures < maxRetries && isUnanswered(error);
}

/** Any successful change makes every list and record on screen reload: no screen has to know which others it concerns. */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    defaultOptions: {
      queries: { staleTime: staleMs, gcTime: 10 * 60_000, retry: shouldRetry, refetchOnWindowFocus: true },
      // Offline too a change is tried at once and says that it failed; it does not wait and then happen unasked.
      mutations: { networkMode: 'always' },
    },
    mutationCache: new MutationCache({ onSuccess: () => client.invalidateQueries() }),
  });
  return client;
}
