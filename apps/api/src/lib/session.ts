import { type Capability, withImplied } from '@regie/contract/capabilities.ts';
import { providerMessages } from '@regie/contract/identity-provider.ts';
import { type SecondFactorPolicy, stepUpMinutes } from '@regie/contract/second-factors.ts';
import { defaultSettings } from '@regie/contract/settings.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import { type Database, prepared } from './db.ts';
import { AppError } from './errors.ts';
import { hashToken, isSameSecret, newToken, sign } from './secrets.ts';

/** Idle and absolute limits of a session (decisions §1). */
const idleLimit = '12 hours';
const absoluteLimit = '7 days';
/** The provider is asked again the same day whether its person may still come in. */
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
  /** When a second factor was last used in this session. */
  factorAt: Date | null;
  factorPolicy: SecondFactorPolicy;
  /** Absent for who signed in by password. */
  provider?: {
    /** Whether a second factor was used there. */
    hasFactor: boolean;
    /** When they last signed in there again to confirm that it is them. */
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

/** Of the sessions `s`, those that have not ended by themselves. */
export const isSessionOpen = sql<boolean>`(
  s.last_seen_at > now() - ${sql.lit(idleLimit)}::interval
  AND s.created_at > now() - CASE WHEN s.is_from_provider THEN ${sql.lit(providerLimit)}::interval ELSE ${sql.lit(absoluteLimit)}::interval END)`;

/** What the admin `a` was granted. */
const capabilitiesOfAdmin = sql<
  Capability[]
>`ARRAY(SELECT c.capability FROM admin_capabilities c WHERE c.admin_id = a.id)`;

interface SessionRow {
  sessionId: number;
  factorAt: Date | null;
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
 * The session of the request's cookie, with the capabilities as they stand now; undefined when there is none or
 * it ended. Capability changes therefore hold from the next request on.
 */
export async function findSession(
  db: Database,
  config: CookieConfig,
  request: FastifyRequest,
): Promise<Session | undefined> {
  const token = request.cookies[sessionCookie(config)];
  if (!token) return undefined;
  const tokenHash = hashToken(token);
  // Asked at every call: its plan is kept.
  const { rows } = await sql<SessionRow>`${prepared}
    SELECT a.id, a.first_name, a.last_name, a.email, s.last_seen_at, s.id AS session_id, s.factor_at,
           s.is_from_provider, s.has_provider_factor, s.provider_confirmed_at,
           EXISTS (SELECT FROM second_factors f WHERE f.admin_id = a.id AND f.removed_at IS NULL) AS has_factor,
           (SELECT value FROM settings WHERE key = 'secondFactor') AS factor_policy,
           ${capabilitiesOfAdmin} AS capabilities
      FROM sessions s JOIN admins a ON a.id = s.admin_id
     WHERE s.token_hash = ${tokenHash} AND a.deleted_at IS NULL
       AND ${isSessionOpen}`.execute(db);
  const [row] = rows;
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
    factorAt: row.factorAt,
    factorPolicy: row.factorPolicy ?? defaultSettings.secondFactor,
    ...(row.isFromProvider
      ? { provider: { hasFactor: row.hasProviderFactor, confirmedAt: row.providerConfirmedAt } }
      : {}),
  };
}

/** Whether it was so lately that it counts for the calls with `stepUp`. */
export const isRecent = (at: Date | null): boolean =>
  at !== null && Date.now() - at.getTime() <= stepUpMinutes * 60_000;

/** Asks for a sign-in at the provider: the browser opens it, then calls again. */
export const confirmAtProvider = () =>
  new AppError('forbidden', providerMessages.confirm, { errors: { provider: providerMessages.confirm } });

/** Whether the request's session still stands and holds one of the rights; looking does not prolong it. */
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

/** Opens a session with a new token, replacing whatever cookie the browser had (decisions §1). */
export async function openSession(
  db: Database,
  config: CookieConfig,
  reply: FastifyReply,
  session: {
    adminId: number;
    device: string;
    address: string;
    /** When a second factor was used to sign in. */
    factorAt: Date | null;
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

/** Ends the session of this cookie, if any, and forgets the cookie. */
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

/** Ends the sessions of an admin, all of them or all but one. */
export async function closeSessionsOf(db: Database, adminId: number, exceptId?: number): Promise<void> {
  const sessions = db.deleteFrom('sessions').where('adminId', '=', adminId);
  await (exceptId === undefined ? sessions : sessions.where('id', '!=', exceptId)).execute();
}

/** Notes that a second factor was just used in this session. */
export async function noteFactorUsed(db: Database, sessionId: number): Promise<void> {
  await db.updateTable('sessions').set({ factorAt: sql<Date>`now()` }).where('id', '=', sessionId).execute();
}

/** Notes that the session's owner has signed in at the provider again. */
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

/** Removes the sessions that ended by themselves. */
export async function deleteEndedSessions(db: Database): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where((where) =>
      where.or([
        where(sql<Date>`last_seen_at`, '<=', sql<Date>`now() - ${sql.lit(idleLimit)}::interval`),
        where(sql<Date>`created_at`, '<=', sql<Date>`now() - ${sql.lit(absoluteLimit)}::interval`),
      ]),
    )
    .execute();
}

function readAnonymousNonce(config: CookieConfig, request: FastifyRequest): string | undefined {
  const [nonce, signature, ...rest] = (request.cookies[anonymousCookie(config)] ?? '').split('.');
  if (!nonce || !signature || rest.length > 0) return undefined;
  return isSameSecret(signature, sign(config.secret, 'anonymous', nonce)) ? nonce : undefined;
}

/**
 * The CSRF token to give out: bound to the session, or to a signed anonymous cookie (set here when missing, no
 * database row) for those who have not signed in.
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

/** Whether X-Csrf-Token is the one issued to this session or anonymous cookie. */
export function isCsrfTokenValid(config: CookieConfig, session: Session | undefined, request: FastifyRequest): boolean {
  const given = request.headers['x-csrf-token'];
  if (typeof given !== 'string') return false;
  if (session) return isSameSecret(given, sign(config.secret, 'csrf-session', session.token));
  const nonce = readAnonymousNonce(config, request);
  return nonce !== undefined && isSameSecret(given, sign(config.secret, 'csrf-anonymous', nonce));
}
