import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { messages } from '@regie/contract/messages.ts';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildApp } from '#src/app.ts';
import { useApp } from '#test/app.ts';

const app = useApp();
let server: FastifyInstance;
let port: number;

beforeEach(async () => {
  server = await buildApp({ deps: app.deps, trustProxy: [], webDir: undefined, metricsToken: undefined });
  await server.listen({ port: 0, host: '127.0.0.1' });
  port = (server.server.address() as AddressInfo).port;
});
afterEach(() => server.close());

async function open(): Promise<ReturnType<typeof connect>> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

describe('closing the server', () => {
  it('ends soon after the last answer, whatever connections are open', { tags: ['slow'] }, async () => {
    const client = await app.signInWith();
    const agent = new Agent({ keepAlive: true });
    const ask = async (path: string) => {
      const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const request = get({ port, host: '127.0.0.1', path, agent, headers: { cookie } });
      const [answer] = (await once(request, 'response')) as [IncomingMessage];
      return { status: answer.statusCode, body: await text(answer) };
    };
    expect((await ask('/healthz')).status).toBe(200);
    // One without a request, and one with an incomplete request.
    const silent = await open();
    const slow = await open();
    slow.write('GET /healthz HTTP/1.1\r\nhost: x\r\n');

    const locked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const holding = app.owner.transaction().execute(async (trx) => {
      await sql`LOCK TABLE audit_log IN ACCESS EXCLUSIVE MODE`.execute(trx);
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const answer = ask('/api/journal');
    await expect
      .poll(async () => {
        const { rows } = await sql`SELECT FROM pg_locks WHERE NOT granted`.execute(app.owner);
        return rows.length;
      })
      .toBeGreaterThan(0);
    const closed = server.close();
    release.resolve();
    await holding;
    expect((await answer).status).toBe(200);
    const answeredAt = performance.now();
    await closed;
    expect(performance.now() - answeredAt).toBeLessThan(5000);
    silent.destroy();
    slow.destroy();
    agent.destroy();
  });
});

describe('invalid HTTP', () => {
  const send = async (request: string): Promise<{ status: number; body: unknown }> => {
    const socket = await open();
    socket.write(request);
    const answer = await text(socket);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head.toLowerCase()).toContain('content-type: application/json; charset=utf-8');
    return { status: Number(head.split(' ')[1]), body: JSON.parse(body) };
  };
  const envelope = (code: string, message: string) => ({ code, message, data: null, errors: { global: message } });
  const host = 'host: 127.0.0.1\r\nconnection: close\r\n';

  it.each([
    ['a word', 'rubbish\r\n\r\n', 400],
    ['a method nobody knows', `FOO / HTTP/1.1\r\n${host}\r\n`, 400],
    ['a header without a colon', `GET /healthz HTTP/1.1\r\n${host}nonsense\r\n\r\n`, 400],
    ['a header with a NUL', `GET /healthz HTTP/1.1\r\n${host}x: a\0b\r\n\r\n`, 400],
    ['two lengths', `POST /api/auth/signin HTTP/1.1\r\n${host}content-length: 1\r\ncontent-length: 2\r\n\r\n`, 400],
    [
      'a length beside chunks',
      `POST /api/auth/signin HTTP/1.1\r\n${host}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['no host', 'GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
    ['another version', `GET /healthz HTTP/9.9\r\n${host}\r\n`, 400],
  ])('%s is refused with the JSON envelope', async (_name, request, status) => {
    expect(await send(request)).toEqual({ status, body: envelope('invalid_data', messages.invalidData) });
  });

  it('endless headers are refused as too large', async () => {
    const request = `GET /healthz HTTP/1.1\r\n${host}x: ${'x'.repeat(40_000)}\r\n\r\n`;
    expect(await send(request)).toEqual({ status: 431, body: envelope('too_large', messages.tooLarge) });
  });

  it('an unknown Expect header is refused with the JSON envelope', async () => {
    const request = `POST /api/auth/signin HTTP/1.1\r\n${host}expect: a miracle\r\ncontent-length: 0\r\n\r\n`;
    expect(await send(request)).toEqual({ status: 417, body: envelope('invalid_data', messages.invalidData) });
  });

  it.each(['TRACE', 'OPTIONS', 'PATCH', 'PROPFIND'])('%s answers with the JSON envelope', async (method) => {
    const { status, body } = await send(`${method} /api/journal HTTP/1.1\r\n${host}\r\n`);
    expect(status).toBe(404);
    expect(body).toEqual(envelope('not_found', messages.notFound));
  });
});
