import { messages } from '@regie/contract/messages.ts';
import { CompiledQuery } from 'kysely';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from './db.ts';
import { AppError } from './errors.ts';

/** Allows `points` within `seconds` for each key, counted in the database for all servers. */
export function createLimiter(db: Database, limit: { name: string; points: number; seconds: number }) {
  return new RateLimiterPostgres({
    storeClient: {
      query: async (query: { text: string; values: unknown[] }) => {
        const { rows } = await db.executeQuery(CompiledQuery.raw(query.text, query.values));
        return { rows, rowCount: rows.length };
      },
    },
    storeType: 'client',
    tableName: 'rate_limits',
    tableCreated: true,
    // The nightly job deletes expired rows.
    clearExpiredByTimeout: false,
    keyPrefix: limit.name,
    points: limit.points,
    duration: limit.seconds,
  });
}

/** @throws AppError too_many_requests with the time until there are points again */
export async function spend(limiter: RateLimiterPostgres, key: string, points = 1): Promise<void> {
  try {
    await limiter.consume(key, points);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    throw tooMany(Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)));
  }
}

export const tooMany = (seconds: number): AppError =>
  new AppError('too_many_requests', messages.tooManyRequests(seconds), { retryAfterSeconds: seconds });
