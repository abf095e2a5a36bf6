import { messages } from '@regie/contract/messages.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Client } from 'pg';
import { AppError } from './errors.ts';

/** A call that waits longer makes the database be asked whether it still answers. */
const patienceMs = 3000;
const probeTimeoutMs = 3000;
const lookMs = 500;

/** Whether a new connection is answered in time; a refusal is an answer too. */
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
    // Without waiting: a server that stands still would not say goodbye.
    client.end().catch(() => undefined);
  }
}

/**
 * Answers 503 to the calls that wait for a database that stands still (its processes are stopped, its machine is gone):
 * their statements would otherwise hold them for minutes. What takes long on a database that answers is left alone.
 */
export function watchDatabase(app: FastifyInstance, databaseUrl: string): void {
  const waiting = new Map<FastifyReply, { request: FastifyRequest; since: number }>();
  let isProbing = false;
  let isFrozen = false;

  app.addHook('onRequest', async (request, reply) => {
    waiting.set(reply, { request, since: performance.now() });
    reply.raw.once('close', () => waiting.delete(reply));
  });

  const look = async () => {
    if (isProbing) return;
    const limit = performance.now() - (isFrozen ? lookMs : patienceMs);
    const isLate = [...waiting].some(([reply, { since }]) => !reply.sent && since < limit);
    if (!isLate) return;
    isProbing = true;
    const isAnswering = await isDatabaseAnswering(databaseUrl);
    isProbing = false;
    if (isFrozen === isAnswering) {
      isFrozen = !isAnswering;
      if (isFrozen) app.log.error('the database does not answer');
      else app.log.info('the database answers again');
    }
    if (!isFrozen) return;
    for (const [reply, { request, since }] of waiting) {
      if (reply.sent || since >= performance.now() - lookMs) continue;
      const isReading = request.method === 'GET' || request.method === 'HEAD';
      reply.send(new AppError('unavailable', isReading ? messages.readTookTooLong : messages.mayBeSaved));
    }
  };
  const timer = setInterval(() => void look(), lookMs);
  timer.unref();
  app.addHook('onClose', async () => clearInterval(timer));
}
