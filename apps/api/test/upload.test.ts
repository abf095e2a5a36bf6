import { defineRoute } from '@regie/contract/route.ts';
import { z } from '@regie/contract/zod.ts';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { buildApp } from '#src/app.ts';
import { invalid } from '#src/lib/errors.ts';
import { registerRoute, uploadRoute } from '#src/lib/route.ts';
import { type TestClient, useApp } from './app.ts';

/** Tests multipart uploads on a route that records its steps in memory. */
const app = useApp();
let server: FastifyInstance;
let client: TestClient & { admin: { id: number } };
let steps: string[] = [];
/** What a call waits for while it prepares. */
let meanwhile: (() => Promise<void>) | undefined;

const row = defineRoute('PUT /essai/:id', ['edit_reports'], {
  params: z.object({ id: z.string() }),
  response: z.object({ size: z.number() }),
  upload: { field: 'piece', maxBytes: 1000 },
});

beforeAll(async () => {
  server = await buildApp({ deps: app.deps, trustProxy: [], webDir: undefined, metricsToken: undefined });
  registerRoute(
    server,
    app.deps,
    uploadRoute(row, {
      prepare: async ({ upload }) => {
        steps.push(`prepare ${upload.fileName}`);
        if (upload.bytes.toString() === 'refused') throw invalid({ piece: 'non' });
        await meanwhile?.();
        return upload.bytes.length;
      },
      apply: async ({ params }, size) => {
        steps.push(`apply ${size}`);
        if (params.id === 'fails') throw new Error('unexpected');
        return { data: { size } };
      },
      discard: async (size) => void steps.push(`discard ${size}`),
    }),
  );
  client = await app.signInWith();
});
afterAll(() => server.close());
beforeEach(() => {
  steps = [];
  meanwhile = undefined;
});

function form(parts: { field: string; fileName?: string; content: string | Buffer }[]): Buffer {
  const pieces = parts.flatMap(({ field, fileName, content }) => [
    Buffer.from(
      `--limite\r\ncontent-disposition: form-data; name="${field}"${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n\r\n`,
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...pieces, Buffer.from('--limite--\r\n')]);
}

async function send(payload: Buffer | string, headers: Record<string, string> = {}, id = 'a') {
  const reply = await server.inject({
    method: 'PUT',
    url: `/api/essai/${id}`,
    cookies: Object.fromEntries(client.cookies),
    headers: {
      'x-csrf-token': client.csrf ?? '',
      'content-type': 'multipart/form-data; boundary=limite',
      ...headers,
    },
    payload,
  });
  return { status: reply.statusCode, headers: reply.headers, ...reply.json<{ code: string; data: unknown }>() };
}

const piece = (content: string | Buffer, fileName = 'a.txt') => form([{ field: 'piece', fileName, content }]);

it('prepares, then applies', async () => {
  expect(await send(piece('douze octets'))).toMatchObject({ status: 200, data: { size: 12 } });
  expect(steps).toEqual(['prepare a.txt', 'apply 12']);
});

it('accepts an empty file', async () => {
  expect(await send(piece(''))).toMatchObject({ status: 200, data: { size: 0 } });
});

it('discards nothing when refused before storing', async () => {
  expect(await send(piece('refused'))).toMatchObject({ status: 422, code: 'validation_failed' });
  expect(steps).toEqual(['prepare a.txt']);
});

it('discards the stored file when the transaction fails', async () => {
  expect(await send(piece('abc'), {}, 'fails')).toMatchObject({ status: 500 });
  expect(steps).toEqual(['prepare a.txt', 'apply 3', 'discard 3']);
});

it('repeats the answer for the same key and file without running a step', async () => {
  const key = { 'idempotency-key': 'envoi-1' };
  expect(await send(piece('abc'), key)).toMatchObject({ status: 200 });
  const again = await send(piece('abc'), key);
  expect(again).toMatchObject({ status: 200, data: { size: 3 } });
  expect(again.headers['idempotency-replayed']).toBe('true');
  expect(steps).toEqual(['prepare a.txt', 'apply 3']);
  for (const other of [piece('abd'), piece('abc', 'b.txt')])
    expect(await send(other, key)).toMatchObject({ status: 409 });
  // The same bytes at another position are another chunk.
  expect(await send(piece('abc'), { ...key, 'x-file-start': '3' })).toMatchObject({ status: 409 });
  expect(steps).toHaveLength(2);
});

it("runs one of two concurrent calls with one key, and discards the other's file", async () => {
  const key = { 'idempotency-key': 'envoi-2' };
  const replies = await Promise.all([send(piece('abcd'), key), send(piece('abcd'), key)]);
  expect(replies.map((reply) => reply.status)).toEqual([200, 200]);
  expect(steps.filter((step) => step === 'apply 4')).toHaveLength(1);
  const prepared = steps.filter((step) => step.startsWith('prepare')).length;
  expect(steps.filter((step) => step === 'discard 4')).toHaveLength(prepared - 1);
});

it.each([
  ['no file at all', form([]), 400],
  ['a text where the file should be', form([{ field: 'piece', content: 'abc' }]), 400],
  ['a file in another field', form([{ field: 'autre', fileName: 'a.txt', content: 'abc' }]), 400],
  [
    'two files',
    form([
      { field: 'piece', fileName: 'a.txt', content: 'abc' },
      { field: 'piece', fileName: 'b.txt', content: 'abc' },
    ]),
    400,
  ],
  ['a file over the limit', piece(Buffer.alloc(1001)), 413],
  ['a body over every limit', piece(Buffer.alloc(400_000)), 413],
  ['a form cut short', piece('abc').subarray(0, -14), 400],
  ['a form that never begins', Buffer.from('bonjour'), 400],
  ['a field that would reach into the object', form([{ field: '__proto__', fileName: 'a', content: 'b' }]), 400],
])('refuses %s', async (_name, payload, status) => {
  expect(await send(payload)).toMatchObject({ status });
  expect(steps).toEqual([]);
});

it('accepts forms on upload routes only', async () => {
  expect(await send('{}', { 'content-type': 'application/json' })).toMatchObject({ status: 415 });
  const elsewhere = await server.inject({
    method: 'POST',
    url: '/api/auth/signin',
    headers: { 'x-csrf-token': client.csrf ?? '', 'content-type': 'multipart/form-data; boundary=limite' },
    cookies: Object.fromEntries(client.cookies),
    payload: piece('abc'),
  });
  expect(elsewhere.statusCode).toBe(415);
});

it('authorises before reading the file', async () => {
  expect(await send(piece('abc'), { cookie: 'regie=personne' })).toMatchObject({ status: 401 });
  expect(await send(piece('abc'), { 'x-csrf-token': 'autre' })).toMatchObject({ status: 403 });
  expect(steps).toEqual([]);
});

it('answers a repeated call that can no longer be prepared like the first', async () => {
  const key = { 'idempotency-key': 'envoi-3' };
  const isRepeated = Promise.withResolvers<void>();
  const first = Promise.withResolvers<unknown>();
  meanwhile = async () => {
    meanwhile = async () => {
      isRepeated.resolve();
      await first.promise;
      throw invalid({ piece: 'déjà envoyé' });
    };
    await isRepeated.promise;
  };
  const answer = send(piece('abc'), key);
  await expect.poll(() => steps).toEqual(['prepare a.txt']);
  const again = send(piece('abc'), key);
  first.resolve(await answer);
  expect(await again).toMatchObject({ status: 200, data: { size: 3 }, headers: { 'idempotency-replayed': 'true' } });
  expect(steps).toEqual(['prepare a.txt', 'prepare a.txt', 'apply 3']);
});
