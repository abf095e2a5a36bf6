import { MutationCache, QueryClient } from '@tanstack/react-query';
import { isUnanswered } from '#src/lib/api.ts';

const staleMs = 15_000;
const maxRetries = 2;

/** Only temporary failures are retried: no response, or a restarting server. */
function shouldRetry(failures: number, error: unknown): boolean {
  return failures < maxRetries && isUnanswered(error);
}

/** A successful mutation reloads every list and record on screen: screens do not track dependencies. */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    defaultOptions: {
      queries: { staleTime: staleMs, gcTime: 10 * 60_000, retry: shouldRetry, refetchOnWindowFocus: true },
      // Offline mutations fail at once; they are not queued and sent later.
      mutations: { networkMode: 'always' },
    },
    mutationCache: new MutationCache({ onSuccess: () => client.invalidateQueries() }),
  });
  return client;
}
