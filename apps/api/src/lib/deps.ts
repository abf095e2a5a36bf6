import type { FastifyBaseLogger } from 'fastify';
import type { CardPayments } from './card-payments.ts';
import type { Database } from './db.ts';
import type { Notices } from './notices.ts';
import type { Oidc } from './oidc.ts';
import type { CookieConfig } from './session.ts';
import type { SessionLimits } from './session-limits.ts';
import type { Storage } from './storage.ts';

/** What handlers and services are given; nothing of ours is found by any other way. */
export interface Deps {
  /** The application's own login, with its restricted rights. */
  db: Database;
  cookies: CookieConfig;
  /** Origin of the links in mails and of the Origin check. */
  publicUrl: string;
  /** What a smartlink's public address begins with; ends with a slash. */
  smartlinkBaseUrl: string;
  storage: Storage;
  /** A folder of this machine for uploads that are not whole yet. */
  uploadsDir: string;
  /** Absent where Stripe's keys are not set: orders are then paid offline. */
  cards?: CardPayments;
  /** Where staff may sign in besides; absent where none is set. */
  oidc?: Oidc;
  /** Nobody signs in by password; only where `oidc` is there. */
  isLocalSignInClosed?: boolean;
  /** How far the reading of statements is; absent, screens ask for it. */
  statementNotices?: Notices;
  /** Absent, a session asks as much as it likes. */
  sessionLimits?: SessionLimits;
  log: FastifyBaseLogger;
}
