import { createDatabase } from '@regie/api/lib/db.ts';
import { createFolderStorage } from '@regie/api/lib/storage.ts';
import { createLineStore } from '@regie/api/modules/income/lines/lines.service.ts';
import { publishRun } from '@regie/api/modules/money/royalty-statements/publish-run.service.ts';
import { linkTo } from '@regie/api/modules/money/royalty-statements/royalty-letters.service.ts';
import { sql } from 'kysely';
import { Client as PgClient } from 'pg';
import { secret, type World } from './world.ts';

export interface PublishedRun {
  statements: number;
  seconds: number;
  /** Of its queries that compute each line's net amount and add them up by account. */
  aggregateSeconds: number;
  /** Of the process that publishes. */
  memoryGrowthBytes: number;
  /** The address of the statement with the most tracks. */
  page: string;
}

/** Publishes the statements of what was posted, with the files of `root`. */
export async function publishStatements(world: World, database: string, root: string): Promise<PublishedRun> {
  const db = createDatabase(world.url(database), { max: 1 });
  const main = new PgClient({ connectionString: world.url(database) });
  await main.connect();
  const lines = createLineStore({ storage: createFolderStorage(root), folder: `${root}/lines` });
  let aggregateSeconds = 0;
  const query = main.query.bind(main) as (text: unknown, values?: unknown[]) => Promise<unknown>;
  // Streams are returned as they are.
  const measured = (text: unknown, values?: unknown[]) => {
    const start = performance.now();
    const answer = query(text, values);
    if (/royalty_(lines|records) ON COMMIT/.test(String(text))) {
      void answer.then(() => {
        aggregateSeconds += (performance.now() - start) / 1000;
      });
    }
    return answer;
  };
  main.query = measured as typeof main.query;
  try {
    await sql`VACUUM (ANALYZE)`.execute(db);
    const { rows } = await sql<{ id: number }>`
      INSERT INTO royalty_runs (month) SELECT date_trunc('month', now())::date RETURNING id`.execute(db);
    const memoryBefore = process.memoryUsage.rss();
    const start = performance.now();
    const statements = await publishRun(main, lines, rows[0]?.id ?? 0);
    const seconds = (performance.now() - start) / 1000;
    const memoryGrowthBytes = process.memoryUsage.rss() - memoryBefore;
    const largest = await sql<{ id: number }>`
      WITH largest AS (SELECT id FROM royalty_statements ORDER BY lines DESC, id LIMIT 1)
      INSERT INTO royalty_letters (statement_id, email, sent_at, expires_at)
      SELECT id, 'client@exemple.fr', now(), now() + interval '1 day' FROM largest RETURNING statement_id AS id`.execute(
      db,
    );
    const page = linkTo({ publicUrl: '', secret }, largest.rows[0]?.id ?? 0, 1);
    return { statements: statements ?? 0, seconds, aggregateSeconds, memoryGrowthBytes, page };
  } finally {
    await Promise.all([db.destroy(), main.end(), lines.close()]);
  }
}
