import { withoutLinks } from '@regie/contract/letters.ts';
import { sql } from 'kysely';
import { nightAlert, writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import { AppError, conflict, notFound } from '#src/lib/errors.ts';
import { enqueue } from '#src/lib/jobs.ts';
import type { Caller } from '#src/lib/route.ts';
import { readIndependence } from './independence.service.ts';
import * as queries from './staff.queries.ts';
import { lockCaller, lockStaff } from './staff.service.ts';

/** Everybody who may edit admins or read the journal hears of what changes who is independent of whom. */
export async function tellEditors(trx: Trx, letter: { subject: string; text: string }): Promise<void> {
  const { rows } = await sql<{ email: string }>`
    SELECT a.email::text AS email FROM admins a
     WHERE a.deleted_at IS NULL AND EXISTS (
       SELECT FROM admin_capabilities c WHERE c.admin_id = a.id AND c.capability IN ('edit_admins', 'read_audit'))
     ORDER BY a.id`.execute(trx);
  for (const { email } of rows) await enqueue(trx, 'send_mail', { to: email, ...letter });
}

async function vouch(trx: Trx, admin: queries.AdminRow, by: { id: number; name: string } | null): Promise<void> {
  await trx
    .insertInto('adminVouches')
    .values({ adminId: admin.id, vouchedBy: by?.id ?? null })
    .execute();
  const name = withoutLinks(`${admin.firstName} ${admin.lastName}`);
  await tellEditors(trx, {
    subject: 'Un administrateur est déclaré indépendant',
    text: `Bonjour,

${by === null ? 'Quelqu’un qui administre le serveur' : withoutLinks(by.name)} se porte garant de ${name} (${admin.email})\u00a0: cette personne peut désormais approuver ce que font ceux qui l’ont ajoutée.

Si vous ne connaissez pas cette personne, retirez-lui ses droits et prévenez votre responsable.
`,
  });
}

/**
 * Answers for an admin being a person of their own.
 * @throws AppError not_found, conflict where nobody made that admin or somebody vouched since, forbidden for whoever is not
 * independent of the admin and of who made them
 */
export async function vouchForAdmin(trx: Trx, caller: Caller, id: number): Promise<void> {
  // A password or rights that somebody is just giving them count before it is said that they are their own person.
  const { id: callerId } = await lockCaller(trx, caller, 'edit_admins');
  const admin = await queries.findAdmin(trx, id);
  const me = await queries.findAdmin(trx, callerId);
  if (!admin || !me) throw notFound();
  const { isIndependent, makersOf } = await readIndependence(trx);
  const makers = makersOf(id);
  if (makers.length === 0) throw conflict('Cet administrateur ne dépend de personne');
  if (![id, ...makers].every((other) => isIndependent(me.id, other))) {
    throw new AppError(
      'forbidden',
      'Seul un administrateur indépendant de cette personne et de ceux qui l’ont ajoutée peut se porter garant',
    );
  }
  await vouch(trx, admin, { id: me.id, name: `${me.firstName} ${me.lastName}` });
  await writeAudit(trx, caller, {
    action: 'admin.vouch',
    entityId: id,
    after: { makers },
    alert: nightAlert('Un administrateur est déclaré indépendant la nuit.'),
  });
}

/** The same on the server, where whoever has its keys answers for it. @throws AppError not_found */
export async function vouchOnServer(db: Database, email: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockStaff(trx);
    const found = await queries.findAdminByEmail(trx, email);
    const admin = found && (await queries.findAdmin(trx, found.id));
    if (!admin) throw notFound();
    await vouch(trx, admin, null);
    await writeAudit(trx, { adminId: null, requestId: null }, { action: 'admin.vouch', entityId: admin.id });
  });
}
