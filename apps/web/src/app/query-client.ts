import { notifyManager, QueryClient } from '@tanstack/react-query';
import { isUnanswered } from '#src/lib/api.ts';

const staleMs = 15_000;
const maxRetries = 2;

/** Only temporary failures are retried: no response, or a restarting server. */
function shouldRetry(failures: number, error: unknown): boolean {
  return failures < maxRetries && isUnanswered(error);
}

class AppQueryClient extends QueryClient {
  /**
   * Also asks again for what is loading for the first time: its answer may be older than the change. Ends once the
   * screens have the answers, so that the state kept until then is not removed before.
   */
  override async invalidateQueries(...[filters, options]: Parameters<QueryClient['invalidateQueries']>): Promise<void> {
    await this.cancelQueries({ ...filters, type: 'active', predicate: ({ state }) => state.data === undefined });
    await super.invalidateQueries(filters, options);
    await new Promise<void>((done) => notifyManager.schedule(done));
  }
}

export function createQueryClient(): QueryClient {
  return new AppQueryClient({
    defaultOptions: {
      queries: { staleTime: staleMs, gcTime: 10 * 60_000, retry: shouldRetry, refetchOnWindowFocus: true },
    },
  });
}
