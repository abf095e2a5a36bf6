import { capabilityNames } from '@regie/contract/capabilities.ts';
import { messages } from '@regie/contract/messages.ts';
import { monthToMs } from '@regie/contract/month.ts';
import type { ResetAction, SessionData, SignIn, SignUp } from '@regie/contract/routes/auth.ts';
import type { z } from '@regie/contract/zod.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import type { Deps } from '#src/lib/deps.ts';
import { AppError, invalid } from '#src/lib/errors.ts';
import { enqueue } from '#src/lib/jobs.ts';
import { findKnownDevice, rememberDevice } from '#src/lib/known-device.ts';
import { hashPassword, isPassword } from '#src/lib/passwords.ts';
import type { Caller } from '#src/lib/route.ts';
import { hashToken, sign } from '#src/lib/secrets.ts';
import { closeSession, openSession, type Session } from '#src/lib/session.ts';
import { readSettings } from '#src/modules/settings/settings.service.ts';
import {
  addAdmin,
  changePassword,
  checkNewPassword,
  checkNewPasswordOf,
  findAdminByEmail,
  findGrantable,
  lockStaff,
} from '#src/modules/staff/staff.service.ts';
import * as queries from './auth.queries.ts';
import { maySendReset, withSignInLimits } from './auth.throttle.ts';

interface Call {
  deps: Deps;
  caller: Caller;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** The session context of decisions §1; what the admin may not see is empty. */
export async function describeSession(db: Database | Trx, session: Session): Promise<SessionData> {
  const can = session.capabilities;
  const [settings, months, invoices] = await Promise.all([
    readSettings(db),
    can.has('read_reports') ? queries.listLastReportMonths(db) : [],
    can.has('manage_profiles') ? queries.hasPendingInvoice(db) : false,
  ]);
  return {
    location: settings.location,
    currency: settings.currency,
    cash: 0,
    invoices,
    reports: months.map(monthToMs),
    userCapabilities: capabilityNames.filter((name) => can.has(name)),
    user: { id: session.adminId, fname: session.fname, lname: session.lname, email: session.email },
  };
}

/**
 * Opens a session with a new token and drops the one the browser had (decisions §1). Known and unknown e-mails
 * take the same path: one look-up, one argon2 verification, one journal row.
 * @throws AppError unauthorized, or too_many_requests with Retry-After
 */
export async function signIn({ deps, caller, request, reply }: Call, form: z.output<typeof SignIn>): Promise<void> {
  const { db, cookies } = deps;
  const device = findKnownDevice(cookies, request, form.email);
  const adminId = await withSignInLimits(deps, { email: form.email, address: request.ip, device }, async () => {
    const admin = await findAdminByEmail(db, form.email);
    return (await isPassword(admin?.passwordHash, form.password)) ? admin?.id : refuse(admin?.id);
  });
  if (adminId === undefined) throw new AppError('unauthorized', messages.badCredentials);

  await db.transaction().execute(async (trx) => {
    await closeSession(trx, cookies, request, reply);
    await openSession(trx, cookies, reply, adminId);
    rememberDevice(cookies, request, reply, form.email);
    await writeAudit(trx, { ...caller, adminId }, { action: 'auth.signin', entity: 'admin', entityId: adminId });
  });

  async function refuse(id: number | undefined): Promise<undefined> {
    // What was typed may be anybody's address, or a password in the wrong field: only its fingerprint is kept.
    const fingerprint = sign(cookies.secret, 'journal-email', form.email.toLowerCase()).slice(0, 16);
    const entry = {
      action: 'auth.signin_failed',
      entity: 'admin',
      entityId: id ?? null,
      after: { fingerprint },
    } as const;
    await db.transaction().execute((trx) => writeAudit(trx, { ...caller, adminId: null }, entry));
  }
}

/**
 * Ends the session. It is a GET (specification 1 §7), so another site could have a browser call it: such calls are
 * refused; clients that send no Sec-Fetch-Site are not browsers of today.
 * @throws AppError forbidden
 */
export async function signOut({ deps, caller, request, reply }: Call): Promise<void> {
  const site = request.headers['sec-fetch-site'];
  if (site === 'cross-site' || site === 'same-site') throw new AppError('forbidden');
  await deps.db.transaction().execute(async (trx) => {
    await closeSession(trx, deps.cookies, request, reply);
    if (caller.adminId === null) return;
    await writeAudit(trx, caller, { action: 'auth.signout', entity: 'admin', entityId: caller.adminId });
  });
}

/** Asks for a reset link. The job looks the address up, so that this answer cannot tell whether it is known. */
export async function requestPasswordReset({ deps, caller, request }: Call, email: string): Promise<void> {
  const maySend = await maySendReset(deps, { email, address: request.ip });
  if (!maySend) return;
  await deps.db.transaction().execute(async (trx) => {
    await enqueue(trx, 'send_password_reset', { email, requestedAt: new Date().toISOString() });
    await writeAudit(trx, caller, { action: 'auth.password_reset_request', entity: 'admin', entityId: null });
  });
}

const tokenUsed = () => invalid({ global: messages.tokenUsed });

/**
 * Chooses a new password with a link's token, once; every session of the admin ends.
 * @throws AppError validation_failed: the password is too common, or the link is used, expired or unknown
 */
export async function resetPassword({ deps, caller }: Call, form: z.output<typeof ResetAction>): Promise<void> {
  const tokenHash = hashToken(form.token);
  const asked = await queries.findValidReset(deps.db, tokenHash);
  if (!asked) throw tokenUsed();
  await checkNewPasswordOf(deps.db, asked.adminId, form.password);
  const passwordHash = await hashPassword(form.password);
  await deps.db.transaction().execute(async (trx) => {
    await lockStaff(trx);
    const reset = await queries.useReset(trx, tokenHash);
    if (!reset) throw tokenUsed();
    await changePassword(trx, reset.adminId, passwordHash);
    const actor = { ...caller, adminId: reset.adminId };
    await writeAudit(trx, actor, { action: 'auth.password_reset', entity: 'admin', entityId: reset.adminId });
  });
}

/** The address a valid invitation was sent to. @throws AppError not_found */
export async function getInvitedEmail(db: Database | Trx, token: string): Promise<string> {
  const invitation = await queries.findValidInvitation(db, hashToken(token));
  if (!invitation) throw new AppError('not_found', messages.tokenUsed);
  return invitation.email;
}

/**
 * Creates the account of an invitation, once. The e-mail is the invitation's, whatever the form says, and what it
 * grants is checked again (decisions §1).
 * @throws AppError validation_failed
 */
export async function signUp({ deps, caller }: Call, form: z.output<typeof SignUp>): Promise<void> {
  const tokenHash = hashToken(form.token);
  const invited = await queries.findValidInvitation(deps.db, tokenHash);
  if (!invited) throw tokenUsed();
  await checkNewPassword(deps.db, form.password, { ...form, email: invited.email });
  const passwordHash = await hashPassword(form.password);
  await deps.db.transaction().execute(async (trx) => {
    await lockStaff(trx);
    const invitation = await queries.findValidInvitation(trx, tokenHash);
    if (!invitation || !(await queries.useInvitation(trx, invitation.id))) throw tokenUsed();
    const granted = await findGrantable(trx, invitation);
    if (!granted) {
      throw invalid({
        global: 'Cette invitation n’est plus valable\u00A0: demandez-en une nouvelle à un administrateur',
      });
    }
    const admin = {
      firstName: form.fname,
      lastName: form.lname,
      email: invitation.email,
      passwordHash,
      capabilities: granted,
    };
    const id = await addAdmin(trx, { ...caller, adminId: invitation.invitedBy }, admin, 'auth.signup');
    await trx.updateTable('invitations').set({ usedBy: id }).where('id', '=', invitation.id).execute();
  });
}
