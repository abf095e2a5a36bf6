import { notifyManager, QueryClient } from '@tanstack/react-query';
import { isUnanswered } from '#src/lib/api.ts';

const staleMs = 15_000;
const maxRetries = 2;

const shouldRetry = (failures: number, error: unknown): boolean => failures < maxRetries && isUnanswered(error);

class AppQueryClient extends QueryClient {
  /** Also restarts first loads, whose answer may predate the change; ends once the screens have the answers. */
  override async invalidateQueries(...[filters, options]: Parameters<QueryClient['invalidateQueries']>): Promise<void> {
    await this.cancelQueries({ ...filters, type: 'active', predicate: ({ state }) => state.data === undefined });
    await super.invalidateQueries(filters, options);
    await new Promise<void>((done) => notifyManager.schedule(done));
  }
}

export const createQueryClient = (): QueryClient =>
  new AppQueryClient({
    defaultOptions: {
      queries: { staleTime: staleMs, gcTime: 10 * 60_000, retry: shouldRetry, refetchOnWindowFocus: true },
    },
  });
