import type { FastifyReply } from 'fastify';

/** Aborted when the client goes away before its answer. */
export function signalOf({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) left.abort();
  });
  return left.signal;
}
