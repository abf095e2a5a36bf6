import type { FastifyBaseLogger } from 'fastify';
import type { Database } from './db.ts';
import type { CookieConfig } from './session.ts';
import type { Storage } from './storage.ts';

/** What handlers and services are given; nothing of ours is found by any other way. */
export interface Deps {
  /** The application's own login, with its restricted rights. */
  db: Database;
  cookies: CookieConfig;
  /** Origin of the links in mails and of the Origin check. */
  publicUrl: string;
  storage: Storage;
  /** A folder of this machine for uploads that are not whole yet. */
  uploadsDir: string;
  log: FastifyBaseLogger;
}
