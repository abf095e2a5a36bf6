import { factorLiftHours, factorMessages } from '@regie/contract/second-factors.ts';
import { de } from '@regie/values/elision.ts';
import { sql } from 'kysely';
import { type Actor, writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import { AppError, conflict, notFound } from '#src/lib/errors.ts';
import { enqueue, type JobDeps, type JobPayloads } from '#src/lib/jobs.ts';
import type { Caller } from '#src/lib/route.ts';
import { removeAllFactors } from '#src/modules/auth/factors.service.ts';
import { isIndependent, isWithoutSecondPerson } from './independence.service.ts';
import * as queries from './staff.queries.ts';
import * as rules from './staff.rules.ts';
import {
  closeAccess,
  findAdminByEmail,
  lockCaller,
  lockStaff,
  notifyAccessChanged,
  toRights,
} from './staff.service.ts';

const findOpenLift = (trx: Trx | Database, adminId: number) =>
  trx
    .selectFrom('factorLifts as l')
    .innerJoin('admins as a', 'a.id', 'l.askedBy')
    .select(['l.id', 'l.askedBy', 'l.dueAt', 'a.firstName', 'a.lastName'])
    .where('l.adminId', '=', adminId)
    .where('l.endedAt', 'is', null)
    .executeTakeFirst();

const nameOf = ({ firstName, lastName }: { firstName: string; lastName: string }) => `${firstName} ${lastName}`;

/** Locks the caller and the owner of the factor and reads both. @throws AppError not_found, forbidden */
async function lockBoth(
  trx: Trx,
  caller: Caller,
  adminId: number,
): Promise<{ callerId: number; target: queries.AdminRow }> {
  const me = await lockCaller(trx, caller, 'edit_admins');
  const target = await queries.findAdmin(trx, adminId);
  if (!target) throw notFound();
  rules.checkEdit(me, toRights(target), target.capabilities);
  return { callerId: me.id, target };
}

/**
 * Requests the removal of all second factors of an admin who lost theirs. Both are notified; it happens after
 * `factorLiftHours`. When nobody is independent of the admin, any colleague may request it, and the journal marks it
 * unchecked.
 * @throws AppError not_found; forbidden for a dependent caller when an independent admin exists; conflict
 */
export async function askFactorLift(trx: Trx, caller: Caller, adminId: number): Promise<Date> {
  const { callerId, target } = await lockBoth(trx, caller, adminId);
  if (callerId === adminId) throw new AppError('forbidden', factorMessages.liftDependent);
  const isUnchecked = !(await isIndependent(trx, callerId, adminId));
  // Without an independent admin a colleague may ask: the owner has a day to refuse.
  if (isUnchecked && !(await isWithoutSecondPerson(trx, 'edit_admins', adminId))) {
    throw new AppError('forbidden', factorMessages.liftDependent);
  }
  const { rows } = await sql`
    SELECT FROM second_factors WHERE admin_id = ${adminId} AND removed_at IS NULL LIMIT 1`.execute(trx);
  if (rows.length === 0) throw conflict(factorMessages.noFactor);
  if (await findOpenLift(trx, adminId)) throw conflict(factorMessages.liftAsked);
  const { id, dueAt } = await trx
    .insertInto('factorLifts')
    .values({
      adminId,
      askedBy: callerId,
      dueAt: sql<Date>`now() + make_interval(hours => ${sql.lit(factorLiftHours)})`,
    })
    .returning(['id', 'dueAt'])
    .executeTakeFirstOrThrow();
  await enqueue(trx, 'lift_factor', { liftId: id }, dueAt);
  const condition = isUnchecked
    ? 'sans que personne ne l’ait vérifiée'
    : 'ou dès qu’une troisième personne le confirme';
  const hours = `dans ${factorLiftHours} heures, ${condition}`;
  await notifyAccessChanged(
    trx,
    caller,
    adminId,
    `La levée de votre second facteur est demandée. Elle prendra effet ${hours}. Si vous ne l’avez pas perdu, conservez-le dans la page Sécurité.`,
  );
  await notifyAccessChanged(
    trx,
    caller,
    callerId,
    `Vous avez demandé la levée du second facteur ${de(nameOf(target))}. Elle prendra effet ${hours}.`,
  );
  await writeAudit(trx, caller, {
    action: 'admin.ask_factor_lift',
    entityId: adminId,
    after: { dueAt: dueAt.toISOString(), ...(isUnchecked ? { unchecked: true } : {}) },
  });
  return dueAt;
}

/**
 * Confirms the removal at once.
 * @param dueAt due time of the request that was shown
 * @throws AppError not_found; conflict when it is another request; forbidden unless the caller is a third, independent
 * admin
 */
export async function confirmFactorLift(trx: Trx, caller: Caller, adminId: number, dueAt: number): Promise<void> {
  const { callerId } = await lockBoth(trx, caller, adminId);
  const lift = await findOpenLift(trx, adminId);
  if (!lift) throw notFound();
  if (lift.dueAt.getTime() !== dueAt) throw conflict();
  const others = [adminId, lift.askedBy];
  const areApart =
    !others.includes(callerId) &&
    (await isIndependent(trx, callerId, adminId)) &&
    (await isIndependent(trx, callerId, lift.askedBy));
  if (!areApart) throw new AppError('forbidden', factorMessages.liftThird);
  await liftFactors(trx, caller, { ...lift, adminId });
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
  const lift = await findOpenLift(trx, adminId);
  if (!lift || !(await closeLift(trx, lift.id, caller.adminId, false))) throw notFound();
  await notifyAccessChanged(
    trx,
    caller,
    adminId,
    'La levée de votre second facteur est abandonnée\u00a0: il reste en place.',
  );
  await writeAudit(trx, caller, { action: 'admin.cancel_factor_lift', entityId: adminId });
}

async function closeLift(trx: Trx, id: number, endedBy: number | null, isLifted: boolean): Promise<boolean> {
  const closed = await trx
    .updateTable('factorLifts')
    // The clock, not the transaction's start: somebody may have vouched while it waited, unaware of this change.
    .set({ endedAt: sql<Date>`clock_timestamp()`, endedBy, isLifted })
    .where('id', '=', id)
    .where('endedAt', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return closed !== undefined;
}

async function endAccessWithoutFactor(
  trx: Trx,
  actor: Actor,
  adminId: number,
  factors: readonly string[],
): Promise<void> {
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

async function liftFactors(
  trx: Trx,
  actor: Actor,
  lift: { id: number; adminId: number; askedBy: number },
): Promise<void> {
  const { adminId, askedBy } = lift;
  if (!(await closeLift(trx, lift.id, actor.adminId, true))) throw notFound();
  await endAccessWithoutFactor(trx, actor, adminId, await removeAllFactors(trx, adminId));
  const target = await queries.findAdmin(trx, adminId);
  if (target) await notifyAccessChanged(trx, actor, askedBy, `Le second facteur ${de(nameOf(target))} est levé.`);
}

/**
 * Removes the second factors of an admin on the server, for a label with a single admin.
 * @throws AppError not_found; conflict without a factor
 */
export async function liftFactorsOnServer(db: Database, email: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockStaff(trx);
    const admin = await findAdminByEmail(trx, email);
    if (!admin) throw notFound();
    const factors = await removeAllFactors(trx, admin.id);
    if (factors.length === 0) throw conflict(factorMessages.noFactor);
    const system = { adminId: null, requestId: null };
    const open = await findOpenLift(trx, admin.id);
    if (open) await closeLift(trx, open.id, null, true);
    await endAccessWithoutFactor(trx, system, admin.id, factors);
  });
}

/** The pending request for the caller's own factors. */
export async function describeOwnLift(db: Database | Trx, caller: Caller) {
  const lift = caller.adminId === null ? undefined : await findOpenLift(db, caller.adminId);
  return { factorLift: lift ? { askedBy: nameOf(lift), dueAt: lift.dueAt.getTime() } : null };
}

/** After the delay: removes the factors unless the request ended meanwhile. */
export async function liftFactorJob({ liftId }: JobPayloads['lift_factor'], { db }: JobDeps): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockStaff(trx);
    const lift = await trx
      .selectFrom('factorLifts')
      .select(['id', 'adminId', 'askedBy'])
      .where('id', '=', liftId)
      .where('endedAt', 'is', null)
      .where('dueAt', '<=', sql<Date>`now()`)
      .forUpdate()
      .executeTakeFirst();
    if (lift) await liftFactors(trx, { adminId: null, requestId: null }, lift);
  });
}
