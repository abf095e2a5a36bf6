import { type Kysely, sql } from 'kysely';
import { expect } from 'vitest';
import type { DB } from '#src/lib/db.generated.ts';

/** Waits until exactly this number of queries in the database wait for a lock. */
export async function untilBlocked(db: Kysely<DB>, count: number): Promise<void> {
  const countBlocked = async () => {
    // A transaction would otherwise see the activity of its first look.
    await sql`SELECT pg_stat_clear_snapshot()`.execute(db);
    const { rows } = await sql<{ n: number }>`
      SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(
      db,
    );
    return rows[0]?.n;
  };
  await expect.poll(countBlocked).toBe(count);
}
