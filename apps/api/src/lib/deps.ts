import type { FastifyBaseLogger } from 'fastify';
import type { AnalyticsEngine } from '#src/modules/income/analytics/analytics-engine.service.ts';
import type { LineStore } from '#src/modules/income/lines/lines.service.ts';
import type { SystemSettings } from '#src/modules/platform/system/system.service.ts';
import type { CardPayments } from './card-payments.ts';
import type { Database } from './db.ts';
import type { Notices } from './notices.ts';
import type { Oidc } from './oidc.ts';
import type { CookieConfig } from './session.ts';
import type { SessionLimits } from './session-limits.ts';
import type { Storage } from './storage.ts';

/** All services are injected; there are no singletons. */
export interface Deps {
  db: Database;
  cookies: CookieConfig;
  /** Origin for links in mails and for the Origin check. */
  publicUrl: string;
  /** Prefix of public smartlink addresses; ends with a slash. */
  smartlinkBaseUrl: string;
  /** Of statements to customers: mail servers limit them. */
  lettersPerMinute: number;
  storage: Storage;
  lines: LineStore;
  /** Who adds up lines for cross tables; without it, the engine of `lines`. */
  analytics?: AnalyticsEngine;
  /** Local folder for incomplete uploads. */
  uploadsDir: string;
  /** Absent without Stripe's keys: orders are then paid offline. */
  cards?: CardPayments;
  oidc?: Oidc;
  /** Disables password sign-in; requires `oidc`. */
  isLocalSignInClosed?: boolean;
  /** Progress of loads; without it, screens poll. */
  statementNotices?: Notices;
  sessionLimits?: SessionLimits;
  /** For the system checks. */
  system?: SystemSettings;
  log: FastifyBaseLogger;
}
