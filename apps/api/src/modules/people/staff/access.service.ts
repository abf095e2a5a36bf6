import { factorLiftHours, factorMessages } from '@regie/contract/second-factors.ts';
import { signatureMessages } from '@regie/contract/signatures.ts';
import { de } from '@regie/values/elision.ts';
import { type Actor, system, writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import { AppError, conflict, invalid, orNotFound } from '#src/lib/errors.ts';
import { enqueue, type JobDeps, type JobPayloads } from '#src/lib/jobs.ts';
import { adminOf, type Caller } from '#src/lib/route.ts';
import * as proposals from '#src/modules/money/signing/proposals.service.ts';
import { isProven, isSignatory, listSignatories } from '#src/modules/money/signing/signing.service.ts';
import { listFactors, removeAllFactors } from './factors.service.ts';
import * as queries from './staff.queries.ts';
import * as rules from './staff.rules.ts';
import * as staff from './staff.service.ts';

/** Of a signatory: waits for signatures; of others: a lift of their factors. */
export interface AccessChange {
  email?: string;
  passwordHash?: string;
  factors?: true;
}

const propose = proposals.defineProposal('access', {
  sign: 'admin.sign_access',
  rights: ['read_admins', 'edit_admins', 'delete_admins'],
  apply: applyAccess,
});

const nameOf = ({ firstName, lastName }: { firstName: string; lastName: string }) => `${firstName} ${lastName}`;
const toJournal = ({ email, passwordHash, factors }: AccessChange) => ({
  ...(email === undefined ? {} : { email }),
  ...(passwordHash === undefined ? {} : { passwordChanged: true }),
  ...(factors ? { factorsLifted: true } : {}),
});

/**
 * A signatory's access changes by themselves, two other signatures, or on the server (product §39.17): what others ask
 * becomes a proposal.
 * @throws forbidden without two others
 */
export async function proposeAccess(
  trx: Trx,
  caller: Caller,
  admin: queries.AdminRow,
  change: AccessChange,
): Promise<void> {
  const others = (await listSignatories(trx)).filter(({ id }) => id !== admin.id);
  if (others.length < 2) throw new AppError('forbidden', signatureMessages.tooFew);
  await staff.notifyAccessChanged(
    trx,
    caller,
    admin.id,
    'Un changement de votre accès est proposé aux autres signataires. Si vous ne l’avez pas demandé, prévenez-les.',
  );
  const text = `Un changement de l’accès du signataire ${nameOf(admin)} est proposé.`;
  await propose(trx, caller, {
    target: admin.id,
    value: change,
    entry: {
      action: 'admin.propose_access',
      entityId: admin.id,
      before: change.email === undefined ? null : { email: admin.email },
      after: toJournal(change),
      alert: { kind: 'admin', text },
    },
  });
}

/** @throws not_found, validation_failed for an address in use */
async function applyAccess(trx: Trx, actor: Actor, { target, value, proposedBy }: proposals.Proposal): Promise<void> {
  const id = Number(target);
  const change = value as AccessChange;
  const admin = orNotFound(await queries.findAdmin(trx, id));
  if (change.factors) {
    await liftFactors(trx, actor, id);
    await staff.notifyAccessChanged(trx, actor, proposedBy, `Le second facteur ${de(nameOf(admin))} est levé.`);
    return;
  }
  const email = change.email ?? admin.email;
  await staff.checkEmailIsFree(trx, email, id);
  await trx.updateTable('admins').set({ email }).where('id', '=', id).execute();
  if (change.passwordHash !== undefined) {
    await queries.setPassword(trx, id, change.passwordHash);
    await staff.notifyPasswordChanged(trx, email, admin.email);
  }
  for (const text of staff.describeAccessChanges(admin, { email, capabilities: admin.capabilities }))
    await staff.notifyAccessChanged(trx, actor, id, text, admin.email);
  await staff.closeAccess(trx, id);
  await writeAudit(trx, actor, {
    action: 'admin.edit',
    entityId: id,
    before: change.email === undefined ? null : { email: admin.email },
    after: toJournal(change),
    alert: { kind: 'admin', text: `L’accès du signataire ${nameOf(admin)} change par signatures.` },
  });
}

/* A lost second factor */

const findLift = async (db: Database, adminId: number): Promise<proposals.Proposal | undefined> => {
  const open = await proposals.findProposal(db, 'access', adminId);
  return open && (open.value as AccessChange).factors ? open : undefined;
};
const dueAt = ({ proposedAt }: proposals.Proposal) => new Date(proposedAt.getTime() + factorLiftHours * 3_600_000);

/** @throws not_found, forbidden */
async function lockBoth(trx: Trx, caller: Caller, adminId: number) {
  const me = await staff.lockCaller(trx, caller, 'edit_admins');
  const target = orNotFound(await queries.findAdmin(trx, adminId));
  rules.checkEdit(me, staff.toRights(target), target.capabilities);
  return { callerId: me.id, target };
}

/**
 * For an admin who lost their factors. Both are notified; it happens after `factorLiftHours`, or with two signatures; a
 * signatory's with signatures only.
 * @returns when; undefined when it waits for signatures
 * @throws not_found; forbidden for one's own; conflict
 */
export async function askFactorLift(trx: Trx, caller: Caller, adminId: number): Promise<Date | undefined> {
  const { callerId, target } = await lockBoth(trx, caller, adminId);
  if (callerId === adminId) throw new AppError('forbidden', factorMessages.liftOwn);
  if ((await listFactors(trx, adminId)).length === 0) throw conflict(factorMessages.noFactor);
  if (await isSignatory(trx, adminId)) {
    await proposeAccess(trx, caller, target, { factors: true });
    return undefined;
  }
  if (await findLift(trx, adminId)) throw conflict(factorMessages.liftAsked);
  const hours = `Elle prendra effet dans ${factorLiftHours} heures.`;
  await staff.notifyAccessChanged(
    trx,
    caller,
    adminId,
    `La levée de votre second facteur est demandée. ${hours} Si vous ne l’avez pas perdu, conservez-le dans la page Sécurité.`,
  );
  await staff.notifyAccessChanged(
    trx,
    caller,
    callerId,
    `Vous avez demandé la levée du second facteur ${de(nameOf(target))}. ${hours}`,
  );
  const lift = await propose(trx, caller, {
    target: adminId,
    value: { factors: true } satisfies AccessChange,
    entry: { action: 'admin.ask_factor_lift', entityId: adminId, after: { factorsLifted: true } },
    isForLater: true,
  });
  if (!lift) return new Date();
  await enqueue(trx, 'lift_factor', { proposalId: lift.id }, dueAt(lift));
  return dueAt(lift);
}

/** @throws not_found, forbidden */
export async function cancelFactorLift(trx: Trx, caller: Caller, adminId: number): Promise<void> {
  await lockBoth(trx, caller, adminId);
  await endLift(trx, caller, adminId);
}

/** Of the caller's own factors. */
export async function refuseFactorLift(trx: Trx, caller: Caller): Promise<void> {
  await endLift(trx, caller, adminOf(caller));
}

async function endLift(trx: Trx, caller: Caller, adminId: number): Promise<void> {
  const lift = orNotFound(await findLift(trx, adminId));
  await proposals.endProposal(trx, lift, caller.adminId);
  await staff.notifyAccessChanged(
    trx,
    caller,
    adminId,
    'La levée de votre second facteur est abandonnée\u00a0: il reste en place.',
  );
  await writeAudit(trx, caller, { action: 'admin.cancel_factor_lift', entityId: adminId });
}

async function liftFactors(trx: Trx, actor: Actor, adminId: number): Promise<void> {
  const factors = await removeAllFactors(trx, adminId);
  if (factors.length === 0) throw conflict(factorMessages.noFactor);
  await staff.closeAccess(trx, adminId);
  await staff.notifyAccessChanged(
    trx,
    actor,
    adminId,
    'Votre second facteur est levé. Connectez-vous avec votre mot de passe, puis ajoutez-en un autre dans la page Sécurité.',
  );
  await writeAudit(trx, actor, {
    action: 'admin.lift_factor',
    entityId: adminId,
    before: { factor: factors.join(', ') },
  });
}

/** On the server, for a label with a single admin. @throws not_found; conflict without a factor */
export async function liftFactorsOnServer(db: Database, email: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await staff.lockStaff(trx);
    const admin = await staff.requireAdminByEmail(trx, email);
    const open = await findLift(trx, admin.id);
    if (open) await proposals.endProposal(trx, open, null, true);
    await liftFactors(trx, system, admin.id);
  });
}

/** By owner; a signatory's waits for signatures alone. */
export async function describeLifts(db: Database) {
  const signatories = new Set((await listSignatories(db)).map(({ id }) => String(id)));
  const lifts = (await proposals.listProposals(db, { kind: 'access' })).filter(
    ({ target, value }) => (value as AccessChange).factors && !signatories.has(target),
  );
  return new Map(
    lifts.map((lift) => [Number(lift.target), { askedBy: lift.proposerName, dueAt: dueAt(lift).getTime() }]),
  );
}

/** Unless the request ended, or its target left or became a signatory. */
export async function liftFactorJob({ proposalId }: JobPayloads['lift_factor'], { db }: JobDeps): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await staff.lockStaff(trx);
    // Jobs of earlier versions name no proposal.
    const [lift] = await proposals.listProposals(trx, { id: proposalId ?? 0, kind: 'access' });
    const admin = lift && (await queries.findAdmin(trx, Number(lift.target)));
    if (!lift || !admin || (await isSignatory(trx, admin.id))) return;
    await applyAccess(trx, system, lift);
    await proposals.endProposal(trx, lift, null, true);
  });
}

/**
 * A signatory's own e-mail, password and factors need their factor of Régie; a provider alone does not suffice.
 * @param presentPassword null for changes that do not ask for it
 * @throws forbidden, validation_failed
 */
export async function requireOwnProof(
  db: Database,
  { adminId, session }: Caller,
  presentPassword: string | undefined | null = null,
): Promise<void> {
  if (!session || !(await isSignatory(db, adminId))) return;
  // A recent sign-in does not suffice here.
  if (presentPassword === undefined && !session.provider) {
    throw invalid({ presentPassword: factorMessages.presentPassword });
  }
  if (session.hasFactor ? isProven(session) : !session.provider) return;
  const { stepUp } = factorMessages;
  throw session.hasFactor
    ? new AppError('forbidden', stepUp, { errors: { stepUp } })
    : new AppError('forbidden', signatureMessages.proofFactor);
}
