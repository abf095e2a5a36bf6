import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildApp } from '#src/app.ts';
import { useApp } from '#test/app.ts';
import { createDatabase } from './db.ts';
import { toTaskList } from './jobs.ts';
import { startTracing } from './tracing.ts';

const app = useApp();

interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  status: { code?: number };
  attributes: { key: string; value: object }[];
}
let collector: Server;
let received = '';
const bodies: string[] = [];

beforeAll(async () => {
  collector = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      received = request.url ?? '';
      bodies.push(body);
      response.end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
});
afterAll(() => collector.close());

it('sends a call with its queries below it, and a failed job, without addresses or values', async () => {
  const { port } = collector.address() as AddressInfo;
  const stop = await startTracing(`http://127.0.0.1:${port}/`, 'web');
  const log = pino({ level: 'silent' });
  const db = createDatabase(app.database.appUrl, { max: 2, log });
  const server = await buildApp({
    deps: { ...app.deps, db, log },
    trustProxy: [],
    webDir: undefined,
    metricsToken: undefined,
  });
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const client = await app.signInWith(['read_reports']);
  const { statusCode } = await server.inject({
    url: '/api/reporting/statements?q=secret-du-test',
    cookies: Object.fromEntries(client.cookies),
    headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
  });
  expect(statusCode).toBe(200);
  const fail = () => Promise.reject(new Error('essai'));
  const { tidy_up } = toTaskList({ tidy_up: fail } as never, { db, log });
  await expect(tidy_up?.({}, {} as never)).rejects.toThrow('essai');
  await server.close();
  await db.destroy();
  await stop();

  expect(received).toBe('/v1/traces');
  const spans = bodies.flatMap((body) =>
    (JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }).resourceSpans.flatMap((resource) =>
      resource.scopeSpans.flatMap((scope) => scope.spans),
    ),
  );
  const call = spans.find(({ name }) => name === 'GET /api/reporting/statements');
  expect(call).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331' });
  expect(call?.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 200 } });
  const queries = spans.filter(({ name, parentSpanId }) => name === 'query' && parentSpanId === call?.spanId);
  expect(queries.length).toBeGreaterThan(1);
  expect(JSON.stringify(queries)).toContain('FROM statements');
  // 2 means an error.
  expect(spans.find(({ name }) => name === 'job tidy_up')?.status).toMatchObject({ code: 2 });
  expect(bodies.join()).not.toContain('secret-du-test');
});
