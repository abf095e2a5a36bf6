import { readdir, readFile } from 'node:fs/promises';
import { runMigrations as migrateJobs } from 'graphile-worker';
import { CompiledQuery, sql } from 'kysely';
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration';
import { DatabaseError } from 'pg';
import { createDatabase, type Database } from './db.ts';

const folder = new URL('../../migrations/', import.meta.url);

/** The SQL files of `migrations/`, applied in the order of their names. */
class SqlFiles implements MigrationProvider {
  async getMigrations(): Promise<Record<string, Migration>> {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.sql'));
    const entries = names.map((name): [string, Migration] => [
      name.slice(0, -'.sql'.length),
      {
        async up(db) {
          await db.executeQuery(CompiledQuery.raw(await readFile(new URL(name, folder), 'utf8')));
        },
      },
    ]);
    return Object.fromEntries(entries);
  }
}

/** The role the application logs in as; its password follows the secret of the installation. */
async function ensureAppRole(db: Database, password: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Two databases of one server may be migrated at once; roles belong to the server.
    await sql`SELECT pg_advisory_xact_lock(7243, 2)`.execute(trx);
    const { rows } = await sql`SELECT 1 FROM pg_roles WHERE rolname = 'regie_app'`.execute(trx);
    const verb = rows.length === 0 ? 'CREATE' : 'ALTER';
    await sql`${sql.raw(verb)} ROLE regie_app LOGIN PASSWORD ${sql.lit(password)}`.execute(trx);
    await sql`DO $$ BEGIN EXECUTE format('GRANT CONNECT ON DATABASE %I TO regie_app', current_database()); END $$`.execute(
      trx,
    );
  });
}

/** Whether the database has every migration of this version; asked with the application's own login. */
export async function isMigrated(appUrl: string): Promise<boolean> {
  const db = createDatabase(appUrl, { max: 1 });
  try {
    const { rows } = await sql<{ name: string }>`SELECT name FROM kysely_migration`.execute(db);
    const applied = new Set(rows.map(({ name }) => name));
    return Object.keys(await new SqlFiles().getMigrations()).every((name) => applied.has(name));
  } catch (error) {
    // Neither the role nor the table is there before the first migration, and the right to read it comes with one.
    if (error instanceof DatabaseError && ['42P01', '42501', '28P01', '28000'].includes(error.code ?? '')) return false;
    throw error;
  } finally {
    await db.destroy();
  }
}

/**
 * Brings the database to the latest shape: role, tables, job runner. Safe to run from several processes at once.
 * @param upTo name of the last migration to apply (a restore stops at its backup's level)
 * @throws the error of the migration that failed; it left nothing behind.
 */
export async function migrate(options: {
  ownerUrl: string;
  appPassword: string;
  upTo?: string;
}): Promise<{ applied: string[] }> {
  const db = createDatabase(options.ownerUrl, { max: 2 });
  try {
    await ensureAppRole(db, options.appPassword);
    const migrator = new Migrator({ db, provider: new SqlFiles() });
    const { error, results } = options.upTo ? await migrator.migrateTo(options.upTo) : await migrator.migrateToLatest();
    if (error) throw error;
    await migrateJobs({ connectionString: options.ownerUrl });
    return { applied: (results ?? []).map((result) => result.migrationName) };
  } finally {
    await db.destroy();
  }
}
