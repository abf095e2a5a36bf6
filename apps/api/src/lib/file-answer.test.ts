import { Readable } from 'node:stream';
import { defineRoute } from '@regie/contract/route.ts';
import { z } from '@regie/contract/zod.ts';
import { expect, it } from 'vitest';
import { buildApp } from '#src/app.ts';
import { useApp } from '#test/app.ts';
import { type FileAnswer, readRange } from './file-answer.ts';
import { fileRoute, registerRoute } from './route.ts';

it.each([
  [undefined, 'none'],
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=0-9', { start: 0, end: 9 }],
  ['bytes=4-', { start: 4, end: 9 }],
  ['bytes=4-400', { start: 4, end: 9 }],
  ['bytes=-3', { start: 7, end: 9 }],
  ['bytes=-30', { start: 0, end: 9 }],
  ['bytes=-0', 'outside'],
  ['bytes=10-', 'outside'],
  ['bytes=10-12', 'outside'],
  ['bytes=5-2', 'none'],
  ['bytes=-', 'none'],
  ['bytes=1-2,4-5', 'none'],
  ['bytes=a-b', 'none'],
  ['items=0-1', 'none'],
  ['bytes=0x1-2', 'none'],
  [`bytes=${'9'.repeat(40)}-`, 'none'],
])('parses %s of ten bytes', (header, range) => {
  expect(readRange(header, 10)).toEqual(range);
});

it('has no range in an empty file', () => {
  expect(readRange('bytes=0-', 0)).toBe('outside');
  expect(readRange('bytes=-1', 0)).toBe('outside');
});

const app = useApp();
const bytes = Buffer.from('0123456789');
const contents: Record<string, FileAnswer['content']> = {
  memory: bytes,
  stream: async (range) => Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes]),
};

async function ask(name: string, headers: Record<string, string>, fileName = 'Été "5 %".wav') {
  const server = await buildApp({ deps: app.deps, trustProxy: [], webDir: undefined, metricsToken: undefined });
  const contract = defineRoute('GET /essai', 'public', { response: z.null(), isFile: true });
  registerRoute(
    server,
    app.deps,
    fileRoute(contract, async () => ({
      content: contents[name] ?? bytes,
      sizeBytes: bytes.length,
      contentType: 'audio/wav',
      etag: '"v1"',
      fileName,
    })),
  );
  const reply = await server.inject({ url: '/api/essai', headers });
  await server.close();
  return reply;
}

it.each(Object.keys(contents))('sends a file from %s: whole, in part, or 304', async (name) => {
  const whole = await ask(name, {});
  expect(whole).toMatchObject({ statusCode: 200, payload: '0123456789' });
  expect(whole.headers).toMatchObject({
    'content-type': 'audio/wav',
    'content-length': '10',
    'accept-ranges': 'bytes',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-disposition': `attachment; filename="_t_ _5 __.wav"; filename*=UTF-8''%C3%89t%C3%A9%20%225%20%25%22.wav`,
  });
  const part = await ask(name, { range: 'bytes=2-4', 'if-range': '"v1"' });
  expect(part).toMatchObject({ statusCode: 206, payload: '234' });
  expect(part.headers).toMatchObject({ 'content-range': 'bytes 2-4/10', 'content-length': '3' });
  expect(await ask(name, { range: 'bytes=2-4', 'if-range': '"v0"' })).toMatchObject({
    statusCode: 200,
    payload: '0123456789',
  });
  const outside = await ask(name, { range: 'bytes=10-' });
  expect(outside).toMatchObject({ statusCode: 416, payload: '' });
  expect(outside.headers['content-range']).toBe('bytes */10');
  expect(await ask(name, { 'if-none-match': '"v1"' })).toMatchObject({ statusCode: 304, payload: '' });
});

it('removes line ends and paths from the saved name', async () => {
  const { headers } = await ask('memory', {}, '../a\r\nset-cookie: b\\c\u0000.wav');
  expect(headers['set-cookie']).toBeUndefined();
  expect(headers['content-disposition']).toContain('filename=".._a__set-cookie: b_c_.wav"');
});
