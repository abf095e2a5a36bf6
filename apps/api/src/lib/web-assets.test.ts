import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { type FastifyInstance, fastify } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { webAssets } from './web-assets.ts';

let distDir: string;
let app: FastifyInstance;
const script = `console.info(${JSON.stringify('x'.repeat(2000))})`;

beforeAll(async () => {
  distDir = await mkdtemp(join(tmpdir(), 'regie-web-'));
  await mkdir(join(distDir, 'assets'));
  await mkdir(join(distDir, '.vite'));
  await writeFile(join(distDir, 'index.html'), '<script nonce="__CSP_NONCE__"></script><meta nonce="__CSP_NONCE__">');
  await writeFile(join(distDir, '.vite/manifest.json'), '{}');
  await writeFile(join(distDir, 'color-scheme.js'), 'void 0');
  await writeFile(join(distDir, 'assets/main-abc.js'), script);
  await writeFile(join(distDir, 'assets/main-abc.js.br'), brotliCompressSync(script));
  await writeFile(join(distDir, 'assets/main-abc.js.gz'), gzipSync(script));
  app = fastify();
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ code: 'not_found' }));
  app.get('/api/known', async () => ({ code: 'success' }));
  await webAssets(app, { distDir });
  await app.ready();
});
afterAll(async () => {
  await app.close();
  await rm(distDir, { recursive: true, force: true });
});

async function get(url: string, headers: Record<string, string> = {}) {
  return app.inject({ method: 'GET', url, headers });
}

test('every page address returns the page with a new nonce', async () => {
  const nonces = new Set<string>();
  for (const url of ['/', '/signin?origin=/journal', '/reporting/report/12', '/nowhere/at/all']) {
    const answer = await get(url);
    expect(answer.statusCode, url).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    const policy = String(answer.headers['content-security-policy']);
    const nonce = /style-src 'self' 'nonce-([A-Za-z0-9+/=]{22,})'/.exec(policy)?.[1] ?? '';
    expect(policy).toContain("default-src 'self'; script-src 'self'; ");
    expect(policy).not.toContain('unsafe');
    expect(policy).toContain("object-src 'none'; base-uri 'none'; frame-ancestors 'none'");
    expect(answer.body).toBe(`<script nonce="${nonce}"></script><meta nonce="${nonce}">`);
    nonces.add(nonce);
  }
  expect(nonces.size).toBe(4);
});

test('assets are cached for ever, in an encoding the browser accepts', async () => {
  const plain = await get('/assets/main-abc.js', { 'accept-encoding': 'identity' });
  expect(plain.body).toBe(script);
  expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  const brotli = await get('/assets/main-abc.js', { 'accept-encoding': 'gzip, deflate, br' });
  expect(brotli.headers['content-encoding']).toBe('br');
  expect(brotli.headers['content-type']).toContain('javascript');
  expect(brotli.headers.vary).toMatch(/accept-encoding/i);
  expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(script);
  const gzipped = await get('/assets/main-abc.js', { 'accept-encoding': 'gzip' });
  expect(gzipped.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(gzipped.rawPayload).toString()).toBe(script);
});

test('files with fixed names are revalidated', async () => {
  const answer = await get('/color-scheme.js');
  expect(answer.statusCode).toBe(200);
  expect(answer.headers['cache-control']).toBe('public, max-age=0');
});

test.each([
  '/assets/main-old.js',
  '/assets/none',
  '/assets',
  '/img/aabb',
  '/img/aabb.png',
  '/tracks/12/audio',
  '/healthz/more',
  '/library/release/12/cover.jpg',
  '/favicon.ico',
  '/index.html',
  '/.vite/manifest.json',
  '/assets/../../package.json',
  '/assets/%2e%2e/%2e%2e/package.json',
  '/api/unknown',
  '/api',
])('%s is not found', async (url) => {
  const answer = await get(url);
  expect(answer.statusCode).toBeGreaterThanOrEqual(400);
  expect(answer.statusCode).toBeLessThan(500);
  expect(answer.headers['content-type']).not.toContain('text/html');
});

test('API calls and other methods are not handled', async () => {
  expect((await get('/api/known')).json()).toEqual({ code: 'success' });
  expect((await app.inject({ method: 'POST', url: '/signin' })).statusCode).toBe(404);
  expect((await app.inject({ method: 'HEAD', url: '/signin' })).statusCode).toBe(200);
});

test('a missing build fails at startup', async () => {
  const other = fastify();
  await expect(webAssets(other, { distDir: join(distDir, 'none') })).rejects.toThrow('not built');
  await other.close();
});

test('the policy names other hosts only for card payments, and only Stripe’s', async () => {
  const withCards = fastify();
  await webAssets(withCards, { distDir, hasCards: true });
  const policyOf = async (server: FastifyInstance) =>
    String((await server.inject({ url: '/' })).headers['content-security-policy']);
  const hostsIn = (policy: string) => [...new Set(policy.match(/https:\/\/[\w.]+/g) ?? [])].toSorted();
  expect(hostsIn(await policyOf(app))).toEqual([]);
  const policy = await policyOf(withCards);
  expect(hostsIn(policy)).toEqual(['https://api.stripe.com', 'https://hooks.stripe.com', 'https://js.stripe.com']);
  expect(policy).toContain("script-src 'self' https://js.stripe.com;");
  expect(policy).not.toContain('unsafe');
  await withCards.close();
});
