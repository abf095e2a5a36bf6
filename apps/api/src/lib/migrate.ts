import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { runMigrations as migrateJobs } from 'graphile-worker';
import { CompiledQuery, type Kysely, sql } from 'kysely';
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration';
import { DatabaseError } from 'pg';
import { createDatabase, type Database, patiently } from './db.ts';

const databaseFolder = new URL('../../database/', import.meta.url);

/** Replaces the 63 single migrations of versions before 0.2, up to `lastSingle`. */
const baseline = '200_baseline';
const lastSingle = '115_times_of_acts';
const singlesSha256 = 'e25121c9a89557e78321ab9673e700a869d07c5c6b8341f0414733dd6546ff47';

/** The data is from a version whose migrations no longer exist; the message is for the operator. */
export class DataTooOldError extends Error {
  override name = 'DataTooOldError';

  constructor() {
    super(
      'Ces données viennent d’une version de Régie trop ancienne pour celle-ci\u00A0: démarrez-les ou restaurez-les une fois ' +
        'avec la dernière version 0.1 (commit f7b443f), puis revenez à celle-ci.',
    );
  }
}

/**
 * Translates the migration names of a database or backup: the single ones become the baseline.
 * @throws DataTooOldError when only some of the single ones are present
 */
export function renameMigrations(applied: string[]): string[] {
  const first = applied.filter((name) => name <= lastSingle).sort();
  if (first.length === 0 || first.join() === baseline) return applied;
  if (createHash('sha256').update(first.join()).digest('hex') !== singlesSha256) throw new DataTooOldError();
  return [baseline, ...applied.filter((name) => name > lastSingle)];
}

async function sqlFiles(folder: URL): Promise<URL[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return names.map((name) => new URL(name, folder));
}

/** Applies the baseline, then the SQL files of `migrations/` in order of their names. */
class SqlMigrations implements MigrationProvider {
  readonly #folder: URL;

  constructor(folder: URL) {
    this.#folder = folder;
  }

  async getMigrations(): Promise<Record<string, Migration>> {
    const later = await sqlFiles(new URL('migrations/', this.#folder));
    return {
      [baseline]: { up: (db) => this.#applyBaseline(db) },
      ...Object.fromEntries(
        later.map((file) => [basename(file.pathname, '.sql'), { up: (db) => applyFile(db, file) }]),
      ),
    };
  }

  async #applyBaseline(db: Kysely<unknown>): Promise<void> {
    await applyFile(db, new URL('foundation.sql', this.#folder));
    await applyFunctions(db, this.#folder);
    for (const file of await sqlFiles(new URL('schema/', this.#folder))) await applyFile(db, file);
  }
}

/** Tables and functions reference each other: bodies are not checked. */
async function applyFunctions<T>(db: Kysely<T>, folder: URL): Promise<void> {
  await sql`SET LOCAL check_function_bodies = off`.execute(db);
  for (const file of await sqlFiles(new URL('functions/', folder))) await applyFile(db, file);
  await sql`SET LOCAL check_function_bodies = on`.execute(db);
}

async function applyFile<T>(db: Kysely<T>, file: URL): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(await readFile(file, 'utf8')));
}

/** SQL for the rows of a backup of version 0.1, once they are in the tables of the baseline. */
export async function readRowUpgrade(): Promise<string> {
  return readFile(new URL('from-0.1-rows.sql', databaseFolder), 'utf8');
}

/** This version's migrations, in order. */
export async function migrationNames(): Promise<string[]> {
  return Object.keys(await new SqlMigrations(databaseFolder).getMigrations());
}

/** Turns a database with all single migrations into one with the baseline. */
async function takeOver(db: Database, folder: URL): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows: tables } = await sql<{ name: string | null }>`
      SELECT to_regclass('public.kysely_migration')::text AS name`.execute(trx);
    if (tables[0]?.name == null) return;
    // A second process waits here, also for a former version that is migrating.
    await sql`LOCK TABLE kysely_migration IN SHARE ROW EXCLUSIVE MODE`.execute(trx);
    const { rows } = await sql<{ name: string }>`SELECT name FROM kysely_migration`.execute(trx);
    const applied = rows.map(({ name }) => name);
    if (renameMigrations(applied) === applied) return;
    await applyFunctions(trx, folder);
    await applyFile(trx, new URL('from-0.1.sql', folder));
    await applyFile(trx, new URL('schema/15-changes.sql', folder));
    await applyFile(trx, new URL('from-0.1-rows.sql', folder));
    // Keep the row's timestamp: Kysely orders by it.
    await sql`UPDATE kysely_migration SET name = ${baseline} WHERE name = ${lastSingle}`.execute(trx);
    await sql`DELETE FROM kysely_migration WHERE name COLLATE "C" < ${baseline}`.execute(trx);
  });
}

/** Creates the application's role; its password is derived from the secret. */
async function ensureAppRole(db: Database, password: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Roles are server-wide, and two databases of one server may be migrated at once.
    await sql`SELECT pg_advisory_xact_lock(7243, 2)`.execute(trx);
    const { rows } = await sql`SELECT 1 FROM pg_roles WHERE rolname = 'regie_app'`.execute(trx);
    const verb = rows.length === 0 ? 'CREATE' : 'ALTER';
    await sql`${sql.raw(verb)} ROLE regie_app LOGIN PASSWORD ${sql.lit(password)}`.execute(trx);
    await sql`DO $$ BEGIN EXECUTE format('GRANT CONNECT ON DATABASE %I TO regie_app', current_database()); END $$`.execute(
      trx,
    );
  });
}

/** Whether the database has all migrations of this version; uses the application's login. */
export async function isMigrated(appUrl: string): Promise<boolean> {
  const db = createDatabase(appUrl, { max: 1 });
  try {
    const { rows } = await sql<{ name: string }>`SELECT name FROM kysely_migration`.execute(db);
    const applied = new Set(rows.map(({ name }) => name));
    return (await migrationNames()).every((name) => applied.has(name));
  } catch (error) {
    // Before the first migration, role and table are missing; later migrations grant the read.
    if (error instanceof DatabaseError && ['42P01', '42501', '28P01', '28000'].includes(error.code ?? '')) return false;
    throw error;
  } finally {
    await db.destroy();
  }
}

/**
 * Migrates the database to this version: role, tables, job runner. Safe to run from several processes at once.
 * @param upTo name of the last migration to apply (a restore stops at its backup's level)
 * @param folder where the SQL is, if not this version's
 * @throws DataTooOldError, or the error of the failed migration, which is rolled back
 */
export async function migrate(options: {
  ownerUrl: string;
  appPassword: string;
  upTo?: string;
  folder?: URL;
}): Promise<{ applied: string[] }> {
  const db = createDatabase(options.ownerUrl, { max: 2 });
  try {
    const folder = options.folder ?? databaseFolder;
    await takeOver(db, folder);
    await ensureAppRole(db, options.appPassword);
    const provider = new SqlMigrations(folder);
    const migrator = new Migrator({ db, provider });
    const results = await patiently(async () => {
      const done = options.upTo ? await migrator.migrateTo(options.upTo) : await migrator.migrateToLatest();
      if (done.error) throw done.error;
      return done.results;
    });
    await migrateJobs({ connectionString: options.ownerUrl });
    return { applied: (results ?? []).map((result) => result.migrationName) };
  } finally {
    await db.destroy();
  }
}
