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
import { invalid, notFound, orNotFound } from '#src/lib/errors.ts';
import { isPassword } from '#src/lib/passwords.ts';
import { type Caller, sessionOf } from '#src/lib/route.ts';
import { hashToken, newToken, seal, unseal } from '#src/lib/secrets.ts';
import { confirmAtProvider, isRecent, noteFactorUsed, type Session } from '#src/lib/session.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';
import { requireOwnProof } from './access.service.ts';
import { withFactorLimits } from './auth.throttle.ts';
import * as queries from './factors.queries.ts';
import * as rules from './factors.rules.ts';
import { closeAccess, findAdminByEmail, notifyAccessChanged } from './staff.service.ts';

export type UsedFactor = 'totp' | 'passkey' | 'recovery';

const ceremonyMs = 5 * 60_000;
/** EdDSA, ES256, RS256. */
const supportedAlgorithmIDs = [-8, -7, -257];
const challengeBytes = 32;
const newChallenge = () => randomBytes(challengeBytes).toString('base64url');
const expired = () => invalid({ global: factorMessages.expired });
/** The hash names the session, so that no other can answer. */
const challengeHash = (token: string, session?: Session) => hashToken(session ? `${session.id} ${token}` : token);

/** Bound to the host of PUBLIC_URL. */
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

/** In a session, or at sign-in; undefined without factors. */
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

/** Null without passkeys. `takeKept` returns `kept`. */
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

/** @throws validation_failed when it is too late */
async function takeChallenge(trx: Trx, by: Parameters<typeof queries.useChallenge>[1]) {
  const taken = await queries.useChallenge(trx, by);
  if (!taken) throw expired();
  return taken;
}

/** @throws validation_failed when it is too late */
export async function takeKept(trx: Trx, adminId: number, token: string): Promise<string> {
  return (await takeChallenge(trx, { tokenHash: hashToken(token), purpose: 'sign', adminId })).challenge ?? '';
}

export interface PasskeySignature {
  origin: string;
  relyingParty: string;
  credentialId: string;
  publicKey: Buffer;
  clientData: string;
  authenticatorData: string;
  signature: string;
}

/** Against its passkey. */
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

export const hasPasskey = async (db: Database, adminId: number): Promise<boolean> =>
  (await queries.listFactors(db, adminId)).some(({ kind }) => kind === 'passkey');

/** @throws validation_failed */
export async function getSigningIn(db: Database, token: string): Promise<number> {
  const challenge = await queries.findChallenge(db, { tokenHash: hashToken(token), purpose: 'sign_in' });
  if (!challenge) throw expired();
  return challenge.adminId;
}

/** Marked as used; undefined when none signed `challenge`. */
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
      // Beside a password, keys without a PIN suffice.
      requireUserVerification: false,
    });
    if (!verified) return undefined;
    await queries.notePasskeyUse(trx, factor.id, authenticationInfo.newCounter);
    return factor;
  } catch (error) {
    // Wrong answers throw plain errors.
    if (error instanceof Error && !('code' in error)) return undefined;
    throw error;
  }
}

/** Undefined for a wrong answer. */
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
 * Once, with `then` in the same transaction. Failures are counted and journalled.
 * @throws validation_failed, too_many_requests
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

/** Of the application or a recovery code, outside sessions. @throws validation_failed on `code`, too_many_requests */
export async function useCode(deps: Deps, adminId: number, code: string): Promise<void> {
  const isRight = await withFactorLimits(deps, adminId, () =>
    deps.db.transaction().execute((trx) => useAnswer(trx, deps, { adminId, challenge: null }, { token: '', code })),
  );
  if (!isRight) throw invalid({ code: factorMessages.wrongCode });
}

/* Step-up */

/** @throws not_found without any factor */
export async function startStepUp(trx: Trx, deps: Deps, caller: Caller): Promise<FactorPrompt> {
  const session = sessionOf(caller);
  return orNotFound(await askFactor(trx, deps, session.adminId, session));
}

export async function stepUp(deps: Deps, caller: Caller, answer: FactorAnswer): Promise<void> {
  const session = sessionOf(caller);
  const by = { adminId: session.adminId, session };
  await useFactor(deps, caller, by, answer, async (trx) => void (await noteFactorUsed(trx, session.id)));
}

/* Own factors */

/** Where factors are required, the password alone adds none. */
const needsMailCode = (session: Session) =>
  !session.hasFactor && !session.provider?.hasFactor && session.factorPolicy !== 'optional';

export async function describeSecurity(db: Database, caller: Caller) {
  const session = sessionOf(caller);
  const factors = await queries.listFactors(db, session.adminId);
  return {
    policy: session.factorPolicy,
    factors: factors.map(({ id, kind, name, createdAt, lastUsedAt }) =>
      toWireRow({ id, kind, name, createdAt, lastUsedAt }),
    ),
    recoveryCodesLeft: await queries.countRecoveryCodes(db, session.adminId),
    firstFactor: session.hasFactor
      ? null
      : { needsMailCode: needsMailCode(session), needsPassword: session.provider === undefined },
  };
}

/**
 * The first factor needs the password, or the provider again, and the mailed code where factors are required; later
 * ones a used factor (`stepUp`).
 */
async function checkFirstFactor(deps: Deps, caller: Caller, given: z.output<typeof AddFactorStart>): Promise<void> {
  const session = sessionOf(caller);
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
 * Admins of a provider sign in there again. A call without password needs a recent sign-in or factor.
 * @throws validation_failed on `field`, too_many_requests; forbidden
 */
export async function checkOwnPassword(
  deps: Deps,
  caller: Caller,
  password: string | undefined,
  field = 'presentPassword',
): Promise<void> {
  const { adminId, email, provider, signedInAt, factorAt } = sessionOf(caller);
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

/** Salted with the admin: two may get the same code. */
export const mailCodeHash = (adminId: number, code: string): Buffer =>
  hashToken(`mail code ${adminId} ${rules.normalCode(code)}`);

type Adding = { purpose: 'add_totp'; totpSecret: Buffer } | { purpose: 'add_passkey'; challenge: string };

/** @returns the token that ends it */
async function startAdding(deps: Deps, caller: Caller, given: z.output<typeof AddFactorStart>, adding: Adding) {
  await checkFirstFactor(deps, caller, given);
  const session = sessionOf(caller);
  const token = newToken();
  const challenge = { tokenHash: challengeHash(token, session), adminId: session.adminId, ...adding };
  await deps.db.transaction().execute((trx) => queries.insertChallenge(trx, challenge));
  return token;
}

const takeAdding = (trx: Trx, session: Session, token: string, purpose: Adding['purpose']) =>
  takeChallenge(trx, { tokenHash: challengeHash(token, session), purpose, adminId: session.adminId });

/** @throws validation_failed, too_many_requests */
export async function startTotp(deps: Deps, caller: Caller, given: z.output<typeof AddFactorStart>) {
  const { email } = sessionOf(caller);
  const { house } = await readSettings(deps.db);
  const bytes = rules.newTotpSecret();
  const totpSecret = seal(deps.cookies.secret, 'totp', bytes);
  const token = await startAdding(deps, caller, given, { purpose: 'add_totp', totpSecret });
  return { token, ...rules.describeTotp(bytes, { email, house: house.name }) };
}

/** @throws validation_failed */
export async function addTotp(
  trx: Trx,
  deps: Deps,
  caller: Caller,
  form: z.output<typeof AddTotp>,
): Promise<{ recoveryCodes: string[] }> {
  const { adminId, totpSecret } = await takeAdding(trx, sessionOf(caller), form.token, 'add_totp');
  const secret = totpSecret && unseal(deps.cookies.secret, 'totp', totpSecret);
  if (!totpSecret || !secret) throw expired();
  const step = rules.findTotpStep(secret, rules.normalCode(form.code));
  if (step === undefined) throw invalid({ code: factorMessages.wrongCode });
  await queries.insertFactor(trx, { kind: 'totp', adminId, name: form.name, totpSecret, lastStep: step });
  return finishAdding(trx, caller, form.name);
}

/** @throws validation_failed, too_many_requests */
export async function startPasskey(deps: Deps, caller: Caller, given: z.output<typeof AddFactorStart>) {
  const { adminId, email, fname, lname } = sessionOf(caller);
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

/** @throws validation_failed */
export async function addPasskey(
  trx: Trx,
  deps: Deps,
  caller: Caller,
  form: z.output<typeof AddPasskey>,
): Promise<{ recoveryCodes: string[] }> {
  const { adminId, challenge } = await takeAdding(trx, sessionOf(caller), form.token, 'add_passkey');
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

/** The first factor brings recovery codes; its session counts as having used it. */
async function finishAdding(trx: Trx, caller: Caller, name: string): Promise<{ recoveryCodes: string[] }> {
  const { id: sessionId, adminId } = sessionOf(caller);
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
  const { id: exceptSessionId, adminId } = sessionOf(caller);
  await requireOwnProof(trx, caller);
  await closeAccess(trx, adminId, { exceptSessionId });
  await notifyAccessChanged(trx, caller, adminId, change);
  await writeAudit(trx, caller, { ...entry, entityId: adminId });
}

export async function removeFactor(trx: Trx, caller: Caller, id: number): Promise<void> {
  const { adminId } = sessionOf(caller);
  const [name] = await queries.removeFactors(trx, adminId, id);
  if (name === undefined) throw notFound();
  if ((await queries.listFactors(trx, adminId)).length === 0) await queries.replaceRecoveryCodes(trx, adminId, []);
  await afterFactorChange(trx, caller, {
    action: 'admin.remove_factor',
    change: `Le second facteur «\u00a0${name}\u00a0» a été retiré de votre compte.`,
    before: { factor: name },
  });
}

/** Returns their names. */
export async function removeAllFactors(trx: Trx, adminId: number): Promise<string[]> {
  await queries.replaceRecoveryCodes(trx, adminId, []);
  return queries.removeFactors(trx, adminId);
}

/** @throws not_found without any factor */
export async function renewRecoveryCodes(trx: Trx, caller: Caller): Promise<{ recoveryCodes: string[] }> {
  const { adminId } = sessionOf(caller);
  if ((await queries.listFactors(trx, adminId)).length === 0) throw notFound();
  const recoveryCodes = rules.newRecoveryCodes();
  await queries.replaceRecoveryCodes(trx, adminId, recoveryCodes);
  await afterFactorChange(trx, caller, {
    action: 'admin.renew_recovery_codes',
    change: 'De nouveaux codes de secours remplacent les anciens.',
  });
  return { recoveryCodes };
}
