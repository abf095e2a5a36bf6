import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';
import { AppError } from './errors.ts';

/** Placeholder in the build, replaced by a nonce per answer (`html.cspNonce` in vite.config.ts). */
const noncePlaceholder = '__CSP_NONCE__';
const nonceBytes = 16;
/** Addresses of calls and files, which never answer the page. */
export const isFileLike = /^\/(api|healthz|readyz|metrics|assets|img|tracks)(\/|$)|\.\w+$/;
/** Never served: names starting with a dot (also `..`), a backslash or a NUL. */
const isHidden = /(^|\/)\.|[\\\0]/;
const yearMs = 365 * 24 * 3_600_000;

/** Stripe's card field needs its script and frames (product §36.6); without Stripe's keys no other host is allowed. */
function contentSecurityPolicy(nonce: string, hasCards: boolean): string {
  return [
    "default-src 'self'",
    hasCards ? "script-src 'self' https://js.stripe.com" : "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "worker-src 'self'",
    hasCards ? "connect-src 'self' https://api.stripe.com" : "connect-src 'self'",
    ...(hasCards ? ['frame-src https://js.stripe.com https://hooks.stripe.com'] : []),
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'self'",
  ].join('; ');
}

/**
 * Serves the built interface: hashed assets are cached for ever (`.br` and `.gz` when accepted); every other address
 * outside /api gets the page, with its own policy and nonce. @throws when `distDir` has no index.html
 */
export async function webAssets(
  app: FastifyInstance,
  { distDir, hasCards = false }: { distDir: string; hasCards?: boolean },
): Promise<void> {
  const root = resolve(distDir);
  const indexPath = join(root, 'index.html');
  await readFile(indexPath).catch(() => {
    throw new Error(`the interface is not built: ${indexPath} is missing`);
  });
  await app.register(fastifyStatic, { root, serve: false, preCompressed: true, index: false, dotfiles: 'deny' });

  const errorHandler = (error: FastifyError) => {
    throw toFileRefusal(error) ?? error;
  };
  app.get<{ Params: { '*': string } }>('/*', { errorHandler }, async (request, reply) => {
    const path = request.params['*'];
    if (isHidden.test(path)) return reply.callNotFound();
    // Hashed files never change; a missing one must fail instead of returning the page.
    if (path.startsWith('assets/')) return reply.sendFile(path, { maxAge: yearMs, immutable: true });
    // Files with fixed names are revalidated; the page itself is only served below, with its policy.
    if (/\.\w+$/.test(path) && path !== 'index.html') return reply.sendFile(path, { maxAge: 0 });
    if (isFileLike.test(`/${path}`)) return reply.callNotFound();
    return sendPage(reply, await readFile(indexPath, 'utf8'), hasCards);
  });
}

/** Errors of the file server: an invalid or hidden path, an unavailable range, a failed precondition. */
function toFileRefusal(error: FastifyError & { headers?: Record<string, string> }): AppError | undefined {
  const status = error.statusCode;
  if (status === 403 || status === 404) return new AppError('not_found');
  if (status === 400) return new AppError('invalid_data');
  if (status === 412 || status === 416) {
    return new AppError('invalid_data', undefined, { status, headers: error.headers ?? {} });
  }
  return undefined;
}

function sendPage(reply: FastifyReply, html: string, hasCards: boolean): FastifyReply {
  const nonce = randomBytes(nonceBytes).toString('base64');
  return reply
    .header('content-security-policy', contentSecurityPolicy(nonce, hasCards))
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(html.replaceAll(noncePlaceholder, nonce));
}
