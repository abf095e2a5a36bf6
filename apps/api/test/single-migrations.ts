import { Client } from 'pg';
import singles from './single-migrations.json' with { type: 'json' };

/** Names and results of the single migrations before 0.2, object by object. */
export { singles };

/** Records these single migrations in a migrated database. */
export async function recordSingles(ownerUrl: string, names = singles.migrations): Promise<void> {
  const client = new Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query('DELETE FROM kysely_migration');
    await client.query(
      `INSERT INTO kysely_migration (name, timestamp)
       SELECT name, to_char(timestamp '2026-01-01' + n * interval '1 hour', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
         FROM unnest($1::text[]) WITH ORDINALITY AS s (name, n)`,
      [names],
    );
  } finally {
    await client.end();
  }
}
