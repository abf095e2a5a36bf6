import { sql } from 'kysely';
import { isAction, system, writeAudit } from '#src/lib/audit.ts';
import { type Database, exists } from '#src/lib/db.ts';
import type { JobDeps, JobPayloads } from '#src/lib/jobs.ts';
import { type MailMessage, refusalCode, type SendMail } from '#src/lib/mail.ts';

/**
 * A permanent refusal is journalled once, naming the recipient.
 * @throws temporary errors of the mail server: the job is retried
 */
export async function deliver(sendMail: SendMail, db: Database, message: MailMessage): Promise<void> {
  try {
    await sendMail(message);
  } catch (error) {
    const reply = refusalCode(error);
    if (reply !== undefined) await journalRefusal(db, message, reply);
    throw error;
  }
}

/** Longer than letters are retried. */
const triedDays = 7;

async function journalRefusal(db: Database, { to, subject }: MailMessage, reply: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const isJournalled = await exists(trx)`
      SELECT FROM audit_log
       WHERE ${isAction('mail.refuse')} AND at > now() - make_interval(days => ${sql.lit(triedDays)})
         AND after ->> 'to' = ${to} AND after ->> 'subject' = ${subject}`;
    if (isJournalled) return;
    const entry = { action: 'mail.refuse', entityId: null, after: { to, subject, reply } } as const;
    // Without text: a failed letter must not cause more letters.
    await writeAudit(trx, system, { ...entry, alert: { kind: 'job' } });
  });
}

export const sendMailJob =
  (sendMail: SendMail) =>
  (message: JobPayloads['send_mail'], { db }: JobDeps): Promise<void> =>
    deliver(sendMail, db, message);
