import type { ProviderFailure } from '@regie/contract/identity-provider.ts';
import { Email } from '@regie/contract/routes/auth.ts';
import { safeOrigin } from '@regie/contract/safe-origin.ts';
import { type FactorPrompt, factorMessages } from '@regie/contract/second-factors.ts';
import { writeAudit } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import type { Deps } from '#src/lib/deps.ts';
import { AppError, invalid, notFound } from '#src/lib/errors.ts';
import { type Oidc, OidcError, type OidcPerson } from '#src/lib/oidc.ts';
import { noteFactorUsed, noteProviderConfirmation } from '#src/lib/session.ts';
import { type Call, describeDeviceOf, enter, isFromOtherSite, refuseOtherSites } from './auth.service.ts';
import { mayJournalFailure } from './auth.throttle.ts';
import { listFactors } from './factors.queries.ts';
import { askFactor } from './factors.service.ts';
import { addFromProvider, closeRoleless, findPerson, followProvider, linkIdentity } from './identities.service.ts';
import { attemptCookie, entryCookie } from './provider-cookies.ts';

/** @throws not_found without a provider */
function getOidc({ oidc }: Deps): Oidc {
  if (!oidc) throw notFound();
  return oidc;
}

const signInPage = '/signin';
const confirmedPage = '/account/security';
const addressWith = (path: string, query: Record<string, string>) => `${path}?${new URLSearchParams(query)}`;

/** Links from other sites lead to our page: the provider might sign in a user who did not ask. */
export async function startSignIn(call: Call, origin: string | undefined): Promise<string> {
  if (isFromOtherSite(call.request)) return addressWith(signInPage, { origin: safeOrigin(origin) });
  return begin(call, { origin: safeOrigin(origin), sessionId: null });
}

/** Confirms a signed-in admin by a new sign-in. @throws forbidden from another site, or for a session of no provider */
export function startConfirmation(call: Call, origin: string | undefined): Promise<string> {
  refuseOtherSites(call.request);
  const { session } = call.caller;
  if (!session?.provider) throw new AppError('forbidden');
  return begin(call, { origin: safeOrigin(origin), sessionId: session.id });
}

async function begin(call: Call, to: { origin: string; sessionId: number | null }): Promise<string> {
  const { deps, reply } = call;
  try {
    const { address, checks } = await getOidc(deps).begin(to.sessionId !== null);
    attemptCookie.set(deps.cookies, reply, { checks, ...to });
    return address;
  } catch (error) {
    if (error instanceof OidcError) return fail(call, error.reason, to);
    throw error;
  }
}

/** The address after the provider's answer. */
export async function finishSignIn(call: Call): Promise<string> {
  const { deps, request, reply } = call;
  const oidc = getOidc(deps);
  const attempt = attemptCookie.read(deps.cookies, request);
  // Each answer is accepted once.
  attemptCookie.clear(deps.cookies, reply);
  const query = new URL(request.url, deps.publicUrl).search;
  if (!attempt || new URLSearchParams(query).get('state') !== attempt.checks.state) {
    return fail(call, 'expired', attempt);
  }
  let person: OidcPerson;
  try {
    person = await oidc.finish(query, attempt.checks);
  } catch (error) {
    if (error instanceof OidcError) return fail(call, error.reason, attempt);
    throw error;
  }
  if (!person.isEmailVerified || !Email.safeParse(person.email).success) {
    return fail(call, 'email_unverified', attempt);
  }
  return attempt.sessionId === null ? enterAs(call, oidc, person, attempt) : confirm(call, oidc, person, attempt);
}

/** Kept even when the sign-in fails: sessions of an admin without a role end. */
function enterAs(call: Call, oidc: Oidc, person: OidcPerson, attempt: { origin: string }): Promise<string> {
  const { deps, caller, reply } = call;
  const system = { ...caller, adminId: null };
  return deps.db.transaction().execute(async (trx) => {
    const found = await findPerson(trx, oidc, person);
    if (found.kind === 'refused') return failIn(trx, call, found.failure, attempt);
    if (person.capabilities.length === 0) {
      if (found.kind === 'linked') await closeRoleless(trx, system, found.adminId);
      return failIn(trx, call, 'no_role', attempt, found.kind === 'unknown' ? null : found.adminId);
    }
    const signedInAt = person.signedInAt?.getTime() ?? null;
    if (found.kind === 'unknown') {
      const adminId = await addFromProvider(trx, system, oidc, person);
      await enter(call, trx, adminId, { provider: { ...person, signedInAt } });
      return attempt.origin;
    }
    const { adminId } = found;
    const hasOwnFactor = (await listFactors(trx, adminId)).length > 0;
    // The provider's factor counts for linked admins; it does not link an admin who has a factor here.
    if (hasOwnFactor && (found.kind === 'linkable' || !person.hasFactor)) {
      const { subject, capabilities, hasFactor } = person;
      entryCookie.set(deps.cookies, reply, { adminId, subject, capabilities, signedInAt, hasFactor });
      return addressWith(signInPage, { second: 'oui', origin: attempt.origin });
    }
    if (found.kind === 'linkable') await linkIdentity(trx, system, oidc, { adminId, subject: person.subject });
    await followProvider(trx, system, adminId, person.capabilities);
    await enter(call, trx, adminId, { provider: { ...person, signedInAt: hasOwnFactor ? null : signedInAt } });
    return attempt.origin;
  });
}

/** @throws validation_failed */
export function askEntryFactor({ deps, request, reply }: Call): Promise<FactorPrompt> {
  const entry = entryCookie.read(deps.cookies, request);
  const expired = () => invalid({ global: factorMessages.expired });
  if (!entry) throw expired();
  return deps.db.transaction().execute(async (trx) => {
    const prompt = await askFactor(trx, deps, entry.adminId);
    if (!prompt) throw expired();
    entryCookie.set(deps.cookies, reply, { ...entry, token: prompt.token });
    return prompt;
  });
}

function confirm(
  call: Call,
  oidc: Oidc,
  person: OidcPerson,
  attempt: { origin: string; sessionId: number | null },
): Promise<string> {
  const { deps, caller } = call;
  const { session } = caller;
  return deps.db.transaction().execute(async (trx) => {
    const found = await findPerson(trx, oidc, person);
    if (session?.id !== attempt.sessionId) return failIn(trx, call, 'expired', attempt);
    if (!session || found.kind !== 'linked' || found.adminId !== session.adminId) {
      return failIn(trx, call, 'other_person', attempt);
    }
    const { adminId, id } = session;
    const system = { ...caller, adminId: null };
    if (person.capabilities.length === 0) {
      await closeRoleless(trx, system, adminId);
      return failIn(trx, call, 'no_role', { ...attempt, sessionId: null }, adminId);
    }
    await followProvider(trx, system, adminId, person.capabilities, id);
    const { hasFactor } = person;
    await noteProviderConfirmation(trx, id, { signedInAt: person.signedInAt ?? new Date(0), hasFactor });
    // Who has a factor here must use it.
    if (hasFactor && !session.hasFactor) await noteFactorUsed(trx, id, false);
    await writeAudit(trx, caller, {
      action: 'auth.confirm_identity',
      entityId: adminId,
      after: { ...describeDeviceOf(call.request), hasFactor },
    });
    return attempt.origin;
  });
}

type Attempt = { origin: string; sessionId?: number | null } | undefined;

async function fail(call: Call, failure: ProviderFailure, attempt: Attempt): Promise<string> {
  if (!(await mayJournalFailure(call.deps, call.request.ip))) return failedAddress(failure, attempt);
  return call.deps.db.transaction().execute((trx) => failIn(trx, call, failure, attempt));
}

async function failIn(
  trx: Trx,
  { caller, request }: Call,
  failure: ProviderFailure,
  attempt: Attempt,
  adminId: number | null = null,
): Promise<string> {
  const isConfirmation = isOfSession(attempt);
  await writeAudit(
    trx,
    { ...caller, adminId: isConfirmation ? caller.adminId : null },
    {
      action: 'auth.signin_failed',
      entityId: isConfirmation ? caller.adminId : adminId,
      after: { provider: failure, ...describeDeviceOf(request) },
    },
  );
  return failedAddress(failure, attempt);
}

const isOfSession = (attempt: Attempt) => typeof attempt?.sessionId === 'number';

function failedAddress(failure: ProviderFailure, attempt: Attempt): string {
  return isOfSession(attempt)
    ? addressWith(confirmedPage, { failure })
    : addressWith(signInPage, { failure, ...(attempt ? { origin: attempt.origin } : {}) });
}
