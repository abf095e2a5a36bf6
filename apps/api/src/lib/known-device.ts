import type { FastifyReply, FastifyRequest } from 'fastify';
import { isSameSecret, newToken, sign } from './secrets.ts';
import type { CookieConfig } from './session.ts';

const yearSeconds = 365 * 24 * 3600;
const cookieName = (config: CookieConfig) => (config.isSecure ? '__Host-regie-device' : 'regie-device');
const signatureOf = (config: CookieConfig, email: string, nonce: string) =>
  sign(config.secret, 'device', `${email.toLowerCase()}\0${nonce}`);

/** What tells this browser from others, when someone has signed in with this e-mail from it before; else undefined. */
export function findKnownDevice(config: CookieConfig, request: FastifyRequest, email: string): string | undefined {
  const [nonce, signature, ...rest] = (request.cookies[cookieName(config)] ?? '').split('.');
  if (!nonce || !signature || rest.length > 0) return undefined;
  return isSameSecret(signature, signatureOf(config, email, nonce)) ? nonce : undefined;
}

/** Makes the browser a known device of this e-mail for a year; to be called once the sign-in is complete. */
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
