import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { buildApp } from '#src/app.ts';
import { newStorageKey } from '#src/lib/storage.ts';
import { useApp } from './app.ts';

/** Unusual addresses, sent as raw bytes because HTTP clients would normalise them. */
const app = useApp();
let server: FastifyInstance;
let webDir: string;
let port: number;
const lines: string[] = [];

beforeAll(async () => {
  webDir = await mkdtemp(join(tmpdir(), 'regie-addresses-'));
  await mkdir(join(webDir, 'assets'));
  await writeFile(join(webDir, 'index.html'), '<p>page</p>');
  await writeFile(join(webDir, '.env'), 'SECRET=1');
  await writeFile(join(webDir, 'assets', 'main-abc.js'), '0123456789');
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  server = await buildApp({ deps: { ...app.deps, log }, trustProxy: [], webDir, metricsToken: undefined });
  await server.listen({ port: 0, host: '127.0.0.1' });
  port = (server.server.address() as AddressInfo).port;
});
afterAll(async () => {
  await server.close();
  await rm(webDir, { recursive: true, force: true });
});

beforeEach(() => {
  lines.length = 0;
});

async function ask(path: string, headers = ''): Promise<{ status: number; head: string; body: string }> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n${headers}\r\n`);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body };
}

it.each([
  ['/.env', 404],
  ['/.git/config', 404],
  ['/%2eenv', 404],
  ['/assets/.env', 404],
  ['/assets/../x', 404],
  ['/assets/../.env', 404],
  ['/assets/%2e%2e/.env', 404],
  ['/assets/..%2f.env', 404],
  ['/assets/..%5c.env', 404],
  ['/../../etc/passwd.txt', 404],
  ['/a%00.js', 404],
  ['/assets/a%00.js', 404],
  ['/assets/main-abc.js%00', 404],
  ['/assets/main-abc.js/x', 404],
  ['/assets/', 404],
  ['/assets', 404],
  ['/img/aabb.png', 404],
  ['/tracks/12/audio', 404],
  [`/assets/${'x'.repeat(4000)}.js`, 404],
  [`/${'x'.repeat(300)}.js`, 404],
  ['/assets/%', 400],
  ['/%c0%ae.js', 400],
  ['/s/%00', 404],
  ['/s/%', 404],
  ['/s/%ff', 404],
  ['/s/%E0%A4%A?ref=1', 404],
  ['/s/awa/%ff', 404],
  ['/s/%ff/cover.webp', 404],
  [`/s/${'x'.repeat(300)}`, 404],
  ['/s/%00/cover.webp', 404],
  ['/s/awa/deezer/more', 404],
  ['/%ff', 400],
  ['/%', 400],
  ['/library/release/%c3', 400],
  ['/signin%ff?origin=/journal', 400],
  [`/signup/${'%ff'.repeat(50)}`, 400],
  ['/library/%00', 404],
  ['/.git/', 404],
  ['/api/%00', 404],
  ['/api/release/%00/edit', 404],
  ['/api/release/1%00', 401],
  ['/api/img/%00', 401],
  ['/api/%ff', 400],
  ['/api/release/%ff/edit', 400],
  ['/api/img/%ff', 400],
  ['/healthz/%ff', 400],
])('%s answers %i without a logged stack', async (path, status) => {
  const answer = await ask(path);
  expect([path.slice(0, 40), answer.status]).toEqual([path.slice(0, 40), status]);
  // Programs call the API and load files; everything else is a page.
  const isPage = /^\/s\//.test(path) || !/^\/(api|healthz|assets|img|tracks)(\/|$)|\.\w+$/.test(path);
  if (status >= 400 && !isPage) expect(JSON.parse(answer.body)).toMatchObject({ data: null });
  if (status >= 400 && isPage) {
    expect(answer.head.toLowerCase()).toMatch(/content-type: text\/html; charset=utf-8/);
    expect(answer.head.toLowerCase()).toMatch(/content-security-policy: default-src 'none'/);
    expect(answer.head.toLowerCase()).toMatch(/cache-control: no-store/);
    expect(answer.body).toContain('<h1>Page introuvable</h1>');
  }
  expect(lines.join('')).not.toMatch(/ {4}at |unexpected error/);
});

it('a stored file cannot be requested by its key', async () => {
  const key = newStorageKey('cover', 'html');
  await app.deps.storage.put(key, Buffer.from('<script>'), 8);
  for (const path of [
    `/${key}`,
    `/files/${key}`,
    `/assets/${key}`,
    `/assets/..%2f${key}`,
    `/api/${key}`,
    `/api/img/${key}`,
  ]) {
    const { status, body } = await ask(path);
    expect([path, status >= 400]).toEqual([path, true]);
    expect(body).not.toContain('<script>');
  }
});

it.each(['bytes=10-', 'bytes=99999-100000', 'bytes=-0'])('an asset answers 416 to the range %s', async (range) => {
  const answer = await ask('/assets/main-abc.js', `range: ${range}\r\n`);
  expect(answer.status).toBe(416);
  expect(answer.head.toLowerCase()).toContain('content-range: bytes */10');
  expect(lines.join('')).not.toMatch(/ {4}at |unexpected error/);
});

it.each(['bytes=5-2', 'bytes=a-b', 'lines=1-2', 'bytes=', '\u0000', 'bytes=1-2,4-5'])(
  'an asset answers the invalid range %s without an error',
  async (range) => {
    const answer = await ask('/assets/main-abc.js', `range: ${range}\r\n`);
    expect([200, 206, 400, 416]).toContain(answer.status);
    expect(lines.join('')).not.toMatch(/ {4}at |unexpected error/);
  },
);

it('an unchanged asset is answered 304', async () => {
  const { head } = await ask('/assets/main-abc.js');
  const etag = /etag: (.*)/i.exec(head)?.[1] ?? '';
  expect((await ask('/assets/main-abc.js', `if-none-match: ${etag}\r\n`)).status).toBe(304);
  expect((await ask('/assets/main-abc.js', 'if-match: "other"\r\n')).status).toBe(412);
  expect(lines.join('')).not.toMatch(/ {4}at |unexpected error/);
});
