import { factorLiftHours, factorMessages } from '@regie/contract/second-factors.ts';
import { signatureMessages } from '@regie/contract/signatures.ts';
import { de } from '@regie/values/elision.ts';
import { type Actor, system, writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import { AppError, conflict, invalid, notFound } from '#src/lib/errors.ts';
import { enqueue, type JobDeps, type JobPayloads } from '#src/lib/jobs.ts';
import type { Caller } from '#src/lib/route.ts';
import {
  defineProposal,
  endProposal,
  findProposal,
  listProposals,
  type Proposal,
} from '#src/modules/money/signing/proposals.service.ts';
import { isProven, isSignatory, listSignatories } from '#src/modules/money/signing/signing.service.ts';
import { listFactors, removeAllFactors } from './factors.service.ts';
import * as queries from './staff.queries.ts';
import * as rules from './staff.rules.ts';
import {
  checkEmailIsFree,
  closeAccess,
  describeAccessChanges,
  lockCaller,
  lockStaff,
  notifyAccessChanged,
  notifyPasswordChanged,
  requireAdminByEmail,
  toRights,
} from './staff.service.ts';

/** A change of somebody else's access that waits: of a signatory for signatures, of others a lift of their factors. */
export interface AccessChange {
  email?: string;
  passwordHash?: string;
  /** All second factors are lifted. */
  factors?: true;
}

const propose = defineProposal('access', {
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
 * A signatory's e-mail, password and factors change by themselves, by two signatures not theirs, or on the server
 * (product §39.17): what somebody else asks for becomes a proposal.
 * @throws AppError forbidden where no two others could sign
 */
export async function proposeAccess(
  trx: Trx,
  caller: Caller,
  admin: queries.AdminRow,
  change: AccessChange,
): Promise<void> {
  const others = (await listSignatories(trx)).filter(({ id }) => id !== admin.id);
  if (others.length < 2) throw new AppError('forbidden', signatureMessages.tooFew);
  await notifyAccessChanged(
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

/** Carries a change of access out. @throws AppError not_found, validation_failed when the address is in use */
async function applyAccess(trx: Trx, actor: Actor, { target, value, proposedBy }: Proposal): Promise<void> {
  const id = Number(target);
  const change = value as AccessChange;
  const admin = await queries.findAdmin(trx, id);
  if (!admin) throw notFound();
  if (change.factors) {
    await liftFactors(trx, actor, id);
    await notifyAccessChanged(trx, actor, proposedBy, `Le second facteur ${de(nameOf(admin))} est levé.`);
    return;
  }
  const email = change.email ?? admin.email;
  await checkEmailIsFree(trx, email, id);
  await trx.updateTable('admins').set({ email }).where('id', '=', id).execute();
  if (change.passwordHash !== undefined) {
    await queries.setPassword(trx, id, change.passwordHash);
    await notifyPasswordChanged(trx, email, admin.email);
  }
  for (const text of describeAccessChanges(admin, { email, capabilities: admin.capabilities }))
    await notifyAccessChanged(trx, actor, id, text, admin.email);
  await closeAccess(trx, id);
  await writeAudit(trx, actor, {
    action: 'admin.edit',
    entityId: id,
    before: change.email === undefined ? null : { email: admin.email },
    after: toJournal(change),
    alert: { kind: 'admin', text: `L’accès du signataire ${nameOf(admin)} change par signatures.` },
  });
}

/* A lost second factor */

const findLift = async (db: Database | Trx, adminId: number): Promise<Proposal | undefined> => {
  const open = await findProposal(db, 'access', adminId);
  return open && (open.value as AccessChange).factors ? open : undefined;
};
const dueAt = ({ proposedAt }: Proposal) => new Date(proposedAt.getTime() + factorLiftHours * 3_600_000);

/** Locks the caller and the owner of the factor and reads both. @throws AppError not_found, forbidden */
async function lockBoth(trx: Trx, caller: Caller, adminId: number) {
  const me = await lockCaller(trx, caller, 'edit_admins');
  const target = await queries.findAdmin(trx, adminId);
  if (!target) throw notFound();
  rules.checkEdit(me, toRights(target), target.capabilities);
  return { callerId: me.id, target };
}

/**
 * Requests the removal of all second factors of an admin who lost theirs. Both are notified; it happens after
 * `factorLiftHours`, or at once with two signatures. A signatory's are lifted by two signatures only.
 * @returns when it happens; undefined when it waits for signatures
 * @throws AppError not_found; forbidden for one's own; conflict
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
  await notifyAccessChanged(
    trx,
    caller,
    adminId,
    `La levée de votre second facteur est demandée. ${hours} Si vous ne l’avez pas perdu, conservez-le dans la page Sécurité.`,
  );
  await notifyAccessChanged(
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

/** @throws AppError not_found, forbidden */
export async function cancelFactorLift(trx: Trx, caller: Caller, adminId: number): Promise<void> {
  await lockBoth(trx, caller, adminId);
  await endLift(trx, caller, adminId);
}

/** Refuses the removal of the caller's own factors. @throws AppError not_found */
export async function refuseFactorLift(trx: Trx, caller: Caller): Promise<void> {
  if (caller.adminId === null) throw new AppError('unauthorized');
  await endLift(trx, caller, caller.adminId);
}

async function endLift(trx: Trx, caller: Caller, adminId: number): Promise<void> {
  const lift = await findLift(trx, adminId);
  if (!lift) throw notFound();
  await endProposal(trx, lift, caller.adminId);
  await notifyAccessChanged(
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
  await closeAccess(trx, adminId);
  await notifyAccessChanged(
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

/**
 * Removes the second factors of an admin on the server, for a label with a single admin.
 * @throws AppError not_found; conflict without a factor
 */
export async function liftFactorsOnServer(db: Database, email: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockStaff(trx);
    const admin = await requireAdminByEmail(trx, email);
    const open = await findLift(trx, admin.id);
    if (open) await endProposal(trx, open, null, true);
    await liftFactors(trx, system, admin.id);
  });
}

/** The lifts that wait, by whose factors they are; a signatory's waits for signatures alone. */
export async function describeLifts(db: Database | Trx) {
  const signatories = new Set((await listSignatories(db)).map(({ id }) => String(id)));
  const lifts = (await listProposals(db, { kind: 'access' })).filter(
    ({ target, value }) => (value as AccessChange).factors && !signatories.has(target),
  );
  return new Map(
    lifts.map((lift) => [Number(lift.target), { askedBy: lift.proposerName, dueAt: dueAt(lift).getTime() }]),
  );
}

/** After the delay: removes the factors unless the request ended, or its target left or became a signatory, meanwhile. */
export async function liftFactorJob({ proposalId }: JobPayloads['lift_factor'], { db }: JobDeps): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockStaff(trx);
    // A job of an earlier version names no proposal.
    const [lift] = await listProposals(trx, { id: proposalId ?? 0, kind: 'access' });
    const admin = lift && (await queries.findAdmin(trx, Number(lift.target)));
    if (!lift || !admin || (await isSignatory(trx, admin.id))) return;
    await applyAccess(trx, system, lift);
    await endProposal(trx, lift, null, true);
  });
}

/**
 * For a signatory's own e-mail, password and factors: their factor of Régie, where they have one; a provider alone does
 * not suffice.
 * @param presentPassword null for changes that do not ask for it here
 * @throws AppError forbidden, validation_failed
 */
export async function requireOwnProof(
  db: Database | Trx,
  { adminId, session }: Caller,
  presentPassword: string | undefined | null = null,
): Promise<void> {
  if (!session || !(await isSignatory(db, adminId))) return;
  // A recent sign-in, which suffices for others, does not.
  if (presentPassword === undefined && !session.provider) {
    throw invalid({ presentPassword: factorMessages.presentPassword });
  }
  if (session.hasFactor ? isProven(session) : !session.provider) return;
  const { stepUp } = factorMessages;
  throw session.hasFactor
    ? new AppError('forbidden', stepUp, { errors: { stepUp } })
    : new AppError('forbidden', signatureMessages.proofFactor);
}
