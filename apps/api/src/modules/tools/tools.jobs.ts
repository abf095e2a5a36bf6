import { sql } from 'kysely';
import type { JobDeps } from '#src/lib/jobs.ts';

/** Every night: two transactions that gave the same new code at the same moment did not see each other. */
export async function recountDoublesJob(_payload: unknown, { db }: JobDeps): Promise<void> {
  await db.transaction().execute((trx) => sql`SELECT recount_doubles()`.execute(trx));
}
