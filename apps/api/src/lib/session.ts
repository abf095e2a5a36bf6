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
  factorAt: Date | null;
  /** The same, of a factor of Régie: the provider's do not sign. */
  ownFactorAt: Date | null;
  factorPolicy: SecondFactorPolicy;
  /** Absent for password sessions. */
  provider?: {
    hasFactor: boolean;
    confirmedAt: Date | null;
  };
}

export type CookieConfig = { isSecure: boolean; secret: string };

/** Over TLS, other hosts and paths cannot set it. */
export const cookieName = ({ isSecure }: Pick<CookieConfig, 'isSecure'>, name: string): string =>
  isSecure ? `__Host-${name}` : name;
const sessionCookie = (config: CookieConfig) => cookieName(config, 'regie');
const anonymousCookie = (config: CookieConfig) => cookieName(config, 'regie-anonymous');

export const cookieOptions = (config: CookieConfig) =>
  ({ path: '/', httpOnly: true, sameSite: 'lax', secure: config.isSecure }) as const;

/** Of the session `s`. */
export const isSessionOpen = sql<boolean>`(
  s.last_seen_at > now() - ${sql.lit(idleLimit)}::interval
  AND s.created_at > now() - CASE WHEN s.is_from_provider THEN ${sql.lit(providerLimit)}::interval ELSE ${sql.lit(absoluteLimit)}::interval END)`;

/** Of the admin `a`. */
const capabilitiesOfAdmin = sql`ARRAY(SELECT c.capability FROM admin_capabilities c WHERE c.admin_id = a.id)`;

type SessionRow = Omit<Session, 'token' | 'capabilities' | 'factorPolicy' | 'provider'> & {
  isFromProvider: boolean;
  hasProviderFactor: boolean;
  providerConfirmedAt: Date | null;
  policy: SecondFactorPolicy | null;
  lastSeenAt: Date;
  granted: Capability[];
};

/** Undefined when there is none or it ended. Capabilities are read anew, so that changes apply to the next request. */
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
    SELECT s.id, a.id AS admin_id, a.first_name AS fname, a.last_name AS lname, a.email, s.last_seen_at, s.created_at AS signed_in_at,
           s.factor_at, s.own_factor_at,
           s.is_from_provider, s.has_provider_factor, s.provider_confirmed_at,
           EXISTS (SELECT FROM second_factors f WHERE f.admin_id = a.id AND f.removed_at IS NULL) AS has_factor,
           (SELECT value FROM settings WHERE key = 'secondFactor') AS policy,
           ${capabilitiesOfAdmin} AS granted
      FROM sessions s JOIN admins a ON a.id = s.admin_id
     WHERE s.token_hash = ${tokenHash} AND a.deleted_at IS NULL
       AND ${isSessionOpen}`;
  if (!row) return undefined;
  const { isFromProvider, hasProviderFactor, providerConfirmedAt, policy, lastSeenAt, granted, ...session } = row;
  if (Date.now() - lastSeenAt.getTime() > touchAfterMs)
    await sql`UPDATE sessions SET last_seen_at = now() WHERE token_hash = ${tokenHash}`.execute(db);
  return {
    ...session,
    token,
    capabilities: new Set(withImplied(granted)),
    factorPolicy: policy ?? defaultSettings.secondFactor,
    ...(isFromProvider ? { provider: { hasFactor: hasProviderFactor, confirmedAt: providerConfirmedAt } } : {}),
  };
}

export const isRecent = (at: Date | null): boolean =>
  at !== null && Date.now() - at.getTime() <= stepUpMinutes * 60_000;

/**
 * For calls with `stepUp` and others as sensitive: an admin with a second factor must have used it recently; without
 * one must add it first if the setting requires it. @throws AppError forbidden
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

/** Does not extend the session. */
export async function isSessionLive(
  db: Database,
  config: CookieConfig,
  request: FastifyRequest,
  capabilities: readonly Capability[],
): Promise<boolean> {
  const token = request.cookies[sessionCookie(config)];
  if (!token) return false;
  const row = await queryRow<Pick<SessionRow, 'granted'>>(db)`
    SELECT ${capabilitiesOfAdmin} AS granted FROM sessions s JOIN admins a ON a.id = s.admin_id
     WHERE s.token_hash = ${hashToken(token)} AND a.deleted_at IS NULL AND ${isSessionOpen}`;
  const held = withImplied(row?.granted ?? []);
  return capabilities.some((name) => held.includes(name));
}

/** Replaces the browser's former session (product §31.8). */
export async function openSession(
  db: Database,
  config: CookieConfig,
  reply: FastifyReply,
  session: {
    adminId: number;
    device: string;
    address: string;
    factorAt: Date | null;
    ownFactorAt: Date | null;
    isFromProvider: boolean;
    hasProviderFactor: boolean;
  },
): Promise<void> {
  const token = newToken();
  const row = { tokenHash: hashToken(token), ...session };
  await db.insertInto('sessions').values(row).execute();
  reply.setCookie(sessionCookie(config), token, { ...cookieOptions(config), maxAge: absoluteLimitSeconds });
}

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

export const closeSessionsOf = (db: Database, adminId: number, exceptId = 0) =>
  sql`DELETE FROM sessions WHERE admin_id = ${adminId} AND id <> ${exceptId}`.execute(db);

/** @param isOwn a factor of Régie, not the provider's */
export const noteFactorUsed = (db: Database, sessionId: number, isOwn = true) =>
  sql`
  UPDATE sessions SET factor_at = now(), own_factor_at = CASE WHEN ${isOwn} THEN now() ELSE own_factor_at END
   WHERE id = ${sessionId}`.execute(db);

export const noteProviderConfirmation = (
  db: Database,
  sessionId: number,
  { signedInAt, hasFactor }: { signedInAt: Date; hasFactor: boolean },
) =>
  sql`
  UPDATE sessions SET provider_confirmed_at = ${signedInAt}, has_provider_factor = has_provider_factor OR ${hasFactor}
   WHERE id = ${sessionId}`.execute(db);

export const deleteEndedSessions = (db: Database) => sql`DELETE FROM sessions s WHERE NOT ${isSessionOpen}`.execute(db);

/** The nonce of a cookie `nonce.signature`; undefined unless it is ours. */
export function readNonce(cookie: string | undefined, signatureOf: (nonce: string) => string): string | undefined {
  const [nonce, signature, ...rest] = (cookie ?? '').split('.');
  if (!nonce || !signature || rest.length > 0) return undefined;
  return isSameSecret(signature, signatureOf(nonce)) ? nonce : undefined;
}

const readAnonymousNonce = (config: CookieConfig, request: FastifyRequest) =>
  readNonce(request.cookies[anonymousCookie(config)], (nonce) => sign(config.secret, 'anonymous', nonce));

/** Bound to the session, or for visitors to a signed anonymous cookie, set here when missing, without a row. */
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

export function isCsrfTokenValid(config: CookieConfig, session: Session | undefined, request: FastifyRequest): boolean {
  const header = request.headers['x-csrf-token'];
  if (typeof header !== 'string') return false;
  if (session) return isSameSecret(header, sign(config.secret, 'csrf-session', session.token));
  const nonce = readAnonymousNonce(config, request);
  return nonce !== undefined && isSameSecret(header, sign(config.secret, 'csrf-anonymous', nonce));
}
