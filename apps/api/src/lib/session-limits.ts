import type { FastifyReply } from 'fastify';
import type { Database } from './db.ts';
import { createLimiter, spend, tooMany } from './rate-limits.ts';
import { hashToken } from './secrets.ts';
import type { Session } from './session.ts';

export interface SessionLimits {
  /** @throws AppError too_many_requests */
  spendRequest(session: Session): Promise<void>;
  /** Counts a file or event stream until its answer ends. @throws AppError too_many_requests */
  openStream(session: Session, reply: FastifyReply): void;
  /** @throws AppError too_many_requests */
  spendUpload(session: Session, sizeBytes: number): Promise<void>;
}

const minuteSeconds = 60;
const daySeconds = 24 * 3600;
const kilobyte = 1024;
const streamRetrySeconds = 5;

/** Calls a session may make before the server counts them in the database, as a share of what it may make in a minute. */
const shareOfMinute = 0.01;
const maxRemembered = 10_000;

/**
 * Limits of one session, so that a stolen or runaway session does not slow others: calls per minute and, per admin,
 * uploaded bytes per day over all servers; open answers per server. Far above normal use.
 */
export function createSessionLimits(
  db: Database,
  options: { requestsPerMinute: number; streams: number; uploadBytesPerDay: number },
): SessionLimits {
  const requests = createLimiter(db, {
    name: 'requests',
    points: options.requestsPerMinute,
    seconds: minuteSeconds,
  });
  const uploads = createLimiter(db, {
    name: 'uploads',
    points: Math.ceil(options.uploadBytesPerDay / kilobyte),
    seconds: daySeconds,
  });
  const share = Math.max(1, Math.floor(options.requestsPerMinute * shareOfMinute));
  /** Calls counted in the database that were not made yet. */
  const counted = new Map<string, { left: number; until: number }>();
  const streams = new Map<string, number>();

  return {
    async spendRequest({ token }) {
      const count = counted.get(token);
      if (count && count.left > 0 && count.until > Date.now()) {
        count.left -= 1;
        return;
      }
      await spend(requests, hashToken(token).toString('base64url'), share);
      if (counted.size >= maxRemembered) counted.clear();
      counted.set(token, { left: share - 1, until: Date.now() + minuteSeconds * 1000 });
    },
    spendUpload: ({ adminId }, sizeBytes) => spend(uploads, String(adminId), Math.ceil(sizeBytes / kilobyte)),
    openStream({ token }, reply) {
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
