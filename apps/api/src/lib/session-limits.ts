import { messages } from '@regie/contract/messages.ts';
import type { FastifyReply } from 'fastify';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from './errors.ts';
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

const tooMany = (seconds: number) =>
  new AppError('too_many_requests', messages.tooManyRequests(seconds), { retryAfterSeconds: seconds });

/**
 * Limits of one session in one process, so that a stolen or runaway session does not slow others: calls per minute,
 * open answers, and per admin uploaded bytes per day. Far above normal use; in memory, so a restart resets them.
 */
export function createSessionLimits(options: {
  requestsPerMinute: number;
  streams: number;
  uploadBytesPerDay: number;
}): SessionLimits {
  const requests = new RateLimiterMemory({ points: options.requestsPerMinute, duration: minuteSeconds });
  const uploads = new RateLimiterMemory({
    points: Math.ceil(options.uploadBytesPerDay / kilobyte),
    duration: daySeconds,
  });
  const streams = new Map<string, number>();

  async function spend(limiter: RateLimiterMemory, key: string, points: number): Promise<void> {
    try {
      await limiter.consume(key, points);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      throw tooMany(Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)));
    }
  }

  return {
    spendRequest: ({ token }) => spend(requests, token, 1),
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
