import { withoutLinks } from '@regie/contract/letters.ts';
import { de } from '@regie/values/elision.ts';
import { sql } from 'kysely';
import { nightAlert, writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import { AppError, conflict, notFound } from '#src/lib/errors.ts';
import { enqueue } from '#src/lib/jobs.ts';
import type { Caller } from '#src/lib/route.ts';
import { providerId, readIndependence } from './independence.service.ts';
import * as queries from './staff.queries.ts';
import { lockCaller, lockStaff } from './staff.service.ts';

/** Notifies admins with edit_admins or the journal of changes in who is independent of whom. */
export async function notifyEditors(trx: Trx, letter: { subject: string; text: string }): Promise<void> {
  const { rows } = await sql<{ email: string }>`
    SELECT a.email::text AS email FROM admins a
     WHERE a.deleted_at IS NULL AND EXISTS (
       SELECT FROM admin_capabilities c WHERE c.admin_id = a.id AND c.capability IN ('edit_admins', 'read_audit'))
     ORDER BY a.id`.execute(trx);
  for (const { email } of rows) await enqueue(trx, 'send_mail', { to: email, ...letter });
}

/** A maker's name for readers; `names` by id. */
export const nameOfMaker = (names: ReadonlyMap<number, string>, id: number): string =>
  id === providerId ? 'qui gère le service de connexion' : (names.get(id) ?? '');

async function vouch(trx: Trx, admin: queries.AdminRow, by: { id: number; name: string } | null): Promise<void> {
  await trx
    .insertInto('adminVouches')
    .values({ adminId: admin.id, vouchedBy: by?.id ?? null })
    .execute();
  const name = withoutLinks(`${admin.firstName} ${admin.lastName}`);
  await notifyEditors(trx, {
    subject: 'Un administrateur est déclaré indépendant',
    text: `Bonjour,

${by === null ? 'Quelqu’un qui administre le serveur' : withoutLinks(by.name)} se porte garant ${de(name)} (${admin.email})\u00a0: cette personne peut désormais approuver ce que font ceux qui l’ont ajoutée.

Si vous ne connaissez pas cette personne, retirez-lui ses droits et prévenez votre responsable.
`,
  });
}

/**
 * Vouches that an admin is a separate person.
 * @param version the version the list showed
 * @throws AppError not_found; conflict when the admin has no makers, or the version changed; forbidden unless the
 * caller is independent of the admin and their makers
 */
export async function vouchForAdmin(trx: Trx, caller: Caller, id: number, version: string): Promise<void> {
  // Wait for a password or capabilities being set, so that they count before the vouching.
  const { id: callerId } = await lockCaller(trx, caller, 'edit_admins');
  const admin = await queries.findAdmin(trx, id);
  const me = await queries.findAdmin(trx, callerId);
  if (!admin || !me) throw notFound();
  const { isIndependent, makersOf, versionOf } = await readIndependence(trx);
  const makers = makersOf(id);
  if (makers.length === 0) throw conflict('Cet administrateur ne dépend de personne');
  if (![id, ...makers].every((other) => isIndependent(me.id, other))) {
    throw new AppError(
      'forbidden',
      'Seul un administrateur indépendant de cette personne et de ceux qui l’ont ajoutée peut se porter garant',
    );
  }
  if (version !== versionOf(id)) throw conflict(changedSince);
  await vouch(trx, admin, { id: me.id, name: `${me.firstName} ${me.lastName}` });
  await writeAudit(trx, caller, {
    action: 'admin.vouch',
    entityId: id,
    after: { makers },
    alert: nightAlert('Un administrateur est déclaré indépendant la nuit.'),
  });
}

const changedSince = 'L’accès de cette personne a changé depuis que vous l’avez vu\u00a0: vérifiez de qui elle dépend';

/** Who could act as the admin with this address, and the version to vouch for. @throws AppError not_found */
export async function describeVouching(db: Database, email: string): Promise<{ dependsOn: string[]; version: string }> {
  const admin = await queries.findAdminByEmail(db, email);
  if (!admin) throw notFound();
  const { makersOf, versionOf } = await readIndependence(db);
  const names = await queries.mapNames(db);
  return { dependsOn: makersOf(admin.id).map((id) => nameOfMaker(names, id)), version: versionOf(admin.id) };
}

/**
 * Vouches on the server, on the operator's responsibility.
 * @param version the one `describeVouching` returned; without it, the current one
 * @throws AppError not_found; conflict when the version changed
 */
export async function vouchOnServer(db: Database, email: string, version?: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockStaff(trx);
    const found = await queries.findAdminByEmail(trx, email);
    const admin = found && (await queries.findAdmin(trx, found.id));
    if (!admin) throw notFound();
    if (version !== undefined && version !== (await readIndependence(trx)).versionOf(admin.id)) {
      throw conflict(changedSince);
    }
    await vouch(trx, admin, null);
    await writeAudit(trx, { adminId: null, requestId: null }, { action: 'admin.vouch', entityId: admin.id });
  });
}
