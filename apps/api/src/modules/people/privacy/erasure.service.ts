import { personalFields } from '@regie/contract/audit.ts';
import type { Subject } from '@regie/contract/entity.ts';
import { sql } from 'kysely';
import { type Actor, writeAudit } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { conflict, notFound, orNotFound } from '#src/lib/errors.ts';
import { toFrenchEuros } from '#src/lib/money.ts';
import type { Caller } from '#src/lib/route.ts';
import { deleteRelease } from '#src/modules/catalogue/releases/releases.service.ts';
import { postAdjustment } from '#src/modules/money/ledger/ledger.service.ts';
import { checkMayChange, lockStaff } from '#src/modules/people/staff/staff.service.ts';
import { erasuresOf, personalData } from './personal-data.ts';
import * as queries from './privacy.queries.ts';

const cutToCents = (eur: string) => eur.replace(/(\.\d\d)\d+$/, '$1');

/** Less than a cent cannot be paid. */
const isLessThanACent = (eur: string) => Math.abs(Number(eur)) < 0.01;

export async function previewErasure(db: Trx, id: number) {
  const account = orNotFound(await queries.findAccount(db, id));
  const { balanceEur, pendingPayouts, openOrders, pendingAdjustments, referrals, ...figures } =
    await queries.weighErasure(db, id);
  return {
    ...figures,
    erasedAt: account.erasedAt?.getTime() ?? null,
    obstacles: [
      isLessThanACent(balanceEur)
        ? ''
        : `Son solde est de ${toFrenchEuros(cutToCents(balanceEur))}\u00a0: versez-le ou régularisez-le.`,
      pendingPayouts > 0 ? `Versements en attente\u00a0: ${pendingPayouts}. Payez-les ou annulez-les.` : '',
      openOrders > 0 ? `Commandes ou abonnements en cours\u00a0: ${openOrders}. Attendez leur fin ou annulez-les.` : '',
      pendingAdjustments > 0 ? 'Une régularisation du solde attend des signatures.' : '',
      referrals > 0 ? `Parrainages en cours\u00a0: ${referrals}. Supprimez-les.` : '',
    ].filter(Boolean),
  };
}

/**
 * In one transaction (product §40): releases go to the bin; number, ledger and issued invoices stay.
 * @throws not_found; conflict with what stands against it; forbidden
 */
export async function eraseAccount(trx: Trx, caller: Caller, id: number, reason: string): Promise<{ id: number }> {
  await queries.lockForErasure(trx, id);
  const preview = await previewErasure(trx, id);
  if (preview.erasedAt !== null) throw notFound();
  if (preview.obstacles.length > 0) throw conflict(preview.obstacles.join(' '));
  for (const release of await queries.listReleases(trx, id)) await deleteRelease(trx, caller, release.id);
  await eraseAccountData(trx, caller, id, { ...preview, reason });
  return { id };
}

/** Nothing stands against it, and no release is left. */
export async function eraseAccountData(
  trx: Trx,
  actor: Actor,
  id: number,
  { reason, releases, billings }: { reason: string; releases: number; billings: number },
): Promise<void> {
  const { balanceEur } = await queries.weighErasure(trx, id);
  if (Number(balanceEur) !== 0) {
    const amountEur = balanceEur.startsWith('-') ? balanceEur.slice(1) : `-${balanceEur}`;
    await postAdjustment(trx, {
      accountId: id,
      amountEur,
      adminId: actor.adminId,
      reason: 'reste inférieur à un centime',
    });
  }
  await queries.freezeBuyers(trx, id);
  const journalEntries = await redactEntries(trx, 'account', id);
  await eraseColumns(trx, 'account', id);
  await queries.closeAccount(trx, id);
  await writeAudit(trx, actor, {
    action: 'account.erase',
    entityId: id,
    after: { reason, releases, billings, journalEntries },
  });
}

/** See product §40.6, §35.3. @throws not_found for one who has not left; forbidden as for changing the admin */
export async function eraseAdmin(trx: Trx, caller: Caller, id: number, reason: string): Promise<{ id: number }> {
  await lockStaff(trx);
  const admin = await queries.findAnyAdmin(trx, id);
  if (!admin?.deletedAt || admin.erasedAt) throw notFound();
  checkMayChange(caller, admin);
  await eraseAdminData(trx, caller, id, reason);
  return { id };
}

/** Of a deleted admin; the caller holds the staff lock. */
export async function eraseAdminData(trx: Trx, actor: Actor, id: number, reason: string): Promise<void> {
  const journalEntries = await redactEntries(trx, 'admin', id);
  await sql`SELECT erase_admin_access(${id}::bigint)`.execute(trx);
  await eraseColumns(trx, 'admin', id);
  await trx.updateTable('admins').set({ erasedAt: sql<Date>`now()` }).where('id', '=', id).execute();
  await writeAudit(trx, actor, {
    action: 'admin.erase',
    entityId: id,
    after: { reason, journalEntries },
    alert:
      actor.adminId === null
        ? undefined
        : { kind: 'admin', text: `Les données de l’administrateur n°\u00a0${id} sont effacées.` },
  });
}

/** @returns how many entries changed */
async function redactEntries(trx: Trx, subject: Subject, id: number): Promise<number> {
  let changed = 0;
  for (const { entity, ids } of await queries.listEntries(trx, subject, id)) {
    changed += await queries.redactJournal(trx, ids, personalFields(entity), false);
  }
  if (subject === 'admin') changed += await queries.redactJournal(trx, await queries.listActs(trx, id), [], true);
  return changed;
}

/** Only `erase_admin_access` may delete from these. */
const byFunction = new Set(['second_factors', 'admin_identities']);

/** Deletions first: their conditions read what is replaced. */
async function eraseColumns(trx: Trx, subject: Subject, id: number): Promise<void> {
  const tables = Object.entries(personalData).flatMap(([table, data]) => {
    const condition = queries.conditionOf(data, subject, id);
    return condition === undefined || byFunction.has(table)
      ? []
      : [{ table, condition, erasures: erasuresOf(data, subject) }];
  });
  for (const { table, condition, erasures } of tables) {
    if (erasures.some(([, how]) => how === 'delete')) {
      await sql`DELETE FROM ${sql.raw(table)} t WHERE ${sql.raw(condition)}`.execute(trx);
    }
  }
  for (const { table, condition, erasures } of tables) {
    const puts = erasures.flatMap(([column, how]) =>
      typeof how === 'object' && !('keep' in how) ? [`${column} = ${how.put}`] : [],
    );
    if (puts.length === 0) continue;
    await sql`UPDATE ${sql.raw(table)} t SET ${sql.raw(puts.join(', '))} WHERE ${sql.raw(condition)}`.execute(trx);
  }
}
