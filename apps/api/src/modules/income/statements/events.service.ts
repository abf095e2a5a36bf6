import { PassThrough } from 'node:stream';
import { StatementProgress } from '@regie/contract/statements.ts';
import type { FastifyRequest } from 'fastify';
import type { Deps } from '#src/lib/deps.ts';
import { AppError } from '#src/lib/errors.ts';
import { isSessionLive } from '#src/lib/session.ts';

/** Comments keep proxies from closing the connection; the session is checked as often. */
const keepAliveMs = 20_000;
const maxStreams = 200;
const maxUnsentBytes = 64 * 1024;

const streams = new Set<PassThrough>();

/**
 * Streams loading progress until the client disconnects, the session or capability ends, or the server stops.
 * @throws AppError unavailable when notifications are down or there are too many listeners
 */
export function openEvents(deps: Deps, request: FastifyRequest, everyMs = keepAliveMs): PassThrough {
  if (!deps.statementNotices || streams.size >= maxStreams) throw new AppError('unavailable');
  const stream = new PassThrough();
  const stop = deps.statementNotices.subscribe((payload) => {
    const progress = readProgress(payload);
    // A slow client misses events; it refetches the statement anyway.
    if (progress && stream.writableLength < maxUnsentBytes) stream.write(`data: ${JSON.stringify(progress)}\n\n`);
  });
  const beat = setInterval(() => {
    isSessionLive(deps.db, deps.cookies, request, ['read_reports']).then(
      (isLive) => (isLive ? stream.write(': \n\n') : stream.end()),
      () => stream.end(),
    );
  }, everyMs);
  streams.add(stream);
  stream.once('close', () => {
    clearInterval(beat);
    stop();
    streams.delete(stream);
  });
  stream.write('retry: 3000\n\n');
  return stream;
}

function readProgress(payload: string): StatementProgress | undefined {
  try {
    return StatementProgress.safeParse(JSON.parse(payload)).data;
  } catch {
    return undefined;
  }
}

/** On server stop: clients reconnect. */
export function closeEvents(): void {
  for (const stream of streams) stream.end();
}
