import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApp } from '#src/app.ts';
import { useApp } from '#test/app.ts';

const app = useApp();
let guarded: FastifyInstance;
const token = 'jeton-de-mesure-0123';

beforeAll(async () => {
  guarded = await buildApp({ deps: app.deps, trustProxy: [], webDir: undefined, metricsToken: token });
});
afterAll(() => guarded.close());

const ask = async (server: FastifyInstance, remoteAddress: string, headers: Record<string, string> = {}) =>
  (await server.inject({ url: '/metrics', remoteAddress, headers })).statusCode;

describe('/metrics', () => {
  it('without a token answers this machine alone, and not through a proxy on it', async () => {
    expect(await ask(app.app, '127.0.0.1')).toBe(200);
    expect(await ask(app.app, '::1')).toBe(200);
    expect(await ask(app.app, '203.0.113.9')).toBe(404);
    for (const name of ['X-Forwarded-For', 'X-Forwarded-Proto', 'X-Forwarded-Host', 'X-Real-IP', 'Forwarded', 'Via']) {
      expect([name, await ask(app.app, '127.0.0.1', { [name]: 'x' })]).toEqual([name, 404]);
    }
  });

  it('with a token asks everybody for it', async () => {
    expect(await ask(guarded, '127.0.0.1')).toBe(404);
    expect(await ask(guarded, '127.0.0.1', { authorization: 'Bearer autre' })).toBe(404);
    const authorization = `Bearer ${token}`;
    expect(await ask(guarded, '203.0.113.9', { authorization })).toBe(200);
    expect(await ask(guarded, '127.0.0.1', { authorization, 'x-forwarded-for': '203.0.113.9' })).toBe(200);
  });
});
