import type { Capability } from '@regie/contract/capabilities.ts';
import { withoutLinks } from '@regie/contract/letters.ts';
import { sql } from 'kysely';
import type { Trx } from '#src/lib/db.ts';
import { enqueue } from '#src/lib/jobs.ts';
import { readIndependence } from './independence.service.ts';

/**
 * Mails the admins who may decide about a pending proposal.
 * @param capability the capability to decide
 * @param makers ids of the admins the second person must be independent of
 * @param text French sentences: what is pending, and on which screen
 */
export async function notifyDeciders(
  trx: Trx,
  capability: Capability,
  makers: readonly number[],
  text: string,
): Promise<void> {
  const { rows } = await sql<{ id: number; email: string }>`
    SELECT a.id, a.email::text AS email
      FROM admins a JOIN admin_capabilities c ON c.admin_id = a.id AND c.capability = ${capability}
     WHERE a.deleted_at IS NULL ORDER BY a.id`.execute(trx);
  const { isIndependent } = await readIndependence(trx);
  for (const { email } of rows.filter(({ id }) => makers.every((maker) => isIndependent(id, maker)))) {
    await enqueue(trx, 'send_mail', {
      to: email,
      subject: 'Une décision vous attend dans Régie',
      text: `Bonjour,\n\n${withoutLinks(text)}\n\nVérifiez auprès de la personne qui l’a demandé, puis approuvez ou refusez.\n`,
    });
  }
}
