import { type Capability, capabilityNames } from '@regie/contract/capabilities.ts';
import { capabilityPresets } from '@regie/contract/capability-presets.ts';
import type { FastifyBaseLogger } from 'fastify';
import * as client from 'openid-client';
import type { OidcSettings } from '#src/env.ts';

/** Stored encrypted in the browser during the sign-in at the provider. */
interface OidcChecks extends Record<'state' | 'nonce' | 'verifier', string> {
  /** Milliseconds since 1970. */
  startedAt: number;
  /** The person must authenticate after `startedAt`. */
  isFresh: boolean;
}

export interface OidcPerson extends Record<'subject' | 'email' | 'firstName' | 'lastName', string> {
  isEmailVerified: boolean;
  /** Capabilities of all their mapped roles; empty without any. */
  capabilities: Capability[];
  /** Time of authentication at the provider; null when unknown. */
  signedInAt: Date | null;
  hasFactor: boolean;
}

/** `unreachable`: no usable answer; `denied`: the provider refused. */
export class OidcError extends Error {
  override name = 'OidcError';
  readonly reason: 'unreachable' | 'denied' | 'unverifiable';
  constructor(reason: OidcError['reason']) {
    super(`identity provider: ${reason}`);
    this.reason = reason;
  }
}

export interface Oidc {
  /** Identifies the provider in stored identities; without trailing slash. */
  issuer: string;
  label: string;
  /** The address to redirect to. @throws OidcError */
  begin(isFresh: boolean): Promise<{ address: string; checks: OidcChecks }>;
  /** Verifies the redirect back (`query` starts with `?`). @throws OidcError */
  finish(query: string, checks: OidcChecks): Promise<OidcPerson>;
}

const timeoutSeconds = 10;
/** How long the provider's metadata is cached; keys are refetched for unknown signatures. */
const discoveryMs = 3_600_000;
const withoutSlash = (issuer: string) => issuer.replace(/\/+$/, '');

/** Values of `amr` (RFC 8176) and `acr` that prove a second factor. SMS and phone codes do not count. */
const factorMethods = ['mfa', 'otp', 'hwk', 'swk', 'sc', 'fpt', 'face', 'iris'];
const factorContexts = [
  'phr',
  'phrh',
  'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
  'https://refeds.org/profile/mfa',
];

const texts = (claim: unknown): string[] =>
  (Array.isArray(claim) ? claim : [claim]).filter((value): value is string => typeof value === 'string');
const textOf = (claim: unknown): string => (typeof claim === 'string' ? claim.trim() : '');

/** OIDC relying party: authorization code with PKCE, state and nonce. Contacts the provider on first use. */
export function createOidc(
  settings: OidcSettings,
  { publicUrl, log }: { publicUrl: string; log: FastifyBaseLogger },
): Oidc {
  const issuer = withoutSlash(settings.issuer);
  const redirectUri = `${publicUrl}/api/auth/oidc/callback`;
  let cached: { at: number; configuration: Promise<client.Configuration> } | undefined;

  function discover(): Promise<client.Configuration> {
    if (cached && Date.now() - cached.at < discoveryMs) return cached.configuration;
    const configuration = client.discovery(
      new URL(settings.issuer),
      settings.clientId,
      settings.clientSecret,
      client.ClientSecretBasic(settings.clientSecret),
      {
        timeout: timeoutSeconds,
        execute: [
          // Check the signature even though the token comes over TLS.
          client.enableNonRepudiationChecks,
          // env.ts allows http only for this machine.
          ...(settings.issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
        ],
      },
    );
    cached = { at: Date.now(), configuration };
    configuration.catch(() => {
      cached = undefined;
    });
    return configuration;
  }

  function failure(error: unknown): OidcError {
    const { reason, code } = explain(error);
    log.warn({ reason, code }, 'a sign-in at the identity provider failed');
    return new OidcError(reason);
  }

  return {
    issuer,
    label: settings.label,
    async begin(isFresh) {
      try {
        const configuration = await discover();
        const verifier = client.randomPKCECodeVerifier();
        const [state, nonce] = [client.randomState(), client.randomNonce()];
        const offered = configuration.serverMetadata().scopes_supported ?? [];
        const scopes = ['openid', 'email', 'profile', settings.rolesClaim].filter(
          (scope) => scope !== settings.rolesClaim || offered.includes(scope),
        );
        const address = client.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: scopes.join(' '),
          state,
          nonce,
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          ...(isFresh ? { prompt: 'login', max_age: '0' } : {}),
        });
        return { address: address.href, checks: { state, nonce, verifier, startedAt: Date.now(), isFresh } };
      } catch (error) {
        throw failure(error);
      }
    },
    async finish(query, checks) {
      try {
        const configuration = await discover();
        const tokens = await client.authorizationCodeGrant(configuration, new URL(`${redirectUri}${query}`), {
          pkceCodeVerifier: checks.verifier,
          expectedState: checks.state,
          expectedNonce: checks.nonce,
          idTokenExpected: true,
          ...(checks.isFresh ? { maxAge: Math.ceil((Date.now() - checks.startedAt) / 1000) } : {}),
        });
        const claims = tokens.claims();
        // A multi-tenant provider signs for every tenant: refuse other issuers.
        if (!claims || withoutSlash(claims.iss) !== issuer) throw new OidcError('unverifiable');
        const more = configuration.serverMetadata().userinfo_endpoint
          ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : {};
        return toPerson(settings, claims, more);
      } catch (error) {
        throw failure(error);
      }
    },
  };
}

function toPerson(settings: OidcSettings, claims: client.IDToken, more: Record<string, unknown>): OidcPerson {
  const email = textOf(claims.email ?? more.email);
  const [firstName, ...rest] = textOf(claims.name ?? more.name).split(' ');
  const roles = texts(claims[settings.rolesClaim] ?? more[settings.rolesClaim]);
  const granted = new Set(
    settings.presets.filter(({ role }) => roles.includes(role)).flatMap(({ preset }) => capabilityPresets[preset]),
  );
  return {
    subject: claims.sub,
    email,
    // `email_verified` without an address in the same answer does not count.
    isEmailVerified:
      email !== '' && [claims, more].some((one) => textOf(one.email) === email && one.email_verified === true),
    firstName: textOf(claims.given_name ?? more.given_name) || (firstName ?? ''),
    lastName: textOf(claims.family_name ?? more.family_name) || rest.join(' '),
    capabilities: capabilityNames.filter((name) => granted.has(name)),
    signedInAt: claims.auth_time === undefined ? null : new Date(claims.auth_time * 1000),
    hasFactor:
      texts(claims.amr).some((method) => factorMethods.includes(method)) ||
      texts(claims.acr).some((context) => factorContexts.includes(context)),
  };
}

const providerFaults = ['server_error', 'temporarily_unavailable'];
const unreachableCode = /^OAUTH_(?:TIMEOUT|ABORT|RESPONSE_IS_NOT_CONFORM|RESPONSE_IS_NOT_JSON)$/;

/** The kind of failure and a short code for the log; messages may quote user input. */
function explain(error: unknown): { reason: OidcError['reason']; code: string } {
  const short = (code: unknown) => (typeof code === 'string' && /^\w{1,60}$/.test(code) ? code : 'unknown');
  if (error instanceof OidcError) return { reason: error.reason, code: 'issuer' };
  if (error instanceof client.AuthorizationResponseError) {
    return { reason: providerFaults.includes(error.error) ? 'unreachable' : 'denied', code: short(error.error) };
  }
  if (error instanceof client.ResponseBodyError) {
    return { reason: error.status >= 500 ? 'unreachable' : 'unverifiable', code: short(error.error) };
  }
  // `fetch` throws TypeError when it cannot connect.
  if (error instanceof TypeError) return { reason: 'unreachable', code: 'fetch' };
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const isAway = unreachableCode.test(String(code)) || (error instanceof Error && error.cause instanceof TypeError);
  return { reason: isAway ? 'unreachable' : 'unverifiable', code: short(code) };
}
