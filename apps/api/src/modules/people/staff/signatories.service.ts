import { withoutLinks } from '@regie/contract/letters.ts';
import { signatureMessages } from '@regie/contract/signatures.ts';
import { sql } from 'kysely';
import { type Actor, type AuditEntry, system, writeAudit } from '#src/lib/audit.ts';
import { type Database, exists, type Trx } from '#src/lib/db.ts';
import { conflict, orNotFound } from '#src/lib/errors.ts';
import { enqueue } from '#src/lib/jobs.ts';
import type { Caller } from '#src/lib/route.ts';
import { defineProposal } from '#src/modules/money/signing/proposals.service.ts';
import { endSignatures, listSignatories, lockSignatures } from '#src/modules/money/signing/signing.service.ts';
import { findAdmin, requireAdminByEmail } from './staff.service.ts';

async function nameOf(db: Database, id: number): Promise<string> {
  const admin = orNotFound(await findAdmin(db, id));
  return `${admin.firstName} ${admin.lastName}`;
}

/** All signatories and the journal's readers are told. */
async function change(trx: Trx, actor: Actor, id: number, isAdded: boolean): Promise<void> {
  await lockSignatures(trx);
  const name = await nameOf(trx, id);
  const before = await listSignatories(trx);
  if (before.some((one) => one.id === id) === isAdded) {
    throw conflict(isAdded ? signatureMessages.present : signatureMessages.absent);
  }
  if (isAdded) await trx.insertInto('signatories').values({ adminId: id, addedBy: actor.adminId }).execute();
  else {
    await sql`
      UPDATE signatories SET removed_at = now(), removed_by = ${actor.adminId}
       WHERE admin_id = ${id} AND removed_at IS NULL`.execute(trx);
    // They would count again if the admin came back. Who stays alone signs anew.
    await endSignatures(trx, before.length === 2 ? {} : { adminId: id });
  }
  const text = isAdded ? `${name} est maintenant signataire.` : `${name} n’est plus signataire.`;
  await writeAudit(trx, actor, {
    action: isAdded ? 'signatory.add' : 'signatory.remove',
    entityId: id,
    alert: { kind: 'admin', text },
  });
  const after = await listSignatories(trx);
  for (const email of new Set([...before, ...after].map((one) => one.email))) {
    await enqueue(trx, 'send_mail', {
      to: email,
      subject: 'Les signataires changent',
      text: `Bonjour,\n\n${withoutLinks(text)}\n`,
    });
  }
}

const proposeChange = defineProposal('set', {
  sign: 'signatory.sign',
  rights: ['read_admins', 'edit_admins', 'delete_admins'],
  apply: async (trx, actor, { target, value }) => {
    const { isAdded } = value as { isAdded: boolean };
    if (!isAdded && (await listSignatories(trx)).length <= 2) throw conflict(signatureMessages.lastOnServer);
    await change(trx, actor, Number(target), isAdded);
  },
});

/** @returns whether it is done @throws not_found; conflict when nothing would change, or two would become one */
export async function proposeSignatory(trx: Trx, caller: Caller, id: number, isAdded: boolean): Promise<boolean> {
  const name = await nameOf(trx, id);
  const present = await listSignatories(trx);
  if (present.some((one) => one.id === id) === isAdded) {
    throw conflict(isAdded ? signatureMessages.present : signatureMessages.absent);
  }
  if (!isAdded && present.length <= 2) throw conflict(signatureMessages.lastOnServer);
  const text = isAdded ? `${name} est proposé comme signataire.` : `Le retrait du signataire ${name} est proposé.`;
  const entry: AuditEntry = {
    action: 'signatory.propose',
    entityId: id,
    after: { isAdded },
    alert: { kind: 'admin', text },
  };
  return (await proposeChange(trx, caller, { target: id, value: { isAdded }, entry })) === undefined;
}

/** @throws not_found, conflict */
export async function changeSignatoryOnServer(db: Database, email: string, isAdded: boolean): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await change(trx, system, (await requireAdminByEmail(trx, email)).id, isAdded);
  });
}

/** The first admin of a new house is its first signatory. */
export async function addFirstSignatory(trx: Trx, id: number): Promise<void> {
  if (!(await exists(trx)`SELECT FROM admins WHERE id <> ${id}`)) await change(trx, system, id, true);
}
