import type { FastifyReply, FastifyRequest } from 'fastify';
import { isSameSecret, newToken, sign } from './secrets.ts';
import type { CookieConfig } from './session.ts';

const yearSeconds = 365 * 24 * 3600;
const cookieName = (config: CookieConfig) => (config.isSecure ? '__Host-regie-device' : 'regie-device');
const signatureOf = (config: CookieConfig, email: string, nonce: string) =>
  sign(config.secret, 'device', `${email.toLowerCase()}\0${nonce}`);

/** An id of this browser if someone has signed in with this e-mail from it; else undefined. */
export function findKnownDevice(config: CookieConfig, request: FastifyRequest, email: string): string | undefined {
  const [nonce, signature, ...rest] = (request.cookies[cookieName(config)] ?? '').split('.');
  if (!nonce || !signature || rest.length > 0) return undefined;
  return isSameSecret(signature, signatureOf(config, email, nonce)) ? nonce : undefined;
}

/** For a year; call after a complete sign-in. */
export function rememberDevice(
  config: CookieConfig,
  request: FastifyRequest,
  reply: FastifyReply,
  email: string,
): void {
  const nonce = findKnownDevice(config, request, email) ?? newToken();
  reply.setCookie(cookieName(config), `${nonce}.${signatureOf(config, email, nonce)}`, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: config.isSecure,
    maxAge: yearSeconds,
  });
}
