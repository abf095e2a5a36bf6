import {
  type Capability,
  capabilities,
  capabilityNames,
  getCapability,
  withImplied,
} from '@regie/contract/capabilities.ts';
import { providerMessages } from '@regie/contract/identity-provider.ts';
import { fillLetter, withoutLinks } from '@regie/contract/letters.ts';
import { type AdminEditForm, AdminForm, type InvitationForm, type staffRoutes } from '@regie/contract/routes/staff.ts';
import { signatureMessages } from '@regie/contract/signatures.ts';
import type { z } from '@regie/contract/zod.ts';
import { hasWords } from '@regie/values/search-text.ts';
import { sql } from 'kysely';
import { type Actor, notifyStaff, system, writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import type { Deps } from '#src/lib/deps.ts';
import { AppError, conflict, invalid, orNotFound } from '#src/lib/errors.ts';
import { enqueue } from '#src/lib/jobs.ts';
import { checkChosenPassword, hashPassword } from '#src/lib/passwords.ts';
import type { Answer, Caller } from '#src/lib/route.ts';
import { hashToken, newToken } from '#src/lib/secrets.ts';
import { closeSessionsOf } from '#src/lib/session.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import { isSignatory, listSignatories, lockSignatures } from '#src/modules/money/signing/signing.service.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';
import { type AccessChange, describeLifts, proposeAccess, requireOwnProof } from './access.service.ts';
import { checkOwnPassword } from './factors.service.ts';
import { addFirstSignatory } from './signatories.service.ts';
import * as queries from './staff.queries.ts';
import * as rules from './staff.rules.ts';

export const { findAdmin, findAdminByEmail } = queries;

/** For commands on the server. */
export async function requireAdminByEmail(trx: Trx, email: string) {
  return orNotFound(await queries.findAdminByEmail(trx, email), `Aucun administrateur n’a l’adresse ${email}`);
}

const maxInvitationsShown = 100;
const FirstAdmin = AdminForm.omit({ capabilities: true });

/** Otherwise two concurrent changes could leave no admin with edit_admins, or grant what the granter is losing. */
export async function lockStaff(trx: Trx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(7243, 3)`.execute(trx);
}

/** The session's copy may be outdated. */
export async function lockCaller(trx: Trx, caller: Caller, needed: Capability): Promise<rules.Rights> {
  // Lock order of a last signature, which applies a change of access.
  await lockSignatures(trx);
  await lockStaff(trx);
  const row = caller.adminId === null ? undefined : await queries.findAdmin(trx, caller.adminId);
  if (!row) throw new AppError('unauthorized');
  const rights = toRights(row);
  if (!rights.capabilities.has(needed)) throw new AppError('forbidden');
  return rights;
}

const rightsOf = ({ adminId, session }: Caller): rules.Rights => ({
  id: adminId ?? 0,
  capabilities: session?.capabilities ?? new Set(),
});
export const toRights = (row: { id: number; capabilities: readonly Capability[] }): rules.Rights => ({
  id: row.id,
  capabilities: new Set(withImplied(row.capabilities)),
});

/** Besides editing. @throws forbidden (product §35.3) */
export function checkMayChange(caller: Caller, target: { id: number; capabilities: readonly Capability[] }): void {
  rules.checkEdit(rightsOf(caller), toRights(target), target.capabilities);
}

/** Without password and hash. */
const toJournal = (row: { firstName: string; lastName: string; email: string; capabilities: Capability[] }) => ({
  fname: row.firstName,
  lname: row.lastName,
  email: row.email,
  // In one order: entries differ only where rights do.
  capabilities: capabilityNames.filter((name) => row.capabilities.includes(name)),
});

/** `kind` selects the paged list (product §31.6). */
export async function listStaff(
  db: Database,
  { oidc }: Deps,
  caller: Caller,
  query: z.output<typeof staffRoutes.listAdmins.query>,
) {
  const { kind, ...list } = query;
  const firstPage = { ...list, cursor: undefined };
  const text = query.q ?? '';
  const capabilityIds = capabilities
    .filter((row) => kind === 'admins' || hasWords(`${row.name} ${row.label}`, text))
    .map((row) => row.id);
  const admins = await queries.listAdmins(db, kind === 'admins' ? list : { ...firstPage, q: undefined }, oidc?.issuer);
  const paged = kind === 'admins' ? undefined : await queries.pageCapabilityIds(db, list, capabilityIds);
  const shown = paged ? paged.rows.map((row) => row.id) : capabilityIds;
  const me = rightsOf(caller);
  const invitations = await queries.listOpenInvitations(db, maxInvitationsShown);
  const signatories = new Set((await listSignatories(db)).map(({ id }) => id));
  const lifts = await describeLifts(db);
  return {
    data: {
      admins: admins.rows.map((row) => ({
        ...toWireRow(row),
        fname: row.firstName,
        lname: row.lastName,
        capabilities: rules.toCapabilityIds(row.capabilities),
        canEdit: rules.canEditAdmin(me, toRights(row)),
        canDelete: rules.canDeleteAdmin(me, toRights(row)),
        isSignatory: signatories.has(row.id),
        provider: row.isLinked ? (oidc?.label ?? null) : null,
        factorLift: lifts.get(row.id) ?? null,
      })),
      capabilities: shown.flatMap((id) =>
        capabilities
          .filter((row) => row.id === id)
          .map((row) => ({ ...row, grantable: caller.can('edit_admins') && caller.can(row.name) })),
      ),
      invitations: invitations.map((row) => ({
        ...toWireRow(row),
        capabilities: rules.toCapabilityIds(row.capabilities),
        invitedBy: `${row.firstName} ${row.lastName}`,
        isUndelivered: row.deliveryFailedAt !== null,
      })),
    },
    meta: (paged ?? admins).meta,
  };
}

interface NewAdmin {
  fname: string;
  lname: string;
  email: string;
  /** Null for the provider's admins. */
  passwordHash: string | null;
  capabilities: Capability[];
}

/** The caller holds the staff lock. @throws validation_failed on `email` in use */
export async function addAdmin(
  trx: Trx,
  actor: Actor,
  { fname, lname, email, passwordHash, capabilities: granted }: NewAdmin,
  action: 'admin.create' | 'auth.signup' | 'auth.provider_signup',
): Promise<number> {
  await lockStaff(trx);
  await checkEmailIsFree(trx, email);
  const row = { firstName: fname, lastName: lname, email };
  const { id } = await trx
    .insertInto('admins')
    .values({ ...row, passwordHash, isFromProvider: passwordHash === null, createdBy: actor.adminId })
    .returning('id')
    .executeTakeFirstOrThrow();
  await queries.setCapabilities(trx, id, granted);
  await writeAudit(trx, actor, {
    action,
    entityId: id,
    after: toJournal({ ...row, capabilities: granted }),
    alert: { kind: 'admin', text: await describeEqualName(trx, id, row) },
  });
  await notifyStaff(trx, {
    subject: 'Un nouvel administrateur',
    text: `Bonjour,

${withoutLinks(`${fname} ${lname}`)} (${email}) est maintenant administrateur.

Si vous ne connaissez pas cette personne, retirez-lui ses droits et prévenez votre responsable.
`,
  });
  return id;
}

export async function checkEmailIsFree(trx: Trx, email: string, exceptId?: number): Promise<void> {
  const holder = await queries.findAdminByEmail(trx, email);
  if (holder && holder.id !== exceptId) throw invalid({ email: 'Un administrateur utilise déjà cette adresse' });
}

/** Not common, nor made from names of the person or the label. @throws validation_failed on `password` */
export async function checkNewPassword(
  db: Database,
  password: string,
  person: { fname: string; lname: string; email: string },
): Promise<void> {
  const { house } = await readSettings(db);
  checkChosenPassword(password, [person.fname, person.lname, person.email, house.name]);
}

/** @throws validation_failed on `password` */
export async function checkNewPasswordOf(db: Database, adminId: number, password: string): Promise<void> {
  const admin = await queries.findAdmin(db, adminId);
  await checkNewPassword(db, password, {
    fname: admin?.firstName ?? '',
    lname: admin?.lastName ?? '',
    email: admin?.email ?? '',
  });
}

/** @throws forbidden for a capability the caller lacks */
export async function createAdmin(trx: Trx, caller: Caller, form: z.output<typeof AdminForm>): Promise<number> {
  await checkNewPassword(trx, form.password, form);
  const granted = rules.toCapabilities(form.capabilities);
  const passwordHash = await hashPassword(form.password);
  rules.checkGrant(await lockCaller(trx, caller, 'edit_admins'), granted);
  return addAdmin(trx, caller, { ...form, passwordHash, capabilities: granted }, 'admin.create');
}

/**
 * See product §35.3, §35.4: a new e-mail, password or capability ends other sessions and mailed links, and is mailed to
 * old and new address.
 * @throws not_found, forbidden, conflict for the last editor, validation_failed
 */
export async function editAdmin(
  trx: Trx,
  deps: Deps,
  caller: Caller,
  id: number,
  form: z.output<typeof AdminEditForm>,
): Promise<Pick<Answer<never>, 'message' | 'warnings'>> {
  if (form.password !== undefined) await checkNewPassword(trx, form.password, form);
  const granted = rules.toCapabilities(form.capabilities);
  const passwordHash = form.password === undefined ? undefined : await hashPassword(form.password);
  const me = await lockCaller(trx, caller, 'edit_admins');
  const target = orNotFound(await queries.findAdmin(trx, id));
  rules.checkEdit(me, toRights(target), granted);
  if (!granted.includes('edit_admins')) await checkAnotherEditorStays(trx, target);
  await checkEmailIsFree(trx, form.email, id);
  const hasNewEmail = form.email.toLowerCase() !== target.email.toLowerCase();
  const isOwn = id === me.id;
  if (deps.oidc && (await queries.isLinked(trx, id, deps.oidc.issuer))) {
    const { label } = deps.oidc;
    if (passwordHash !== undefined) throw invalid({ password: providerMessages.noPassword(label) });
    // Their next sign-in would undo it.
    if (granted.length !== target.capabilities.length || granted.some((name) => !target.capabilities.includes(name))) {
      throw invalid({ capabilities: providerMessages.rolesElsewhere(label) });
    }
  }
  if (isOwn && (hasNewEmail || passwordHash !== undefined)) {
    await requireOwnProof(trx, caller, form.presentPassword);
    await checkOwnPassword(deps, caller, form.presentPassword);
  }

  const guarded: AccessChange =
    !isOwn && (await isSignatory(trx, id))
      ? { ...(hasNewEmail ? { email: form.email } : {}), ...(passwordHash === undefined ? {} : { passwordHash }) }
      : {};
  const isGuarded = Object.keys(guarded).length > 0;
  if (isGuarded) await proposeAccess(trx, caller, target, guarded);
  const newHash = isGuarded ? undefined : passwordHash;
  const changed = { firstName: form.fname, lastName: form.lname, email: isGuarded ? target.email : form.email };
  await trx.updateTable('admins').set(changed).where('id', '=', id).execute();
  await queries.setCapabilities(trx, id, granted);
  if (newHash !== undefined) {
    await queries.setPassword(trx, id, newHash);
    await notifyPasswordChanged(trx, changed.email, target.email);
  }
  const changes = describeAccessChanges(target, { email: changed.email, capabilities: granted });
  for (const change of changes) await notifyAccessChanged(trx, caller, id, change, target.email);
  if (changes.length > 0 || newHash !== undefined) {
    await closeAccess(trx, id, { exceptSessionId: isOwn ? caller.session?.id : undefined });
  }
  const isRenamed = changed.firstName !== target.firstName || changed.lastName !== target.lastName;
  if (isGuarded && !isRenamed && changes.length === 0) return { message: signatureMessages.waits };
  const sameName = isRenamed ? await describeEqualName(trx, id, changed) : undefined;
  await writeAudit(trx, caller, {
    action: 'admin.edit',
    entityId: id,
    before: toJournal(target),
    after: {
      ...toJournal({ ...changed, capabilities: granted }),
      ...(newHash === undefined ? {} : { passwordChanged: true }),
    },
    alert: sameName === undefined ? undefined : { kind: 'admin', text: sameName },
  });
  return isGuarded ? { warnings: [signatureMessages.waits] } : {};
}

/** For an alert: readers would take one admin for the other. */
async function describeEqualName(
  trx: Trx,
  id: number,
  { firstName, lastName }: { firstName: string; lastName: string },
): Promise<string | undefined> {
  const name = `${firstName} ${lastName}`;
  const same = await queries.findByName(trx, name, id);
  return same && `Deux administrateurs s’appellent maintenant ${name}.`;
}

/** One sentence each. */
export function describeAccessChanges(
  before: { email: string; capabilities: readonly Capability[] },
  after: { email: string; capabilities: readonly Capability[] },
): string[] {
  const labels = (some: readonly Capability[], others: readonly Capability[]) =>
    some.filter((name) => !others.includes(name)).map((name) => `«\u00a0${getCapability(name).label}\u00a0»`);
  const added = labels(after.capabilities, before.capabilities);
  const removed = labels(before.capabilities, after.capabilities);
  return [
    before.email.toLowerCase() === after.email.toLowerCase()
      ? ''
      : `L’adresse e-mail de votre compte est maintenant ${after.email}.`,
    [
      added.length > 0 ? `Droits ajoutés\u00a0: ${added.join(', ')}.` : '',
      removed.length > 0 ? `Droits retirés\u00a0: ${removed.join(', ')}.` : '',
    ]
      .filter(Boolean)
      .join(' '),
  ].filter(Boolean);
}

async function checkAnotherEditorStays(trx: Trx, target: queries.AdminRow): Promise<void> {
  if (target.capabilities.includes('edit_admins') && (await queries.countOtherEditors(trx, target.id)) === 0) {
    throw conflict('Il doit rester un administrateur qui puisse modifier les administrateurs');
  }
}

/** Ends the other sessions and notifies; the caller journals. */
export async function changePassword(
  trx: Trx,
  adminId: number,
  passwordHash: string,
  exceptSessionId?: number,
): Promise<void> {
  const admin = orNotFound(await queries.findAdmin(trx, adminId));
  await queries.setPassword(trx, adminId, passwordHash);
  await closeAccess(trx, adminId, { exceptSessionId });
  await notifyPasswordChanged(trx, admin.email);
}

export async function notifyPasswordChanged(trx: Trx, email: string, former = email): Promise<void> {
  const { passwordChangedLetter: letter, house } = await readSettings(trx);
  for (const to of new Set([email.toLowerCase(), former.toLowerCase()])) {
    await enqueue(trx, 'send_mail', { to, ...fillLetter<'passwordChangedLetter'>(letter, { maison: house.name }) });
  }
}

/**
 * Sessions but the given one, mailed links, pending sign-ins, and invitations: an intruder may have invited themselves.
 */
export async function closeAccess(
  trx: Trx,
  adminId: number,
  { exceptSessionId }: { exceptSessionId?: number | undefined } = {},
): Promise<void> {
  await closeSessionsOf(trx, adminId, exceptSessionId);
  await trx.deleteFrom('passwordResets').where('adminId', '=', adminId).execute();
  await trx.deleteFrom('authChallenges').where('adminId', '=', adminId).execute();
  await queries.withdrawInvitations(trx, { invitedBy: adminId });
}

/** @param former their previous address */
export async function notifyAccessChanged(
  trx: Trx,
  actor: Actor,
  adminId: number,
  changement: string,
  former?: string,
): Promise<void> {
  const admin = await queries.findAdmin(trx, adminId);
  const author = actor.adminId === null ? undefined : await queries.findAdmin(trx, actor.adminId);
  if (!admin) return;
  const { accessChangedLetter: letter, house } = await readSettings(trx);
  // Names are chosen by users: links go, except in the admin's own address.
  const said = changement.split(admin.email).map(withoutLinks).join(admin.email);
  const auteur =
    actor.adminId === adminId ? 'vous-même' : author ? `${author.firstName} ${author.lastName}` : 'le système';
  for (const to of new Set([admin.email, former ?? admin.email].map((address) => address.toLowerCase()))) {
    const filled = fillLetter<'accessChangedLetter'>(letter, { maison: house.name, changement: said, auteur });
    await enqueue(trx, 'send_mail', { to, ...filled });
  }
}

/** The row stays for the journal. */
export async function deleteAdmin(trx: Trx, caller: Caller, id: number): Promise<void> {
  const me = await lockCaller(trx, caller, 'delete_admins');
  const target = orNotFound(await queries.findAdmin(trx, id));
  rules.checkDelete(me, toRights(target));
  if (await isSignatory(trx, id)) throw conflict(signatureMessages.deleteSignatory);
  await checkAnotherEditorStays(trx, target);
  await notifyAccessChanged(trx, caller, id, 'Votre compte est supprimé.');
  await trx.updateTable('admins').set({ deletedAt: sql<Date>`now()` }).where('id', '=', id).execute();
  await queries.setCapabilities(trx, id, []);
  await closeAccess(trx, id);
  await writeAudit(trx, caller, {
    action: 'admin.delete',
    entityId: id,
    before: toJournal(target),
    alert: { kind: 'admin', text: `L’administrateur ${target.firstName} ${target.lastName} est supprimé.` },
  });
}

/** For seven days; the job creates the token. */
export async function inviteAdmin(trx: Trx, caller: Caller, form: z.output<typeof InvitationForm>): Promise<number> {
  const granted = rules.toCapabilities(form.capabilities);
  const me = await lockCaller(trx, caller, 'edit_admins');
  rules.checkGrant(me, granted);
  await checkEmailIsFree(trx, form.email);
  const open = await queries.findOpenInvitation(trx, { email: form.email });
  if (open?.isValid)
    throw invalid({ email: 'Cette adresse a déjà une invitation\u00A0: retirez-la pour en envoyer une autre' });
  if (open) await queries.withdrawInvitations(trx, { id: open.id });
  const { id } = await trx
    .insertInto('invitations')
    .values({
      // A placeholder: the job stores the hash of the token it sends.
      tokenHash: hashToken(newToken()),
      email: form.email,
      capabilities: granted,
      invitedBy: me.id,
      expiresAt: sql<Date>`now() + interval '7 days'`,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await enqueue(trx, 'send_invitation', { invitationId: id });
  await writeAudit(trx, caller, {
    action: 'admin.invite',
    entityId: id,
    after: { email: form.email, capabilities: granted },
  });
  return id;
}

export async function cancelInvitation(trx: Trx, caller: Caller, id: number): Promise<void> {
  const me = await lockCaller(trx, caller, 'edit_admins');
  const invitation = orNotFound(await queries.findOpenInvitation(trx, { id }));
  rules.checkGrant(me, invitation.capabilities);
  await queries.withdrawInvitations(trx, { id });
  await writeAudit(trx, caller, {
    action: 'admin.cancel_invitation',
    entityId: id,
    before: { email: invitation.email, capabilities: invitation.capabilities },
  });
}

/**
 * Those the inviter still has; undefined when they were deleted, or lost edit_admins or all of them (product §31.16).
 * The caller holds the staff lock.
 */
export async function findGrantable(
  trx: Trx,
  invitation: { invitedBy: number; capabilities: readonly Capability[] },
): Promise<Capability[] | undefined> {
  const inviter = await queries.findAdmin(trx, invitation.invitedBy);
  if (!inviter?.capabilities.includes('edit_admins')) return undefined;
  const held = toRights(inviter).capabilities;
  const granted = invitation.capabilities.filter((name) => held.has(name));
  return granted.length === 0 && invitation.capabilities.length > 0 ? undefined : granted;
}

/** The first one, from the command line or the demo. @throws validation_failed naming the field */
export async function createAdminWithAllCapabilities(
  db: Database,
  admin: { email: string; password: string; fname: string; lname: string },
): Promise<number> {
  const checked = FirstAdmin.safeParse(admin);
  if (!checked.success) {
    throw invalid(Object.fromEntries(checked.error.issues.map((issue) => [issue.path.join('.'), issue.message])));
  }
  await checkNewPassword(db, admin.password, checked.data);
  const passwordHash = await hashPassword(admin.password);
  return db.transaction().execute(async (trx) => {
    const first = { ...checked.data, passwordHash, capabilities: [...capabilityNames] };
    const id = await addAdmin(trx, system, first, 'admin.create');
    await addFirstSignatory(trx, id);
    return id;
  });
}
