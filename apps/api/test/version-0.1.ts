import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { Client } from 'pg';
import singles from './single-migrations.json' with { type: 'json' };

/** The single migrations of version 0.1, in order. */
export { singles };

/**
 * Builds an empty database of version 0.1: what its single migrations made, with their names recorded. The role regie_app
 * must exist.
 * @param names what to record instead
 */
export async function buildVersion01(ownerUrl: string, names: readonly string[] = singles): Promise<void> {
  const client = new Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query(`
      CREATE TABLE kysely_migration (name varchar(255) NOT NULL PRIMARY KEY, timestamp varchar(255) NOT NULL);
      CREATE TABLE kysely_migration_lock (id varchar(255) NOT NULL PRIMARY KEY, is_locked integer NOT NULL DEFAULT 0);
      INSERT INTO kysely_migration_lock (id) VALUES ('migration_lock')`);
    await client.query(gunzipSync(await readFile(new URL('version-0.1.sql.gz', import.meta.url))).toString());
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
