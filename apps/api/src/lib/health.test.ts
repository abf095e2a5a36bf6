import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messages } from '@regie/contract/messages.ts';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import S3rver from 's3rver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApp } from '#src/app.ts';
import { useApp } from '#test/app.ts';
import { buildAccount, buildRelease } from '#test/factories.ts';
import { createStorage } from './open-storage.ts';
import { newStorageKey } from './storage.ts';

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
  it('answers only this machine without a token, and not through a proxy on it', async () => {
    expect(await ask(app.app, '127.0.0.1')).toBe(200);
    expect(await ask(app.app, '::1')).toBe(200);
    expect(await ask(app.app, '203.0.113.9')).toBe(404);
    for (const name of ['X-Forwarded-For', 'X-Forwarded-Proto', 'X-Forwarded-Host', 'X-Real-IP', 'Forwarded', 'Via']) {
      expect([name, await ask(app.app, '127.0.0.1', { [name]: 'x' })]).toEqual([name, 404]);
    }
  });

  it('requires a configured token of everybody', async () => {
    expect(await ask(guarded, '127.0.0.1')).toBe(404);
    expect(await ask(guarded, '127.0.0.1', { authorization: 'Bearer autre' })).toBe(404);
    const authorization = `Bearer ${token}`;
    expect(await ask(guarded, '203.0.113.9', { authorization })).toBe(200);
    expect(await ask(guarded, '127.0.0.1', { authorization, 'x-forwarded-for': '203.0.113.9' })).toBe(200);
  });
});

describe('an unreachable bucket', () => {
  it('is named by /readyz, failing calls and the log, until it answers again', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'regie-health-'));
    const bucket = { directory, address: '127.0.0.1', silent: true, configureBuckets: [{ name: 'regie-files' }] };
    const s3 = new S3rver({ ...bucket, port: 0 });
    const { port } = await s3.run();
    const storage = createStorage(`s3://S3RVER:S3RVER@127.0.0.1:${port}/regie-files?region=eu-west-3&protocol=http`);
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    const server = await buildApp({
      deps: { ...app.deps, storage, log },
      trustProxy: [],
      webDir: undefined,
      metricsToken: undefined,
    });
    const client = await app.signInWith(['read_delivered_libraries']);
    const id = await buildRelease(app.db, await buildAccount(app.db));
    const storageKey = newStorageKey('cover', 'png');
    await storage.put(storageKey, Buffer.from('cover'), 5);
    const { id: coverFileId } = await app.db
      .insertInto('files')
      .values({
        kind: 'cover',
        storageKey,
        contentType: 'image/png',
        sizeBytes: 5,
        sha256: Buffer.alloc(32),
        originalName: 'x',
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await app.db.updateTable('releases').set({ coverFileId }).where('id', '=', id).execute();
    const ask = async (url: string) => {
      const reply = await server.inject({ url, cookies: Object.fromEntries(client.cookies) });
      return { status: reply.statusCode, body: reply.body };
    };
    const ready = { status: 'ok', database: 'ok', storage: 'ok' };
    const away = { status: 'unavailable', database: 'ok', storage: 'unavailable' };
    const state = async () => JSON.parse((await ask('/readyz')).body) as unknown;
    try {
      expect(await state()).toEqual(ready);
      expect((await ask(`/api/release/${id}/cover`)).status).toBe(200);
      await s3.close();
      expect((await ask('/readyz')).status).toBe(503);
      expect(await state()).toEqual(away);
      const { status, body } = await ask(`/api/release/${id}/cover`);
      expect([status, JSON.parse(body)]).toMatchObject([503, { code: 'unavailable', message: messages.storageAway }]);
      expect(lines.join('')).toContain('the storage is away');
      expect(lines.join('')).not.toContain('unexpected error');
      const again = new S3rver({ ...bucket, port });
      await again.run();
      await expect.poll(state, { timeout: 10_000 }).toEqual(ready);
      await again.close();
    } finally {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    }
  }, 60_000);
});

it('/healthz says which version runs', async () => {
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../../../../package.json'), 'utf8'));
  expect((await app.app.inject('/healthz')).json()).toEqual({ status: 'ok', version, proxy: 'none' });
});
