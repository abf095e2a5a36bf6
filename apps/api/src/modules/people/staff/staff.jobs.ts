import { sql } from 'kysely';
import { system, writeAudit } from '#src/lib/audit.ts';
import { queryRows } from '#src/lib/db.ts';
import type { JobDeps } from '#src/lib/jobs.ts';
import { deleteEndedSessions } from '#src/lib/session.ts';

/** Nightly (product §31.7, §31.8). */
export async function deleteExpiredJob(_payload: Record<string, never>, { db, log }: JobDeps): Promise<void> {
  await deleteEndedSessions(db);
  await db.deleteFrom('idempotencyKeys').where('createdAt', '<', sql<Date>`now() - interval '7 days'`).execute();
  await sql`DELETE FROM auth_challenges WHERE expires_at < now()`.execute(db);
  await sql`DELETE FROM password_resets WHERE used_at IS NOT NULL OR expires_at < now()`.execute(db);
  // The journal still says who invited whom.
  await sql`DELETE FROM invitations
   WHERE used_at IS NOT NULL OR withdrawn_at IS NOT NULL OR expires_at < now()`.execute(db);
  // The files job deletes their files.
  await sql`DELETE FROM uploads WHERE touched_at < now() - interval '7 days'`.execute(db);
  await sql`DELETE FROM rate_limits WHERE expire < ${Date.now()}`.execute(db);
  log.info('tidied up');
}

/** Hourly, each once. */
export async function reportFailedJobsJob(_payload: Record<string, never>, { db }: JobDeps): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const rows = await queryRows<{ id: string; task: string; attempts: number }>(trx)`
      SELECT j.id::text AS id, j.task_identifier AS task, j.attempts FROM graphile_worker.jobs j
       WHERE j.attempts >= j.max_attempts AND j.locked_at IS NULL
         AND NOT EXISTS (SELECT FROM audit_log l WHERE l.entity = 'job' AND l.entity_id = j.id::text)
       ORDER BY j.id`;
    for (const { id, task, attempts } of rows) {
      await writeAudit(trx, system, {
        action: 'job.fail',
        entityId: id,
        after: { task, attempts },
        // A failed letter must not cause another.
        alert: {
          kind: 'job',
          ...(task === 'send_mail' ? {} : { text: `La tâche «\u00a0${task}\u00a0» a échoué ${attempts} fois.` }),
        },
      });
    }
  });
}
