import { sql } from 'kysely';
import type { JobDeps } from '#src/lib/jobs.ts';
import { deleteEndedSessions } from '#src/lib/session.ts';

/** Every night: ended sessions, answers kept for their seven days, spent links and counters go (decisions §1). */
export async function tidyUpJob(_payload: Record<string, never>, { db, log }: JobDeps): Promise<void> {
  await deleteEndedSessions(db);
  await db.deleteFrom('idempotencyKeys').where('createdAt', '<', sql<Date>`now() - interval '7 days'`).execute();
  await sql`DELETE FROM auth_challenges WHERE expires_at < now()`.execute(db);
  await sql`DELETE FROM password_resets WHERE used_at IS NOT NULL OR expires_at < now()`.execute(db);
  // The journal keeps who was invited by whom.
  await sql`DELETE FROM invitations WHERE used_at IS NOT NULL OR withdrawn_at IS NOT NULL OR expires_at < now()`.execute(
    db,
  );
  // Their files go the same night.
  await sql`DELETE FROM uploads WHERE touched_at < now() - interval '7 days'`.execute(db);
  await sql`DELETE FROM statement_uploads WHERE touched_at < now() - interval '7 days'`.execute(db);
  await sql`DELETE FROM rate_limits WHERE expire < ${Date.now()}`.execute(db);
  log.info('tidied up');
}
