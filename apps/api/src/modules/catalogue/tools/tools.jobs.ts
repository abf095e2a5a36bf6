import { sql } from 'kysely';
import type { JobDeps } from '#src/lib/jobs.ts';

/** Nightly: concurrent transactions that set the same code did not see each other. */
export async function recountDuplicatesJob(_payload: unknown, { db }: JobDeps): Promise<void> {
  await db.transaction().execute((trx) => sql`SELECT recount_duplicates()`.execute(trx));
}
