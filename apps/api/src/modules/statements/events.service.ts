import { PassThrough } from 'node:stream';
import { StatementProgress } from '@regie/contract/statements.ts';
import type { FastifyRequest } from 'fastify';
import type { Deps } from '#src/lib/deps.ts';
import { AppError } from '#src/lib/errors.ts';
import { isSessionLive } from '#src/lib/session.ts';

/** Comments keep what stands between from giving the connection up; the session is looked at as often. */
const beatMs = 20_000;
const maxStreams = 200;
const maxUnsentBytes = 64 * 1024;

const streams = new Set<PassThrough>();

/**
 * The progress of readings as server-sent events, until the caller leaves, their session or right ends, or the server stops.
 * @throws AppError unavailable where nothing is heard, or too many listen
 */
export function openEvents(deps: Deps, request: FastifyRequest, everyMs = beatMs): PassThrough {
  if (!deps.statementNotices || streams.size >= maxStreams) throw new AppError('unavailable');
  const stream = new PassThrough();
  const stop = deps.statementNotices.subscribe((payload) => {
    const progress = readProgress(payload);
    // Who does not read misses something, and asks for the statement itself sooner or later.
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

/** The server stops: whoever listens comes back to it, or to another one. */
export function closeEvents(): void {
  for (const stream of streams) stream.end();
}
