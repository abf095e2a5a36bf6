import { messages } from '@regie/contract/messages.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Client } from 'pg';
import { AppError } from './errors.ts';

/** A call that waits longer triggers a check of the database. */
const checkAfterMs = 3000;
const probeTimeoutMs = 3000;
const checkIntervalMs = 500;

/** Whether a new connection is answered in time; a refusal counts as an answer. */
async function isDatabaseAnswering(url: string): Promise<boolean> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: probeTimeoutMs,
    query_timeout: probeTimeoutMs,
    application_name: 'regie-probe',
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch (error) {
    return !(error instanceof Error && /timeout/i.test(error.message));
  } finally {
    // Not awaited: a frozen server does not answer the close.
    client.end().catch(() => undefined);
  }
}

/**
 * Answers 503 to calls waiting for a frozen database (stopped processes, lost machine), whose queries would hang for
 * minutes. Long queries on a database that answers are left alone.
 */
export function watchDatabase(app: FastifyInstance, databaseUrl: string): void {
  const waiting = new Map<FastifyReply, { request: FastifyRequest; since: number }>();
  let isProbing = false;
  let isFrozen = false;
  let ranMs = 0;
  let lastTick = performance.now();
  /** Time this process ran: while it is blocked, answers that have arrived wait for it, not for the database. */
  const clock = () => ranMs + Math.min(performance.now() - lastTick, checkIntervalMs);

  app.addHook('onRequest', async (request, reply) => {
    waiting.set(reply, { request, since: clock() });
    reply.raw.once('close', () => waiting.delete(reply));
  });

  const checkCalls = async () => {
    if (isProbing) return;
    const begun = clock();
    const limit = begun - (isFrozen ? checkIntervalMs : checkAfterMs);
    const isLate = [...waiting].some(([reply, { since }]) => !reply.sent && since < limit);
    if (!isLate) return;
    isProbing = true;
    const isAnswering = await isDatabaseAnswering(databaseUrl);
    isProbing = false;
    if (!isAnswering && clock() - begun < probeTimeoutMs - checkIntervalMs) return;
    if (isFrozen === isAnswering) {
      isFrozen = !isAnswering;
      if (isFrozen) app.log.error('the database does not answer');
      else app.log.info('the database answers again');
    }
    if (!isFrozen) return;
    for (const [reply, { request, since }] of waiting) {
      if (reply.sent || since >= clock() - checkIntervalMs) continue;
      const isReading = request.method === 'GET' || request.method === 'HEAD';
      reply.send(new AppError('unavailable', isReading ? messages.readTookTooLong : messages.mayBeSaved));
    }
  };
  const timer = setInterval(() => {
    ranMs = clock();
    lastTick = performance.now();
    void checkCalls();
  }, checkIntervalMs);
  timer.unref();
  app.addHook('onClose', async () => clearInterval(timer));
}
