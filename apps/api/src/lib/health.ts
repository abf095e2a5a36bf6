import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import manifest from '#package.json' with { type: 'json' };
import type { Deps } from './deps.ts';
import { collectProcessMetrics, registry, requestSeconds, requests } from './metrics.ts';
import { isSameSecret } from './secrets.ts';
import { readSharedMetrics } from './shared-metrics.ts';

const proxyHeader = /^(forwarded|via|x-forwarded-.*|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|cf-.*)$/;
const loopbackAddresses = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

interface HealthOptions {
  deps: Pick<Deps, 'db' | 'storage' | 'log'>;
  metricsToken: string | undefined;
  /** How long a stopping process still answers, so that load balancers can drop it. */
  drainSeconds?: number | undefined;
}

/**
 * `/healthz` (the process runs), `/readyz` (database and storage answer, and it does not stop), `/metrics` (local, or
 * with a bearer token).
 */
export function registerHealth(app: FastifyInstance, options: HealthOptions): void {
  collectProcessMetrics();
  app.addHook('onResponse', async (request, reply) => {
    const { url: route = 'none', method: declared } = request.routeOptions;
    const method = declared === 'HEAD' ? 'GET' : String(declared);
    requestSeconds.observe({ method, route }, reply.elapsedTime / 1000);
    requests.inc({ method, route, status: `${Math.floor(reply.statusCode / 100)}xx` });
  });

  app.get('/healthz', async (request) => ({ status: 'ok', version: manifest.version, proxy: proxyOf(request) }));
  let isStopping = false;
  app.addHook('preClose', async () => {
    isStopping = true;
    await delay((options.drainSeconds ?? 0) * 1000);
  });
  app.get('/readyz', async (_request, reply) => {
    if (isStopping) return reply.code(503).send({ status: 'stopping' });
    const [database, storage] = await Promise.all([
      isReady(sql`SELECT 1`.execute(options.deps.db)),
      isReady(options.deps.storage.find('check/ready.txt')),
    ]);
    const isOk = database === 'ok' && storage === 'ok';
    return reply.code(isOk ? 200 : 503).send({ status: isOk ? 'ok' : 'unavailable', database, storage });
  });
  app.get('/metrics', async (request, reply) => {
    if (!mayReadMetrics(request, options.metricsToken)) return reply.callNotFound();
    const texts = await Promise.all([registry.metrics(), readSharedMetrics(options.deps)]);
    return reply.type(registry.contentType).send(texts.join(''));
  });
}

/** Whether a proxy in front names the caller's address, and is one of TRUST_PROXY. */
function proxyOf({ headers, ips }: FastifyRequest): 'none' | 'trusted' | 'ignored' {
  if (headers['x-forwarded-for'] === undefined) return 'none';
  return (ips?.length ?? 0) > 1 ? 'trusted' : 'ignored';
}

const readyWithinMs = 3000;

async function isReady(answer: Promise<unknown>): Promise<'ok' | 'unavailable'> {
  const late = new AbortController();
  try {
    return await Promise.race([
      answer.then(() => 'ok' as const),
      // An answer that arrived while this process was blocked is read in the turn after its timers.
      delay(readyWithinMs, undefined, { signal: late.signal }).then(() => nextTurn('unavailable' as const)),
    ]);
  } catch {
    return 'unavailable';
  } finally {
    late.abort();
  }
}

function mayReadMetrics(request: FastifyRequest, token: string | undefined): boolean {
  const authorization = request.headers.authorization;
  if (token !== undefined) return authorization !== undefined && isSameSecret(authorization, `Bearer ${token}`);
  // Uses the socket's address. With a local proxy every call looks local, so proxied calls are refused.
  return (
    loopbackAddresses.has(request.socket.remoteAddress ?? '') &&
    Object.keys(request.headers).every((name) => !proxyHeader.test(name))
  );
}
