import { z } from '@regie/contract/zod.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { seal, unseal } from './secrets.ts';
import { type CookieConfig, cookieName, cookieOptions } from './session.ts';

/** An encrypted cookie with an expiry; not sent by pages of other sites. */
export function sealedCookie<Value>(name: string, schema: z.core.$ZodType<Value>, ttlSeconds: number) {
  const Content = z.object({ until: z.number(), value: schema });
  return {
    set(config: CookieConfig, reply: FastifyReply, value: Value): void {
      const content = Buffer.from(JSON.stringify({ until: Date.now() + ttlSeconds * 1000, value }));
      const sealed = seal(config.secret, name, content).toString('base64url');
      reply.setCookie(cookieName(config, name), sealed, { ...cookieOptions(config), maxAge: ttlSeconds });
    },
    /** Undefined when it is missing, expired or invalid. */
    read(config: CookieConfig, request: FastifyRequest): Value | undefined {
      const sealed = Buffer.from(request.cookies[cookieName(config, name)] ?? '', 'base64url');
      const content = sealed.length > 0 ? unseal(config.secret, name, sealed) : undefined;
      if (!content) return undefined;
      const { until, value } = Content.parse(JSON.parse(content.toString()));
      return until > Date.now() ? value : undefined;
    },
    clear: (config: CookieConfig, reply: FastifyReply) =>
      void reply.clearCookie(cookieName(config, name), cookieOptions(config)),
  };
}
