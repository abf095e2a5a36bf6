import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { defineRoute } from '@regie/contract/route.ts';
import { z } from '@regie/contract/zod.ts';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { buildApp } from '#src/app.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { fileRoute, registerRoute, uploadRoute } from './route.ts';
import { createSessionLimits } from './session-limits.ts';

const app = useApp();
let server: FastifyInstance;

const row = { response: z.null() };

beforeEach(async () => {
  const sessionLimits = createSessionLimits(app.db, { requestsPerMinute: 8, streams: 2, uploadBytesPerDay: 10_000 });
  const deps = { ...app.deps, sessionLimits };
  server = await buildApp({ deps, trustProxy: [], webDir: undefined, metricsToken: undefined });
  const endless = defineRoute('GET /sans-fin', 'session', { ...row, isFile: true });
  registerRoute(
    server,
    deps,
    fileRoute(endless, async () => ({
      content: async () => {
        const content = new Readable({ read: () => undefined });
        content.push('a');
        return content;
      },
      sizeBytes: 1000,
      contentType: 'audio/wav',
      etag: '"1"',
    })),
  );
  const upload = defineRoute('PUT /envoi', 'session', { ...row, upload: { field: 'file', maxBytes: 100_000 } });
  registerRoute(
    server,
    deps,
    uploadRoute(upload, {
      prepare: async () => ({}),
      apply: async () => ({ data: null }),
      discard: async () => undefined,
    }),
  );
});
afterEach(() => server.close());

const cookiesOf = (client: TestClient) => [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
const ask = async (client: TestClient, url: string) => server.inject({ url, headers: { cookie: cookiesOf(client) } });

it('a session may make a limited number of calls a minute, independent of other sessions', async () => {
  const [busy, calm] = [await app.signInWith(['read_audit']), await app.signInWith(['read_audit'])];
  for (let n = 0; n < 8; n += 1) expect((await ask(busy, '/api/journal')).statusCode).toBe(200);
  const refused = await ask(busy, '/api/journal');
  expect(refused.statusCode).toBe(429);
  expect(refused.json()).toMatchObject({ code: 'too_many_requests' });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await ask(calm, '/api/journal')).statusCode).toBe(200);
});

it('several servers count the calls of a session together', { tags: ['slow'] }, async () => {
  const sessionLimits = createSessionLimits(app.db, { requestsPerMinute: 8, streams: 2, uploadBytesPerDay: 10_000 });
  const deps = { ...app.deps, sessionLimits };
  const other = await buildApp({ deps, trustProxy: [], webDir: undefined, metricsToken: undefined });
  const client = await app.signInWith(['read_audit']);
  const headers = { cookie: cookiesOf(client) };
  const statuses: number[] = [];
  for (let n = 0; n < 10; n += 1) {
    statuses.push((await (n % 2 === 0 ? server : other).inject({ url: '/api/journal', headers })).statusCode);
  }
  expect(statuses).toEqual([...Array<number>(8).fill(200), 429, 429]);
  await other.close();
});

it('a session may have a limited number of open files, and another when one ends', async () => {
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  const client = await app.signInWith([]);
  const opened: { destroy: () => void }[] = [];
  const open = async () => {
    const request = get({
      port,
      host: '127.0.0.1',
      path: '/api/sans-fin',
      agent: false,
      headers: { cookie: cookiesOf(client) },
    });
    opened.push(request);
    request.on('error', () => undefined);
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    answer.on('error', () => undefined);
    return { status: answer.statusCode, end: () => request.destroy() };
  };
  const [first, second] = [await open(), await open()];
  expect([first.status, second.status, (await open()).status]).toEqual([200, 200, 429]);
  first.end();
  await expect.poll(async () => (await open()).status).toBe(200);
  for (const request of opened) request.destroy();
});

it('an admin may upload a limited number of bytes a day', async () => {
  const client = await app.signInWith([]);
  const send = async (size: number) => {
    const boundary = 'limite';
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\n`;
    const reply = await server.inject({
      method: 'PUT',
      url: '/api/envoi',
      headers: {
        cookie: cookiesOf(client),
        'x-csrf-token': client.csrf ?? '',
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
      payload: Buffer.concat([Buffer.from(head), Buffer.alloc(size), Buffer.from(`\r\n--${boundary}--\r\n`)]),
    });
    return reply.statusCode;
  };
  expect([await send(6000), await send(6000)]).toEqual([200, 429]);
});
