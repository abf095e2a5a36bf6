import type { FastifyReply } from 'fastify';
import type { Database } from './db.ts';
import { createLimiter, spend, tooMany } from './rate-limits.ts';
import { hashToken } from './secrets.ts';
import type { Session } from './session.ts';

export type SessionLimits = ReturnType<typeof createSessionLimits>;

const minuteSeconds = 60;
const daySeconds = 24 * 3600;
const kilobyte = 1024;
const streamRetrySeconds = 5;

/** Share of a minute's calls that a session makes before they are counted in the database. */
const shareOfMinute = 0.01;
const maxRemembered = 10_000;

/**
 * Limits of one session, so that a stolen or runaway one does not slow others: calls per minute and, per admin,
 * uploaded bytes per day over all servers; open answers per server. Far above normal use.
 */
export function createSessionLimits(
  db: Database,
  options: { requestsPerMinute: number; streams: number; uploadBytesPerDay: number },
) {
  const limiter = (name: string, points: number, seconds: number) => createLimiter(db, { name, points, seconds });
  const requests = limiter('requests', options.requestsPerMinute, minuteSeconds);
  const uploads = limiter('uploads', Math.ceil(options.uploadBytesPerDay / kilobyte), daySeconds);
  const share = Math.max(1, Math.floor(options.requestsPerMinute * shareOfMinute));
  /** Calls counted in the database that were not made yet. */
  const counted = new Map<string, { left: number; until: number }>();
  const streams = new Map<string, number>();

  return {
    /** @throws AppError too_many_requests */
    async spendRequest({ token }: Session) {
      const count = counted.get(token);
      if (count && count.left > 0 && count.until > Date.now()) {
        count.left -= 1;
        return;
      }
      await spend(requests, hashToken(token).toString('base64url'), share);
      if (counted.size >= maxRemembered) counted.clear();
      counted.set(token, { left: share - 1, until: Date.now() + minuteSeconds * 1000 });
    },
    /** @throws AppError too_many_requests */
    spendUpload: ({ adminId }: Session, sizeBytes: number) =>
      spend(uploads, String(adminId), Math.ceil(sizeBytes / kilobyte)),
    /** Counts a file or event stream until its answer ends. @throws AppError too_many_requests */
    openStream({ token }: Session, reply: FastifyReply) {
      const open = streams.get(token) ?? 0;
      if (open >= options.streams) throw tooMany(streamRetrySeconds);
      streams.set(token, open + 1);
      reply.raw.once('close', () => {
        const left = (streams.get(token) ?? 1) - 1;
        if (left > 0) streams.set(token, left);
        else streams.delete(token);
      });
    },
  };
}
