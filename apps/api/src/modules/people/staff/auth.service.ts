import { capabilityNames } from '@regie/contract/capabilities.ts';
import { providerMessages } from '@regie/contract/identity-provider.ts';
import { fillLetter } from '@regie/contract/letters.ts';
import { messages } from '@regie/contract/messages.ts';
import type { OwnPassword, ResetAction, SignIn, SignUp } from '@regie/contract/routes/auth.ts';
import { type FactorAnswer, type FactorPrompt, factorMessages } from '@regie/contract/second-factors.ts';
import { signatureMessages } from '@regie/contract/signatures.ts';
import type { z } from '@regie/contract/zod.ts';
import { monthToMs } from '@regie/values/month.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parisTime, writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import type { Deps } from '#src/lib/deps.ts';
import { describeDevice } from '#src/lib/device.ts';
import { AppError, conflict, invalid, orNotFound } from '#src/lib/errors.ts';
import { enqueue } from '#src/lib/jobs.ts';
import { findKnownDevice, rememberDevice } from '#src/lib/known-device.ts';
import { hashPassword, isPassword } from '#src/lib/passwords.ts';
import { type Caller, sessionOf } from '#src/lib/route.ts';
import { hashToken, sign } from '#src/lib/secrets.ts';
import { closeSession, openSession, type Session } from '#src/lib/session.ts';
import { isSignatory } from '#src/modules/money/signing/signing.service.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';
import { readSidebar } from '#src/modules/platform/views/views.service.ts';
import { requireOwnProof } from './access.service.ts';
import * as queries from './auth.queries.ts';
import { maySendReset, networkOf, withSignInLimits } from './auth.throttle.ts';
import * as factors from './factors.service.ts';
import { findPerson, followProvider, isLinked, linkIdentity } from './identities.service.ts';
import { entryCookie, type ProviderEntry } from './provider-cookies.ts';
import * as staff from './staff.service.ts';

export interface Call {
  deps: Deps;
  caller: Caller;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** See product §31.17; fields the admin may not see are empty. */
export async function describeSession(db: Database, { oidc }: Deps, session: Session) {
  const can = session.capabilities;
  const [settings, sidebar, months, invoices] = await Promise.all([
    readSettings(db),
    readSidebar(db, session.adminId),
    can.has('read_reports') ? queries.listLastReportMonths(db) : [],
    can.has('manage_profiles') ? queries.hasPendingInvoice(db) : false,
  ]);
  const hasFactor = session.hasFactor || session.provider?.hasFactor === true;
  return {
    location: settings.location,
    currency: settings.currency,
    cash: 0,
    invoices,
    reports: months.map(monthToMs),
    userCapabilities: capabilityNames.filter((name) => can.has(name)),
    sidebar,
    user: { id: session.adminId, fname: session.fname, lname: session.lname, email: session.email },
    ...(session.provider && oidc ? { provider: oidc.label } : {}),
    hasFactor,
    ...(session.factorPolicy === 'all' && !hasFactor ? { needsFactor: true as const } : {}),
  };
}

/**
 * Opens a session with a new token and ends the browser's former one (product §31.8), or asks for the factor. Known and
 * unknown e-mails take one look-up, one argon2 verification, one journal row.
 * @throws unauthorized, too_many_requests
 */
export async function signIn(
  { deps, caller, request, reply }: Call,
  form: z.output<typeof SignIn>,
): Promise<FactorPrompt | undefined> {
  const { db, cookies } = deps;
  checkLocalSignIn(deps);
  const device = findKnownDevice(cookies, request, form.email);
  const signingIn = describeDeviceOf(request);
  const adminId = await withSignInLimits(deps, { email: form.email, address: request.ip, device }, async () => {
    const admin = await staff.findAdminByEmail(db, form.email);
    return (await isPassword(admin?.passwordHash, form.password)) ? admin?.id : refuse(admin?.id);
  });
  if (adminId === undefined) throw new AppError('unauthorized', messages.badCredentials);
  if (deps.oidc && (await isLinked(db, adminId, deps.oidc.issuer))) {
    await refuse(adminId);
    throw new AppError('unauthorized', providerMessages.linked(deps.oidc.label));
  }

  return db.transaction().execute(async (trx) => {
    const prompt = await factors.askFactor(trx, deps, adminId);
    if (!prompt) await enter({ deps, caller, request, reply }, trx, adminId);
    return prompt;
  });

  async function refuse(id: number | undefined): Promise<undefined> {
    // Anybody's address or a misplaced password: only a fingerprint is stored.
    const fingerprint = sign(cookies.secret, 'journal-email', form.email.toLowerCase()).slice(0, 16);
    const entry = {
      action: 'auth.signin_failed',
      entityId: id ?? null,
      after: { fingerprint, ...signingIn },
    } as const;
    await db.transaction().execute((trx) => writeAudit(trx, { ...caller, adminId: null }, entry));
  }
}

/** @throws validation_failed for a wrong or late answer; too_many_requests */
export async function signInWithFactor(call: Call, answer: FactorAnswer): Promise<void> {
  const { deps, caller, request, reply } = call;
  const adminId = await factors.getSigningIn(deps.db, answer.token);
  const entry = entryCookie.read(deps.cookies, request);
  const provider = entry?.token === answer.token ? entry : undefined;
  if (!provider) checkLocalSignIn(deps);
  await factors.useFactor(deps, caller, { adminId }, answer, async (trx, factor) => {
    if (provider) await completeEntry(trx, call, provider);
    await enter(call, trx, adminId, { factor, ...(provider ? { provider } : {}) });
  });
  if (provider) entryCookie.clear(deps.cookies, reply);
}

/** After the factor. @throws validation_failed */
async function completeEntry(trx: Trx, { deps, caller }: Call, entry: ProviderEntry): Promise<void> {
  const { oidc } = deps;
  const system = { ...caller, adminId: null };
  const admin = await trx.selectFrom('admins').select('email').where('id', '=', entry.adminId).executeTakeFirst();
  const person = oidc && admin && (await findPerson(trx, oidc, { subject: entry.subject, email: admin.email }));
  if (!person || !('adminId' in person) || person.adminId !== entry.adminId) {
    throw invalid({ global: factorMessages.expired });
  }
  if (person.kind === 'linkable') await linkIdentity(trx, system, oidc, entry);
  await followProvider(trx, system, entry.adminId, entry.capabilities);
}

export const listSignInWays = ({ oidc, isLocalSignInClosed }: Deps) => ({
  password: !isLocalSignInClosed,
  provider: oidc?.label ?? null,
});

/** @throws forbidden */
export function checkLocalSignIn({ isLocalSignInClosed }: Deps): void {
  if (isLocalSignInClosed) throw new AppError('forbidden', providerMessages.localClosed);
}

export const describeDeviceOf = ({ headers, ip }: FastifyRequest) => ({
  device: describeDevice(headers['user-agent']),
  address: networkOf(ip),
});

/** `signedInAt`: at the provider, in ms; null when that is no second factor. */
export async function enter(
  { deps, caller, request, reply }: Call,
  trx: Trx,
  adminId: number,
  {
    factor,
    provider,
  }: { factor?: factors.UsedFactor; provider?: Pick<ProviderEntry, 'hasFactor' | 'signedInAt'> } = {},
): Promise<void> {
  const { cookies } = deps;
  const from = describeDeviceOf(request);
  await closeSession(trx, cookies, request, reply);
  const { email } = await trx.selectFrom('admins').select('email').where('id', '=', adminId).executeTakeFirstOrThrow();
  await notifyNewDevice(trx, { adminId, email }, from);
  // Clocks differ: no time in the future.
  const providerFactorAt =
    provider?.hasFactor && provider.signedInAt ? Math.min(provider.signedInAt, Date.now()) : null;
  const factorAt = factor === undefined ? providerFactorAt : Date.now();
  await openSession(trx, cookies, reply, {
    adminId,
    ...from,
    factorAt: factorAt === null ? null : new Date(factorAt),
    ownFactorAt: factor === undefined ? null : new Date(),
    isFromProvider: provider !== undefined,
    hasProviderFactor: provider?.hasFactor ?? false,
  });
  rememberDevice(cookies, request, reply, email);
  const after = {
    ...from,
    ...(factor === undefined ? {} : { factor }),
    ...(provider === undefined ? {} : { provider: deps.oidc?.label, providerFactor: provider.hasFactor }),
  };
  await writeAudit(trx, { ...caller, adminId }, { action: 'auth.signin', entityId: adminId, after });
}

/** To admins who have signed in before. */
async function notifyNewDevice(
  trx: Trx,
  { adminId, email }: { adminId: number; email: string },
  { device, address }: { device: string; address: string },
): Promise<void> {
  const devices = await queries.findSignInDevices(trx, adminId);
  if (devices.length === 0 || devices.some((one) => one.device === device && one.address === address)) return;
  const { newDeviceLetter: letter, house } = await readSettings(trx);
  const values = { maison: house.name, appareil: device, adresse: address, date: parisTime.format(new Date()) };
  await enqueue(trx, 'send_mail', { to: email, ...fillLetter<'newDeviceLetter'>(letter, values) });
}

/** Another site's page caused the request. */
export function isFromOtherSite({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site === 'cross-site' || site === 'same-site';
}

/** @throws forbidden */
export function refuseOtherSites(request: FastifyRequest): void {
  if (isFromOtherSite(request)) throw new AppError('forbidden');
}

/**
 * A GET (product §31.10) that another site could trigger: refused, by the Sec-Fetch-Site that browsers send.
 * @throws forbidden
 */
export async function signOut({ deps, caller, request, reply }: Call): Promise<void> {
  refuseOtherSites(request);
  await deps.db.transaction().execute(async (trx) => {
    await closeSession(trx, deps.cookies, request, reply);
    if (caller.adminId === null) return;
    await writeAudit(trx, caller, { action: 'auth.signout', entityId: caller.adminId });
  });
}

/** The job looks the address up, so the answer does not reveal whether it is known. */
export async function requestPasswordReset({ deps, caller, request }: Call, email: string): Promise<void> {
  checkLocalSignIn(deps);
  const maySend = await maySendReset(deps, { email, address: request.ip });
  if (!maySend) return;
  await deps.db.transaction().execute(async (trx) => {
    const provider = deps.oidc && { issuer: deps.oidc.issuer, label: deps.oidc.label };
    await enqueue(trx, 'send_password_reset', {
      email,
      requestedAt: new Date().toISOString(),
      ...(provider ? { provider } : {}),
    });
    await writeAudit(trx, caller, { action: 'auth.password_reset_request', entityId: null });
  });
}

const tokenUsed = () => invalid({ global: messages.tokenUsed });

/** @throws not_found for a used, expired or unknown link */
export async function describeReset(db: Database, token: string): Promise<{ needs: 'code' | 'others' | null }> {
  const reset = orNotFound(await queries.findValidReset(db, hashToken(token)), messages.tokenUsed);
  if (!(await isSignatory(db, reset.adminId))) return { needs: null };
  return { needs: (await factors.listFactors(db, reset.adminId)).length > 0 ? 'code' : 'others' };
}

/** Once; ends all sessions. @throws validation_failed for a common password, or a used, expired or unknown link */
export async function resetPassword({ deps, caller }: Call, form: z.output<typeof ResetAction>): Promise<void> {
  checkLocalSignIn(deps);
  const tokenHash = hashToken(form.token);
  const asked = await queries.findValidReset(deps.db, tokenHash);
  if (!asked) throw tokenUsed();
  await staff.checkNewPasswordOf(deps.db, asked.adminId, form.password);
  if (await isSignatory(deps.db, asked.adminId)) await useResetCode(deps, asked.adminId, form.code);
  const passwordHash = await hashPassword(form.password);
  await deps.db.transaction().execute(async (trx) => {
    await staff.lockStaff(trx);
    const reset = await queries.useReset(trx, tokenHash);
    if (!reset) throw tokenUsed();
    await staff.changePassword(trx, reset.adminId, passwordHash);
    const actor = { ...caller, adminId: reset.adminId };
    await writeAudit(trx, actor, { action: 'auth.password_reset', entityId: reset.adminId });
  });
}

/**
 * A mailed link alone does not change a signatory's password (product §39.17).
 * @throws validation_failed for a wrong code; forbidden without a factor
 */
async function useResetCode(deps: Deps, adminId: number, code: string | undefined): Promise<void> {
  if ((await factors.listFactors(deps.db, adminId)).length === 0) {
    throw new AppError('forbidden', signatureMessages.resetRefused);
  }
  if (!code) throw invalid({ code: signatureMessages.resetFactor });
  await factors.useCode(deps, adminId, code);
}

/** Ends the other sessions. @throws validation_failed, too_many_requests */
export async function changeOwnPassword({ deps, caller }: Call, form: z.output<typeof OwnPassword>): Promise<void> {
  const session = sessionOf(caller);
  if (session.provider) throw conflict(providerMessages.linked(deps.oidc?.label ?? ''));
  await staff.checkNewPasswordOf(deps.db, session.adminId, form.password);
  await requireOwnProof(deps.db, caller);
  await factors.checkOwnPassword(deps, caller, form.presentPassword);
  const passwordHash = await hashPassword(form.password);
  await deps.db.transaction().execute(async (trx) => {
    await staff.lockStaff(trx);
    await staff.changePassword(trx, session.adminId, passwordHash, session.id);
    const entry = { action: 'auth.change_password', entityId: session.adminId } as const;
    await writeAudit(trx, caller, entry);
  });
}

export async function getInvitedEmail(db: Database, token: string): Promise<string> {
  const invitation = orNotFound(await queries.findValidInvitation(db, hashToken(token)), messages.tokenUsed);
  return invitation.email;
}

/** Once, with the invitation's e-mail and its capabilities checked again (product §31.16). @throws validation_failed */
export async function signUp({ deps, caller }: Call, form: z.output<typeof SignUp>): Promise<void> {
  checkLocalSignIn(deps);
  const tokenHash = hashToken(form.token);
  const invited = await queries.findValidInvitation(deps.db, tokenHash);
  if (!invited) throw tokenUsed();
  await staff.checkNewPassword(deps.db, form.password, { ...form, email: invited.email });
  const passwordHash = await hashPassword(form.password);
  await deps.db.transaction().execute(async (trx) => {
    await staff.lockStaff(trx);
    const invitation = await queries.findValidInvitation(trx, tokenHash);
    if (!invitation || !(await queries.useInvitation(trx, invitation.id))) throw tokenUsed();
    const granted = await staff.findGrantable(trx, invitation);
    if (!granted) {
      throw invalid({
        global: 'Cette invitation n’est plus valable\u00A0: demandez-en une nouvelle à un administrateur',
      });
    }
    const admin = { ...form, email: invitation.email, passwordHash, capabilities: granted };
    const id = await staff.addAdmin(trx, { ...caller, adminId: invitation.invitedBy }, admin, 'auth.signup');
    await trx.updateTable('invitations').set({ usedBy: id }).where('id', '=', invitation.id).execute();
  });
}
