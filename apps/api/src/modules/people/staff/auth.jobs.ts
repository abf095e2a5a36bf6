import { fillLetter, withoutLinks } from '@regie/contract/letters.ts';
import { sql } from 'kysely';
import { queryRow } from '#src/lib/db.ts';
import type { JobDeps, JobPayloads } from '#src/lib/jobs.ts';
import type { SendMail } from '#src/lib/mail.ts';
import { hashToken, newToken } from '#src/lib/secrets.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';
import { deliver } from './delivery.service.ts';
import { dropChallenges, insertChallenge } from './factors.queries.ts';
import { newMailCode } from './factors.rules.ts';
import { mailCodeHash } from './factors.service.ts';
import { isLinked } from './identities.service.ts';
import { findAdminByEmail } from './staff.service.ts';

interface Options {
  sendMail: SendMail;
  publicUrl: string;
}

const resetSeconds = 3600;

/** The token is created here: it exists only in the letter, and known and unknown addresses take equally long. */
export function sendPasswordResetJob({ sendMail, publicUrl }: Options) {
  return async (payload: JobPayloads['send_password_reset'], { db }: JobDeps): Promise<void> => {
    // Nobody expects the letter any more.
    if (Date.now() - Date.parse(payload.requestedAt) > resetSeconds * 1000) return;
    const admin = await findAdminByEmail(db, payload.email);
    if (!admin) return;
    if (payload.provider && (await isLinked(db, admin.id, payload.provider.issuer))) {
      await sendMail({
        to: payload.email,
        subject: 'Votre connexion à Régie',
        text: `Bonjour,

Un nouveau mot de passe a été demandé pour votre compte. Il n’en a pas besoin\u00a0: connectez-vous avec «\u00a0${withoutLinks(payload.provider.label)}\u00a0».
`,
      });
      return;
    }
    const token = newToken();
    await db
      .insertInto('passwordResets')
      .values({
        tokenHash: hashToken(token),
        adminId: admin.id,
        expiresAt: sql<Date>`now() + make_interval(secs => ${sql.lit(resetSeconds)})`,
      })
      .execute();
    const { passwordResetLetter: letter, house } = await readSettings(db);
    const lien = `${publicUrl}/reset-password-action?token=${token}`;
    await deliver(sendMail, db, {
      to: payload.email,
      ...fillLetter<'passwordResetLetter'>(letter, { maison: house.name, lien }),
    });
  };
}

/** Does nothing for a used, withdrawn or expired invitation. */
export function sendInvitationJob({ sendMail, publicUrl }: Options) {
  return async (payload: JobPayloads['send_invitation'], { db }: JobDeps): Promise<void> => {
    const token = newToken();
    const invitation = await queryRow<{ email: string; firstName: string; lastName: string }>(db)`
      UPDATE invitations i SET token_hash = ${hashToken(token)} FROM admins a
       WHERE a.id = i.invited_by AND i.id = ${payload.invitationId}
         AND i.used_at IS NULL AND i.withdrawn_at IS NULL AND i.expires_at > now()
      RETURNING i.email, a.first_name, a.last_name`;
    if (!invitation) return;
    const { invitationLetter: letter, house } = await readSettings(db);
    const invitant = `${invitation.firstName} ${invitation.lastName}`;
    const lien = `${publicUrl}/signup?token=${token}`;
    const setFailedAt = (failedAt: Date | null) =>
      sql`UPDATE invitations SET delivery_failed_at = ${failedAt} WHERE id = ${payload.invitationId}`.execute(db);
    try {
      await deliver(sendMail, db, {
        to: invitation.email,
        ...fillLetter<'invitationLetter'>(letter, { maison: house.name, invitant, lien }),
      });
      await setFailedAt(null);
    } catch (error) {
      // Shown while the job retries.
      await setFailedAt(new Date());
      throw error;
    }
  };
}

/** Earlier codes become invalid. */
export function sendFactorCodeJob({ sendMail }: Pick<Options, 'sendMail'>) {
  return async ({ adminId }: JobPayloads['send_factor_code'], { db }: JobDeps): Promise<void> => {
    const admin = await queryRow<{ email: string }>(db)`
      SELECT email FROM admins WHERE id = ${adminId} AND deleted_at IS NULL`;
    if (!admin) return;
    const code = newMailCode();
    await db.transaction().execute(async (trx) => {
      await dropChallenges(trx, adminId, 'mail_code');
      await insertChallenge(trx, { tokenHash: mailCodeHash(adminId, code), adminId, purpose: 'mail_code' });
    });
    const { factorCodeLetter: letter, house } = await readSettings(db);
    const filled = fillLetter<'factorCodeLetter'>(letter, { maison: house.name, code });
    await deliver(sendMail, db, { to: admin.email, ...filled });
  };
}
