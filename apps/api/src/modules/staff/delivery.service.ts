import { sql } from 'kysely';
import { writeAudit } from '#src/lib/audit.ts';
import type { Database } from '#src/lib/db.ts';
import type { JobDeps, JobPayloads } from '#src/lib/jobs.ts';
import { type MailMessage, refusalCode, type SendMail } from '#src/lib/mail.ts';

/**
 * Sends a letter. One that the mail server refuses for good is journalled once, so that it can be seen who was not told.
 * @throws what the mail server answers: the job is tried again
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

/** A letter is tried for about three days. */
const triedDays = 7;

async function journalRefusal(db: Database, { to, subject }: MailMessage, reply: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql`
      SELECT FROM audit_log
       WHERE action = 'mail.refuse' AND at > now() - make_interval(days => ${sql.lit(triedDays)})
         AND after ->> 'to' = ${to} AND after ->> 'subject' = ${subject} LIMIT 1`.execute(trx);
    if (rows.length > 0) return;
    const entry = { action: 'mail.refuse', entityId: null, after: { to, subject, reply } } as const;
    // Without a text: a letter that could not be sent is no reason for more letters.
    await writeAudit(trx, { adminId: null, requestId: null }, { ...entry, alert: { kind: 'job' } });
  });
}

export const sendMailJob =
  (sendMail: SendMail) =>
  (message: JobPayloads['send_mail'], { db }: JobDeps): Promise<void> =>
    deliver(sendMail, db, message);
