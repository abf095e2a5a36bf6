import { randomBytes } from 'node:crypto';
import {
  type AddFactorStart,
  type AddPasskey,
  type AddTotp,
  type FactorAnswer,
  type FactorPrompt,
  factorMessages,
  type PasskeyAssertion,
  type PasskeyRequest,
} from '@regie/contract/second-factors.ts';
import type { z } from '@regie/contract/zod.ts';
import {
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { type AuditEntry, writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import type { Deps } from '#src/lib/deps.ts';
import { AppError, invalid, notFound } from '#src/lib/errors.ts';
import { isPassword } from '#src/lib/passwords.ts';
import type { Caller } from '#src/lib/route.ts';
import { hashToken, newToken, seal, unseal } from '#src/lib/secrets.ts';
import { confirmAtProvider, isRecent, noteFactorUsed, type Session } from '#src/lib/session.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';
import { requireOwnProof } from './access.service.ts';
import { withFactorLimits } from './auth.throttle.ts';
import * as queries from './factors.queries.ts';
import * as rules from './factors.rules.ts';
import { closeAccess, findAdminByEmail, notifyAccessChanged } from './staff.service.ts';

type Db = Database | Trx;
export type UsedFactor = 'totp' | 'passkey' | 'recovery';

const ceremonyMs = 5 * 60_000;
/** EdDSA, ES256, RS256: what current browsers and keys use. */
const supportedAlgorithmIDs = [-8, -7, -257];
const challengeBytes = 32;
const newChallenge = () => randomBytes(challengeBytes).toString('base64url');
const expired = () => invalid({ global: factorMessages.expired });
/** What is asked in a session is stored under a hash that names it, so that no other session can answer. */
const challengeHash = (token: string, session?: Session) => hashToken(session ? `${session.id} ${token}` : token);

/** Passkeys are bound to the host of PUBLIC_URL. */
export function relyingParty({ publicUrl }: Pick<Deps, 'publicUrl'>) {
  const { hostname, origin } = new URL(publicUrl);
  return { id: hostname, origin };
}

function toPasskeyRequest(
  deps: Deps,
  factors: readonly queries.FactorRow[],
  challenge: string,
): PasskeyRequest | undefined {
  const allowCredentials = factors.flatMap(({ credentialId, transports }) =>
    credentialId === null ? [] : [{ id: credentialId, type: 'public-key' as const, transports }],
  );
  if (allowCredentials.length === 0) return undefined;
  const { id: rpId } = relyingParty(deps);
  return { challenge, rpId, timeout: ceremonyMs, userVerification: 'preferred', allowCredentials };
}

/**
 * Starts a challenge for one of the admin's factors: in a session, or at sign-in; undefined when they have none.
 */
export async function askFactor(
  trx: Trx,
  deps: Deps,
  adminId: number,
  session?: Session,
): Promise<FactorPrompt | undefined> {
  const factors = await queries.listFactors(trx, adminId);
  if (factors.length === 0) return undefined;
  const challenge = newChallenge();
  const token = newToken();
  const purpose = session ? 'step_up' : 'sign_in';
  await queries.insertChallenge(trx, { tokenHash: challengeHash(token, session), adminId, purpose, challenge });
  return {
    token,
    totp: factors.some(({ kind }) => kind === 'totp'),
    recovery: (await queries.countRecoveryCodes(trx, adminId)) > 0,
    passkey: toPasskeyRequest(deps, factors, challenge) ?? null,
  };
}

/**
 * Asks an admin to sign `challenge` with a passkey; null when they have none. `kept` is returned by `takeKept`.
 */
export async function askPasskey(
  trx: Trx,
  deps: Deps,
  { adminId, challenge, kept }: { adminId: number; challenge: string; kept: string },
): Promise<{ token: string; passkey: PasskeyRequest } | null> {
  const passkey = toPasskeyRequest(deps, await queries.listFactors(trx, adminId), challenge);
  if (!passkey) return null;
  const token = newToken();
  await queries.insertChallenge(trx, { tokenHash: hashToken(token), adminId, purpose: 'sign', challenge: kept });
  return { token, passkey };
}

/** Ends a challenge and returns what it stored. @throws AppError validation_failed when it is too late */
async function takeChallenge(trx: Trx, by: Parameters<typeof queries.useChallenge>[1]) {
  const taken = await queries.useChallenge(trx, by);
  if (!taken) throw expired();
  return taken;
}

/** What `askPasskey` kept for the admin. @throws AppError validation_failed when it is too late */
export async function takeKept(trx: Trx, adminId: number, token: string): Promise<string> {
  return (await takeChallenge(trx, { tokenHash: hashToken(token), purpose: 'sign', adminId })).challenge ?? '';
}

/** A stored signature, with the passkey's public key. */
export interface PasskeySignature {
  origin: string;
  relyingParty: string;
  credentialId: string;
  publicKey: Buffer;
  clientData: string;
  authenticatorData: string;
  signature: string;
}

/** Verifies a stored signature of a challenge against its passkey. */
export async function checkPasskeySignature(kept: PasskeySignature & { challenge: string }): Promise<boolean> {
  const { credentialId: id, clientData: clientDataJSON, authenticatorData, signature } = kept;
  const checked = await verifyAuthenticationResponse({
    response: {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON, authenticatorData, signature },
    },
    expectedChallenge: kept.challenge,
    expectedOrigin: kept.origin,
    expectedRPID: kept.relyingParty,
    credential: { id, publicKey: Uint8Array.from(kept.publicKey), counter: 0 },
    requireUserVerification: false,
  }).catch(() => undefined);
  return checked?.verified === true;
}

export const hasPasskey = async (db: Db, adminId: number): Promise<boolean> =>
  (await queries.listFactors(db, adminId)).some(({ kind }) => kind === 'passkey');

/** The admin of a sign-in token. @throws AppError validation_failed when it is unknown or expired */
export async function getSigningIn(db: Db, token: string): Promise<number> {
  const challenge = await queries.findChallenge(db, { tokenHash: hashToken(token), purpose: 'sign_in' });
  if (!challenge) throw expired();
  return challenge.adminId;
}

/** The admin's passkey that signed `challenge`, marked as used; undefined when none did. */
export async function usePasskey(
  trx: Trx,
  deps: Deps,
  expected: { adminId: number; challenge: string },
  assertion: PasskeyAssertion,
): Promise<queries.FactorRow | undefined> {
  const factor = (await queries.listFactors(trx, expected.adminId)).find((row) => row.credentialId === assertion.id);
  if (!factor?.credentialId || !factor.publicKey) return undefined;
  const { id: expectedRPID, origin: expectedOrigin } = relyingParty(deps);
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: assertion,
      expectedChallenge: expected.challenge,
      expectedOrigin,
      expectedRPID,
      credential: {
        id: factor.credentialId,
        publicKey: Uint8Array.from(factor.publicKey),
        counter: factor.signCount,
      },
      // Used in addition to a password, so keys without a PIN are accepted.
      requireUserVerification: false,
    });
    if (!verified) return undefined;
    await queries.notePasskeyUse(trx, factor.id, authenticationInfo.newCounter);
    return factor;
  } catch (error) {
    // The library throws plain errors for wrong answers.
    if (error instanceof Error && !('code' in error)) return undefined;
    throw error;
  }
}

/** Uses the factor of an answer; undefined when the answer is wrong. */
async function useAnswer(
  trx: Trx,
  deps: Deps,
  { adminId, challenge }: Pick<queries.ChallengeRow, 'adminId' | 'challenge'>,
  answer: FactorAnswer,
): Promise<UsedFactor | undefined> {
  if (answer.passkey) {
    if (challenge === null) return undefined;
    return (await usePasskey(trx, deps, { adminId, challenge }, answer.passkey)) && 'passkey';
  }
  const code = rules.normalCode(answer.code ?? '');
  if (!/^\d{6}$/.test(code)) return (await queries.useRecoveryCode(trx, adminId, code)) ? 'recovery' : undefined;
  for (const { id, totpSecret } of await queries.listFactors(trx, adminId)) {
    const secret = totpSecret && unseal(deps.cookies.secret, 'totp', totpSecret);
    const step = secret ? rules.findTotpStep(secret, code) : undefined;
    if (step !== undefined && (await queries.useTotpStep(trx, id, step))) return 'totp';
  }
  return undefined;
}

/**
 * Uses a factor for a token's challenge, once, and runs `then` in the same transaction. Failures are counted and
 * journalled.
 * @throws AppError validation_failed, too_many_requests with Retry-After
 */
export async function useFactor(
  deps: Deps,
  caller: Caller,
  by: { adminId: number; session?: Session },
  answer: FactorAnswer,
  then: (trx: Trx, used: UsedFactor) => Promise<void>,
): Promise<void> {
  const named = {
    tokenHash: challengeHash(answer.token, by.session),
    adminId: by.adminId,
    purpose: by.session ? ('step_up' as const) : ('sign_in' as const),
  };
  const used = await withFactorLimits(deps, by.adminId, () =>
    deps.db.transaction().execute(async (trx) => {
      const challenge = await queries.findChallenge(trx, named);
      if (!challenge) throw expired();
      const factor = await useAnswer(trx, deps, challenge, answer);
      if (factor === undefined) return undefined;
      if (!(await queries.useChallenge(trx, named))) throw expired();
      if (factor === 'recovery') {
        await notifyAccessChanged(
          trx,
          { ...caller, adminId: by.adminId },
          by.adminId,
          'Un de vos codes de secours a servi.',
        );
      }
      await then(trx, factor);
      return factor;
    }),
  );
  if (used !== undefined) return;
  await journal(deps, { ...caller, adminId: by.adminId }, 'auth.factor_failed');
  throw invalid(answer.passkey ? { global: factorMessages.wrongPasskey } : { code: factorMessages.wrongCode });
}

async function journal(deps: Deps, caller: Caller, action: AuditEntry['action']): Promise<void> {
  const entry = { action, entityId: caller.adminId };
  await deps.db.transaction().execute((trx) => writeAudit(trx, caller, entry));
}

export const listFactors = queries.listFactors;

/**
 * Uses a code of the admin's application, or a recovery code, outside any session.
 * @throws AppError validation_failed on `code`, too_many_requests
 */
export async function useCode(deps: Deps, adminId: number, code: string): Promise<void> {
  const isRight = await withFactorLimits(deps, adminId, () =>
    deps.db.transaction().execute((trx) => useAnswer(trx, deps, { adminId, challenge: null }, { token: '', code })),
  );
  if (!isRight) throw invalid({ code: factorMessages.wrongCode });
}

/** The signed-in admin. @throws AppError unauthorized */
function getSession(caller: Caller): Session {
  if (!caller.session) throw new AppError('unauthorized');
  return caller.session;
}

/* Step-up */

/** @throws AppError not_found without any factor */
export async function startStepUp(trx: Trx, deps: Deps, caller: Caller): Promise<FactorPrompt> {
  const session = getSession(caller);
  const prompt = await askFactor(trx, deps, session.adminId, session);
  if (!prompt) throw notFound();
  return prompt;
}

export async function stepUp(deps: Deps, caller: Caller, answer: FactorAnswer): Promise<void> {
  const session = getSession(caller);
  const by = { adminId: session.adminId, session };
  await useFactor(deps, caller, by, answer, (trx) => noteFactorUsed(trx, session.id));
}

/* Own factors */

/** When a factor is required, adding the first one needs a mailed code, so that the password alone does not suffice. */
const needsMailCode = (session: Session) =>
  !session.hasFactor && !session.provider?.hasFactor && session.factorPolicy !== 'optional';

export async function describeSecurity(db: Db, caller: Caller) {
  const session = getSession(caller);
  const factors = await queries.listFactors(db, session.adminId);
  return {
    policy: session.factorPolicy,
    factors: factors.map(({ id, kind, name, createdAt, lastUsedAt }) => ({
      id,
      kind,
      name,
      createdAt: createdAt.getTime(),
      lastUsedAt: lastUsedAt?.getTime() ?? null,
    })),
    recoveryCodesLeft: await queries.countRecoveryCodes(db, session.adminId),
    firstFactor: session.hasFactor
      ? null
      : { needsMailCode: needsMailCode(session), needsPassword: session.provider === undefined },
  };
}

/**
 * Admins without a factor confirm with their password, or at the provider again, plus the mailed code when a factor is
 * required. Others have just used a factor (`stepUp`).
 */
async function checkFirstFactor(deps: Deps, caller: Caller, given: z.output<typeof AddFactorStart>): Promise<void> {
  const session = getSession(caller);
  if (session.hasFactor) return;
  if (!session.provider && !given.password) throw invalid({ password: factorMessages.presentPassword });
  if (needsMailCode(session) && !given.mailCode) throw invalid({ mailCode: factorMessages.mailCodeRequired });
  await checkOwnPassword(deps, caller, given.password ?? '', 'password');
  if (!needsMailCode(session)) return;
  const named = { tokenHash: mailCodeHash(session.adminId, given.mailCode ?? ''), purpose: 'mail_code' as const };
  const isRight = await withFactorLimits(deps, session.adminId, () => queries.findChallenge(deps.db, named));
  if (!isRight) throw invalid({ mailCode: factorMessages.wrongMailCode });
}

/**
 * Admins of the provider have no password: they sign in there again. A call that omits the password needs a recent
 * sign-in or second factor instead.
 * @throws AppError validation_failed on `field` for a wrong or missing password, too_many_requests; forbidden
 */
export async function checkOwnPassword(
  deps: Deps,
  caller: Caller,
  password: string | undefined,
  field = 'presentPassword',
): Promise<void> {
  const { adminId, email, provider, signedInAt, factorAt } = getSession(caller);
  if (provider) {
    if (!isRecent(provider.confirmedAt)) throw confirmAtProvider();
    return;
  }
  if (password === undefined && (isRecent(signedInAt) || isRecent(factorAt))) return;
  if (!password) throw invalid({ [field]: factorMessages.presentPassword });
  const isRight = await withFactorLimits(deps, adminId, async () => {
    const admin = await findAdminByEmail(deps.db, email);
    return (await isPassword(admin?.passwordHash, password)) || undefined;
  });
  if (!isRight) throw invalid({ [field]: factorMessages.wrongPassword });
}

/** The stored hash of a mailed code, salted with the admin because two may get the same code. */
export const mailCodeHash = (adminId: number, code: string): Buffer =>
  hashToken(`mail code ${adminId} ${rules.normalCode(code)}`);

type Adding = { purpose: 'add_totp'; totpSecret: Buffer } | { purpose: 'add_passkey'; challenge: string };

/** Begins to add a factor in the caller's session. @returns the token that ends it */
async function startAdding(deps: Deps, caller: Caller, given: z.output<typeof AddFactorStart>, adding: Adding) {
  await checkFirstFactor(deps, caller, given);
  const session = getSession(caller);
  const token = newToken();
  const challenge = { tokenHash: challengeHash(token, session), adminId: session.adminId, ...adding };
  await deps.db.transaction().execute((trx) => queries.insertChallenge(trx, challenge));
  return token;
}

const takeAdding = (trx: Trx, session: Session, token: string, purpose: Adding['purpose']) =>
  takeChallenge(trx, { tokenHash: challengeHash(token, session), purpose, adminId: session.adminId });

/** @throws AppError validation_failed, too_many_requests */
export async function startTotp(deps: Deps, caller: Caller, given: z.output<typeof AddFactorStart>) {
  const { email } = getSession(caller);
  const { house } = await readSettings(deps.db);
  const bytes = rules.newTotpSecret();
  const totpSecret = seal(deps.cookies.secret, 'totp', bytes);
  const token = await startAdding(deps, caller, given, { purpose: 'add_totp', totpSecret });
  return { token, ...rules.describeTotp(bytes, { email, house: house.name }) };
}

/** @throws AppError validation_failed */
export async function addTotp(
  trx: Trx,
  deps: Deps,
  caller: Caller,
  form: z.output<typeof AddTotp>,
): Promise<{ recoveryCodes: string[] }> {
  const { adminId, totpSecret } = await takeAdding(trx, getSession(caller), form.token, 'add_totp');
  const secret = totpSecret && unseal(deps.cookies.secret, 'totp', totpSecret);
  if (!totpSecret || !secret) throw expired();
  const step = rules.findTotpStep(secret, rules.normalCode(form.code));
  if (step === undefined) throw invalid({ code: factorMessages.wrongCode });
  await queries.insertFactor(trx, { kind: 'totp', adminId, name: form.name, totpSecret, lastStep: step });
  return finishAdding(trx, caller, form.name);
}

/** @throws AppError validation_failed, too_many_requests */
export async function startPasskey(deps: Deps, caller: Caller, given: z.output<typeof AddFactorStart>) {
  const { adminId, email, fname, lname } = getSession(caller);
  const [{ house }, factors] = await Promise.all([readSettings(deps.db), queries.listFactors(deps.db, adminId)]);
  const { rp, user, pubKeyCredParams, challenge } = await generateRegistrationOptions({
    rpName: house.name,
    rpID: relyingParty(deps).id,
    supportedAlgorithmIDs,
    userID: Uint8Array.from(Buffer.from(`admin ${adminId}`)),
    userName: email,
    userDisplayName: `${fname} ${lname}`,
  });
  return {
    token: await startAdding(deps, caller, given, { purpose: 'add_passkey', challenge }),
    options: {
      challenge,
      rp: { name: rp.name, id: relyingParty(deps).id },
      user,
      pubKeyCredParams,
      timeout: ceremonyMs,
      excludeCredentials: toPasskeyRequest(deps, factors, challenge)?.allowCredentials ?? [],
      authenticatorSelection: { residentKey: 'preferred' as const, userVerification: 'preferred' as const },
    },
  };
}

/** @throws AppError validation_failed */
export async function addPasskey(
  trx: Trx,
  deps: Deps,
  caller: Caller,
  form: z.output<typeof AddPasskey>,
): Promise<{ recoveryCodes: string[] }> {
  const { adminId, challenge } = await takeAdding(trx, getSession(caller), form.token, 'add_passkey');
  const { id: expectedRPID, origin: expectedOrigin } = relyingParty(deps);
  const registration = await verifyRegistrationResponse({
    response: form.passkey,
    expectedChallenge: challenge ?? '',
    expectedOrigin,
    expectedRPID,
    requireUserVerification: false,
    supportedAlgorithmIDs,
  }).catch(() => undefined);
  if (!registration?.verified) throw invalid({ global: factorMessages.wrongPasskey });
  const { credential } = registration.registrationInfo;
  if (await queries.isCredentialKnown(trx, credential.id)) throw invalid({ global: factorMessages.wrongPasskey });
  await queries.insertFactor(trx, {
    kind: 'passkey',
    adminId,
    name: form.name,
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey),
    signCount: credential.counter,
    transports: form.passkey.response.transports ?? [],
  });
  return finishAdding(trx, caller, form.name);
}

/** Creates recovery codes with the first factor; its session counts as having used it. */
async function finishAdding(trx: Trx, caller: Caller, name: string): Promise<{ recoveryCodes: string[] }> {
  const { id: sessionId, adminId } = getSession(caller);
  const isFirst = (await queries.listFactors(trx, adminId)).length === 1;
  const recoveryCodes = isFirst ? rules.newRecoveryCodes() : [];
  if (isFirst) await queries.replaceRecoveryCodes(trx, adminId, recoveryCodes);
  await noteFactorUsed(trx, sessionId);
  await afterFactorChange(trx, caller, {
    action: 'admin.add_factor',
    change: `Le second facteur «\u00a0${name}\u00a0» a été ajouté à votre compte.`,
    after: { factor: name },
  });
  return { recoveryCodes };
}

async function afterFactorChange(
  trx: Trx,
  caller: Caller,
  { change, ...entry }: Pick<AuditEntry, 'action' | 'before' | 'after'> & { change: string },
): Promise<void> {
  const { id: exceptSessionId, adminId } = getSession(caller);
  await requireOwnProof(trx, caller);
  await closeAccess(trx, adminId, { exceptSessionId });
  await notifyAccessChanged(trx, caller, adminId, change);
  await writeAudit(trx, caller, { ...entry, entityId: adminId });
}

/** @throws AppError not_found */
export async function removeFactor(trx: Trx, caller: Caller, id: number): Promise<void> {
  const { adminId } = getSession(caller);
  const [name] = await queries.removeFactors(trx, adminId, id);
  if (name === undefined) throw notFound();
  if ((await queries.listFactors(trx, adminId)).length === 0) await queries.replaceRecoveryCodes(trx, adminId, []);
  await afterFactorChange(trx, caller, {
    action: 'admin.remove_factor',
    change: `Le second facteur «\u00a0${name}\u00a0» a été retiré de votre compte.`,
    before: { factor: name },
  });
}

/** Removes all factors and recovery codes of an admin; returns the factors' names. */
export async function removeAllFactors(trx: Trx, adminId: number): Promise<string[]> {
  await queries.replaceRecoveryCodes(trx, adminId, []);
  return queries.removeFactors(trx, adminId);
}

/** @throws AppError not_found without any factor */
export async function renewRecoveryCodes(trx: Trx, caller: Caller): Promise<{ recoveryCodes: string[] }> {
  const { adminId } = getSession(caller);
  if ((await queries.listFactors(trx, adminId)).length === 0) throw notFound();
  const recoveryCodes = rules.newRecoveryCodes();
  await queries.replaceRecoveryCodes(trx, adminId, recoveryCodes);
  await afterFactorChange(trx, caller, {
    action: 'admin.renew_recovery_codes',
    change: 'De nouveaux codes de secours remplacent les anciens.',
  });
  return { recoveryCodes };
}
