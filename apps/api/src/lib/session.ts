import { type Capability, withImplied } from '@regie/contract/capabilities.ts';
import { providerMessages } from '@regie/contract/identity-provider.ts';
import { factorMessages, type SecondFactorPolicy, stepUpMinutes } from '@regie/contract/second-factors.ts';
import { defaultSettings } from '@regie/contract/settings.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import { type Database, prepared, queryRow } from './db.ts';
import { AppError } from './errors.ts';
import { hashToken, isSameSecret, newToken, sign } from './secrets.ts';

/** Idle and absolute lifetime of a session (product §31.8). */
const idleLimit = '12 hours';
const absoluteLimit = '7 days';
/** Provider sessions end sooner, so that a lost role takes effect the same day. */
const providerLimit = '12 hours';
const absoluteLimitSeconds = 7 * 24 * 3600;
const touchAfterMs = 5 * 60_000;

export interface Session {
  id: number;
  token: string;
  adminId: number;
  fname: string;
  lname: string;
  email: string;
  capabilities: ReadonlySet<Capability>;
  hasFactor: boolean;
  signedInAt: Date;
  /** Last use of a second factor in this session. */
  factorAt: Date | null;
  /** The same, of a factor of Régie: the provider's do not sign. */
  ownFactorAt: Date | null;
  factorPolicy: SecondFactorPolicy;
  /** Absent for password sessions. */
  provider?: {
    /** Whether a second factor was used at the provider. */
    hasFactor: boolean;
    /** Last confirmation at the provider. */
    confirmedAt: Date | null;
  };
}

export interface CookieConfig {
  isSecure: boolean;
  secret: string;
}

const sessionCookie = (config: CookieConfig) => (config.isSecure ? '__Host-regie' : 'regie');
const anonymousCookie = (config: CookieConfig) => (config.isSecure ? '__Host-regie-anonymous' : 'regie-anonymous');

const cookieOptions = (config: CookieConfig) =>
  ({ path: '/', httpOnly: true, sameSite: 'lax', secure: config.isSecure }) as const;

/** Whether the session `s` has not expired. */
export const isSessionOpen = sql<boolean>`(
  s.last_seen_at > now() - ${sql.lit(idleLimit)}::interval
  AND s.created_at > now() - CASE WHEN s.is_from_provider THEN ${sql.lit(providerLimit)}::interval ELSE ${sql.lit(absoluteLimit)}::interval END)`;

/** Capabilities of the admin `a`. */
const capabilitiesOfAdmin = sql<
  Capability[]
>`ARRAY(SELECT c.capability FROM admin_capabilities c WHERE c.admin_id = a.id)`;

interface SessionRow {
  sessionId: number;
  signedInAt: Date;
  factorAt: Date | null;
  ownFactorAt: Date | null;
  hasFactor: boolean;
  isFromProvider: boolean;
  hasProviderFactor: boolean;
  providerConfirmedAt: Date | null;
  factorPolicy: SecondFactorPolicy | null;
  id: number;
  firstName: string;
  lastName: string;
  email: string;
  lastSeenAt: Date;
  capabilities: Capability[];
}

/**
 * The session of the request's cookie with current capabilities, so that changes apply to the next request; undefined
 * when there is none or it ended.
 */
export async function findSession(
  db: Database,
  config: CookieConfig,
  request: FastifyRequest,
): Promise<Session | undefined> {
  const token = request.cookies[sessionCookie(config)];
  if (!token) return undefined;
  const tokenHash = hashToken(token);
  // A prepared statement, since every call runs it.
  const row = await queryRow<SessionRow>(db)`${prepared}
    SELECT a.id, a.first_name, a.last_name, a.email, s.last_seen_at, s.id AS session_id, s.created_at AS signed_in_at, s.factor_at, s.own_factor_at,
           s.is_from_provider, s.has_provider_factor, s.provider_confirmed_at,
           EXISTS (SELECT FROM second_factors f WHERE f.admin_id = a.id AND f.removed_at IS NULL) AS has_factor,
           (SELECT value FROM settings WHERE key = 'secondFactor') AS factor_policy,
           ${capabilitiesOfAdmin} AS capabilities
      FROM sessions s JOIN admins a ON a.id = s.admin_id
     WHERE s.token_hash = ${tokenHash} AND a.deleted_at IS NULL
       AND ${isSessionOpen}`;
  if (!row) return undefined;
  if (Date.now() - row.lastSeenAt.getTime() > touchAfterMs) {
    await db.updateTable('sessions').set({ lastSeenAt: sql`now()` }).where('tokenHash', '=', tokenHash).execute();
  }
  return {
    id: row.sessionId,
    token,
    adminId: row.id,
    fname: row.firstName,
    lname: row.lastName,
    email: row.email,
    capabilities: new Set(withImplied(row.capabilities)),
    hasFactor: row.hasFactor,
    signedInAt: row.signedInAt,
    factorAt: row.factorAt,
    ownFactorAt: row.ownFactorAt,
    factorPolicy: row.factorPolicy ?? defaultSettings.secondFactor,
    ...(row.isFromProvider
      ? { provider: { hasFactor: row.hasProviderFactor, confirmedAt: row.providerConfirmedAt } }
      : {}),
  };
}

/** Whether the time is recent enough for calls with `stepUp`. */
export const isRecent = (at: Date | null): boolean =>
  at !== null && Date.now() - at.getTime() <= stepUpMinutes * 60_000;

/**
 * Checks for calls with `stepUp`, and for others that turn out to be as sensitive: admins with a second factor must
 * have used it recently; admins without one must add it first if the setting requires it.
 * @throws AppError forbidden
 */
export function requireRecentFactor({ hasFactor, provider, factorAt, factorPolicy }: Session): void {
  if (hasFactor || provider?.hasFactor) {
    if (isRecent(factorAt)) return;
    if (!hasFactor) throw confirmAtProvider();
    throw new AppError('forbidden', factorMessages.stepUp, { errors: { stepUp: factorMessages.stepUp } });
  }
  if (factorPolicy !== 'optional') {
    throw new AppError('forbidden', factorMessages.missing, { errors: { secondFactor: factorMessages.missing } });
  }
}

/** Asks for a new sign-in at the provider, after which the browser repeats the call. */
export const confirmAtProvider = () =>
  new AppError('forbidden', providerMessages.confirm, { errors: { provider: providerMessages.confirm } });

/** Whether the session is open and has one of the capabilities; does not extend it. */
export async function isSessionLive(
  db: Database,
  config: CookieConfig,
  request: FastifyRequest,
  capabilities: readonly Capability[],
): Promise<boolean> {
  const token = request.cookies[sessionCookie(config)];
  if (!token) return false;
  const { rows } = await sql<Pick<SessionRow, 'capabilities'>>`
    SELECT ${capabilitiesOfAdmin} AS capabilities FROM sessions s JOIN admins a ON a.id = s.admin_id
     WHERE s.token_hash = ${hashToken(token)} AND a.deleted_at IS NULL
       AND ${isSessionOpen}`.execute(db);
  const held = withImplied(rows[0]?.capabilities ?? []);
  return capabilities.some((name) => held.includes(name));
}

/** Opens a session with a new token, replacing the browser's former one (product §31.8). */
export async function openSession(
  db: Database,
  config: CookieConfig,
  reply: FastifyReply,
  session: {
    adminId: number;
    device: string;
    address: string;
    /** When a second factor was used at sign-in. */
    factorAt: Date | null;
    ownFactorAt: Date | null;
    isFromProvider: boolean;
    hasProviderFactor: boolean;
  },
): Promise<void> {
  const token = newToken();
  await db
    .insertInto('sessions')
    .values({ tokenHash: hashToken(token), ...session })
    .execute();
  reply.setCookie(sessionCookie(config), token, { ...cookieOptions(config), maxAge: absoluteLimitSeconds });
}

/** Ends the session of this cookie, if any, and deletes the cookie. */
export async function closeSession(
  db: Database,
  config: CookieConfig,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const token = request.cookies[sessionCookie(config)];
  if (token) await db.deleteFrom('sessions').where('tokenHash', '=', hashToken(token)).execute();
  reply.clearCookie(sessionCookie(config), cookieOptions(config));
}

/** Ends all sessions of an admin, or all but one. */
export async function closeSessionsOf(db: Database, adminId: number, exceptId?: number): Promise<void> {
  const sessions = db.deleteFrom('sessions').where('adminId', '=', adminId);
  await (exceptId === undefined ? sessions : sessions.where('id', '!=', exceptId)).execute();
}

/** Records the use of a second factor in this session. @param isOwn a factor of Régie, not the provider's */
export async function noteFactorUsed(db: Database, sessionId: number, isOwn = true): Promise<void> {
  const now = sql<Date>`now()`;
  await db
    .updateTable('sessions')
    .set({ factorAt: now, ...(isOwn ? { ownFactorAt: now } : {}) })
    .where('id', '=', sessionId)
    .execute();
}

/** Records a confirmation at the provider. */
export async function noteProviderConfirmation(
  db: Database,
  sessionId: number,
  { signedInAt, hasFactor }: { signedInAt: Date; hasFactor: boolean },
): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ providerConfirmedAt: signedInAt, ...(hasFactor ? { hasProviderFactor: true } : {}) })
    .where('id', '=', sessionId)
    .execute();
}

/** Deletes expired sessions. */
export async function deleteEndedSessions(db: Database): Promise<void> {
  await sql`DELETE FROM sessions s WHERE NOT ${isSessionOpen}`.execute(db);
}

function readAnonymousNonce(config: CookieConfig, request: FastifyRequest): string | undefined {
  const [nonce, signature, ...rest] = (request.cookies[anonymousCookie(config)] ?? '').split('.');
  if (!nonce || !signature || rest.length > 0) return undefined;
  return isSameSecret(signature, sign(config.secret, 'anonymous', nonce)) ? nonce : undefined;
}

/**
 * The CSRF token: bound to the session, or for visitors to a signed anonymous cookie (set here when missing, without a
 * database row).
 */
export function issueCsrfToken(
  config: CookieConfig,
  session: Session | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): string {
  if (session) return sign(config.secret, 'csrf-session', session.token);
  let nonce = readAnonymousNonce(config, request);
  if (!nonce) {
    nonce = newToken();
    const value = `${nonce}.${sign(config.secret, 'anonymous', nonce)}`;
    reply.setCookie(anonymousCookie(config), value, cookieOptions(config));
  }
  return sign(config.secret, 'csrf-anonymous', nonce);
}

/** Whether X-Csrf-Token belongs to this session or anonymous cookie. */
export function isCsrfTokenValid(config: CookieConfig, session: Session | undefined, request: FastifyRequest): boolean {
  const header = request.headers['x-csrf-token'];
  if (typeof header !== 'string') return false;
  if (session) return isSameSecret(header, sign(config.secret, 'csrf-session', session.token));
  const nonce = readAnonymousNonce(config, request);
  return nonce !== undefined && isSameSecret(header, sign(config.secret, 'csrf-anonymous', nonce));
}
