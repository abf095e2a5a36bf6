import { sql } from 'kysely';
import type { JobDeps, JobPayloads } from '#src/lib/jobs.ts';
import type { SendMail } from '#src/lib/mail.ts';
import { hashToken, newToken } from '#src/lib/secrets.ts';
import { findAdminByEmail } from '#src/modules/staff/staff.service.ts';

interface Options {
  sendMail: SendMail;
  publicUrl: string;
}

const resetSeconds = 3600;

/**
 * Makes a reset link and sends it, when the address is an admin's. The token is made here, not where the link was
 * asked for: it exists in the letter only, and asking takes the same time for known and unknown addresses.
 */
export function sendPasswordResetJob({ sendMail, publicUrl }: Options) {
  return async (payload: JobPayloads['send_password_reset'], { db }: JobDeps): Promise<void> => {
    // A letter that could not leave for an hour is no longer expected.
    if (Date.now() - Date.parse(payload.requestedAt) > resetSeconds * 1000) return;
    const admin = await findAdminByEmail(db, payload.email);
    if (!admin) return;
    const token = newToken();
    await db
      .insertInto('passwordResets')
      .values({
        tokenHash: hashToken(token),
        adminId: admin.id,
        expiresAt: sql<Date>`now() + make_interval(secs => ${sql.lit(resetSeconds)})`,
      })
      .execute();
    await sendMail({
      to: payload.email,
      subject: 'Réinitialiser votre mot de passe Régie',
      text: [
        'Bonjour,',
        '',
        'Vous avez demandé un nouveau mot de passe pour Régie. Choisissez-le à cette adresse, valable une heure et une seule fois\u00A0:',
        '',
        `${publicUrl}/reset-password-action?token=${token}`,
        '',
        'Si vous n’avez rien demandé, ignorez ce message\u00A0: votre mot de passe reste le même.',
        '',
      ].join('\n'),
    });
  };
}

/** Makes an invitation's token and sends it; an invitation used, withdrawn or expired meanwhile stays silent. */
export function sendInvitationJob({ sendMail, publicUrl }: Options) {
  return async (payload: JobPayloads['send_invitation'], { db }: JobDeps): Promise<void> => {
    const token = newToken();
    const invitation = await db
      .updateTable('invitations as i')
      .from('admins as a')
      .set({ tokenHash: hashToken(token) })
      .whereRef('a.id', '=', 'i.invitedBy')
      .where('i.id', '=', payload.invitationId)
      .where('i.usedAt', 'is', null)
      .where('i.withdrawnAt', 'is', null)
      .where('i.expiresAt', '>', sql<Date>`now()`)
      .returning(['i.email', 'a.firstName', 'a.lastName'])
      .executeTakeFirst();
    if (!invitation) return;
    await sendMail({
      to: invitation.email,
      subject: 'Votre invitation à Régie',
      text: [
        'Bonjour,',
        '',
        `${invitation.firstName} ${invitation.lastName} vous invite à rejoindre Régie. Créez votre compte à cette adresse, valable sept jours et une seule fois\u00A0:`,
        '',
        `${publicUrl}/signup?token=${token}`,
        '',
        'Si vous n’attendiez pas cette invitation, ignorez ce message.',
        '',
      ].join('\n'),
    });
  };
}
