import type { FastifyReply, FastifyRequest } from 'fastify';
import { newToken, sign } from './secrets.ts';
import { type CookieConfig, cookieName, cookieOptions, readNonce } from './session.ts';

const yearSeconds = 365 * 24 * 3600;
const deviceCookie = (config: CookieConfig) => cookieName(config, 'regie-device');
const signatureOf = (config: CookieConfig, email: string, nonce: string) =>
  sign(config.secret, 'device', `${email.toLowerCase()}\0${nonce}`);

/** An id of this browser if someone has signed in with this e-mail from it; else undefined. */
export const findKnownDevice = (config: CookieConfig, request: FastifyRequest, email: string): string | undefined =>
  readNonce(request.cookies[deviceCookie(config)], (nonce) => signatureOf(config, email, nonce));

/** For a year; call after a complete sign-in. */
export function rememberDevice(
  config: CookieConfig,
  request: FastifyRequest,
  reply: FastifyReply,
  email: string,
): void {
  const nonce = findKnownDevice(config, request, email) ?? newToken();
  const value = `${nonce}.${signatureOf(config, email, nonce)}`;
  reply.setCookie(deviceCookie(config), value, { ...cookieOptions(config), maxAge: yearSeconds });
}
