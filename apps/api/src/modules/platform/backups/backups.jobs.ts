import { sql } from 'kysely';
import type { BackupSettings } from '#src/env.ts';
import type { JobDeps } from '#src/lib/jobs.ts';
import { backUpToStore, findBackupState, removeOldBackups } from './stored-backups.service.ts';

/** Nightly, if configured. */
export function backUpJob(options: {
  ownerUrl: string;
  filesDir: string | undefined;
  backup?: BackupSettings | undefined;
}) {
  return async (_payload: unknown, { db, log }: JobDeps): Promise<void> => {
    const { ownerUrl, filesDir, backup } = options;
    if (backup?.url === undefined) return;
    const { url, keepDays } = backup;
    const written = await backUpToStore(db, { ownerUrl, filesDir, settings: backup, url });
    log.info(written, 'backup stored');
    // Earlier nights that were given up.
    await sql`
      SELECT graphile_worker.complete_jobs((
        SELECT array_agg(id) FROM graphile_worker.jobs
         WHERE task_identifier = 'back_up' AND locked_at IS NULL AND attempts >= max_attempts))`.execute(db);
    try {
      log.info({ removed: await removeOldBackups(url, keepDays) }, 'old backups removed');
    } catch (error) {
      // Repeating the job would make another backup.
      log.error({ reason: error instanceof Error ? error.message : '' }, 'old backups could not be removed');
    }
  };
}

/** Hourly, while there is no recent backup. */
export async function reportLateBackupJob(_payload: unknown, { db, log }: JobDeps): Promise<void> {
  const { isLate, lastAt, lastError } = await findBackupState(db);
  if (isLate) log.error({ lastAt, lastError }, 'no backup for more than a day');
}
