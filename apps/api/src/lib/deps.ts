import type { FastifyBaseLogger } from 'fastify';
import type { Database } from './db.ts';
import type { CookieConfig } from './session.ts';

/** What handlers and services are given; nothing of ours is found by any other way. */
export interface Deps {
  /** The application's own login, with its restricted rights. */
  db: Database;
  cookies: CookieConfig;
  /** Origin of the links in mails and of the Origin check. */
  publicUrl: string;
  log: FastifyBaseLogger;
}
