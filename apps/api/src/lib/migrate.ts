import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { runMigrations as migrateJobs } from 'graphile-worker';
import { CompiledQuery, sql } from 'kysely';
import { DatabaseError } from 'pg';
import { createDatabase, type Database, exists, queryColumn, queryRows, queryValue, type Trx } from './db.ts';

const databaseFolder = new URL('../../database/', import.meta.url);

/** All of `schema/`: what a new database begins with, and what databases of version 0.2 become. */
const baseline = '500_baseline';
/** The last migration of version 0.2. */
const lastOf02 = '298_job_queue';

/** The data is from a version that this one cannot read; the message is for the operator. */
export class DataVersionError extends Error {
  override name = 'DataVersionError';
}

const olderData =
  'Ces données viennent d’une version de Régie trop ancienne pour celle-ci\u00A0: démarrez-les ou restaurez-les une fois ' +
  'avec la version 0.2 (commit 67a11f3c), puis revenez à celle-ci.';
export const newerData = 'La base vient d’une version plus récente de Régie\u00A0: prenez cette version.';
export const archivedData =
  "Ces données ont des années archivées\u00A0: restaurez-les d'abord avec la version 0.2 (npm run archive -- --list les nomme), " +
  'puis revenez à celle-ci.';

/** @throws DataVersionError unless the migrations of a database or backup are those of version 0.2 or of this one */
export function isVersion02(migrations: readonly string[]): boolean {
  if (migrations.at(-1) === lastOf02) return true;
  if (migrations.some((name) => name < baseline)) throw new DataVersionError(olderData);
  return false;
}

async function sqlFiles(folder: URL): Promise<URL[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return names.map((name) => new URL(name, folder));
}

const run = (trx: Trx, text: string) => trx.executeQuery(CompiledQuery.raw(text));
const applyFile = async (trx: Trx, file: URL) => run(trx, await readFile(file, 'utf8'));

/** With the hash of each text: a changed file is applied again. */
async function readFunctions(folder: URL) {
  return Promise.all(
    (await sqlFiles(new URL('functions/', folder))).map(async (file) => {
      const text = await readFile(file, 'utf8');
      return { name: `functions/${basename(file.pathname)}`, hash: hash('sha256', text, 'hex'), text };
    }),
  );
}

export async function migrationNames(folder = databaseFolder): Promise<string[]> {
  const later = await sqlFiles(new URL('migrations/', folder));
  return [baseline, ...later.map((file) => basename(file.pathname, '.sql'))];
}

/** Missing migrations and changed functions, and whether the database has migrations of a later version. */
export async function compareMigrations(
  db: Database | Trx,
  folder = databaseFolder,
): Promise<{ missing: string[]; isNewer: boolean }> {
  const rows = await queryRows<{ name: string; hash: string | null }>(db)`SELECT name, hash FROM migrations`;
  const applied = new Map(rows.map(({ name, hash }) => [name, hash]));
  const names = await migrationNames(folder);
  const changed = (await readFunctions(folder)).filter(({ name, hash }) => applied.get(name) !== hash);
  return {
    missing: [...changed.map(({ name }) => name), ...names.filter((name) => !applied.has(name))],
    isNewer: rows.some(({ name, hash }) => hash === null && !names.includes(name)),
  };
}

/** Migrations of a database of version 0.2 and after; empty when there is none. */
async function findFormer(trx: Trx): Promise<string[]> {
  if (!(await queryValue<boolean>(trx)`SELECT to_regclass('public.kysely_migration') IS NOT NULL`)) return [];
  // Waits for a former version that is migrating.
  await sql`LOCK TABLE kysely_migration IN SHARE ROW EXCLUSIVE MODE`.execute(trx);
  const names = await queryColumn<string>(trx)`SELECT name FROM kysely_migration ORDER BY name`;
  if (names.length > 0 && !names.includes(lastOf02)) throw new DataVersionError(olderData);
  return names;
}

/** Turns a database of version 0.2 into the baseline. @throws DataVersionError */
async function takeOver(trx: Trx, folder: URL, former: readonly string[]): Promise<void> {
  const isArchived = await queryValue<boolean>(trx)`
    SELECT EXISTS (SELECT FROM ledger_archives) OR EXISTS (SELECT FROM report_archives) OR EXISTS (SELECT FROM journal_archives)`;
  if (isArchived) throw new DataVersionError(archivedData);
  // Version 0.2 moves lines at its first start.
  if (await queryValue<boolean>(trx)`SELECT to_regclass('public.statement_lines') IS NOT NULL`)
    throw new DataVersionError(olderData);
  if (!former.includes('400_signatures')) {
    await sql`DROP TABLE payout_moves`.execute(trx);
    await applyFile(trx, new URL('schema/16-signatures.sql', folder));
    await applyFile(trx, new URL('from-0.2-signatures.sql', folder));
  }
  await applyFile(trx, new URL('from-0.2.sql', folder));
}

/** @returns the names of what was applied */
async function applyMissing(trx: Trx, folder: URL, upTo: string | undefined): Promise<string[]> {
  // One process at a time; a second one finds nothing left.
  await sql`SELECT pg_advisory_xact_lock(7243, 8)`.execute(trx);
  const former = await findFormer(trx);
  await run(
    trx,
    `CREATE TABLE IF NOT EXISTS migrations (
       name text COLLATE "C" PRIMARY KEY, hash text, applied_at timestamptz NOT NULL DEFAULT now());
     REVOKE ALL ON migrations FROM regie_app;
     GRANT SELECT ON migrations TO regie_app`,
  );
  const { missing, isNewer } = await compareMigrations(trx, folder);
  if (isNewer) throw new DataVersionError(newerData);
  const done: string[] = [];
  const record = async (name: string, hash: string | null) => {
    await sql`
      INSERT INTO migrations (name, hash) VALUES (${name}, ${hash})
      ON CONFLICT (name) DO UPDATE SET hash = excluded.hash, applied_at = now()`.execute(trx);
    done.push(name);
  };
  const isNew = missing.includes(baseline);
  if (isNew && former.length === 0) await applyFile(trx, new URL('foundation.sql', folder));
  // Before the tables, which need functions for defaults, checks and triggers: bodies are not checked.
  await sql`SET LOCAL check_function_bodies = off`.execute(trx);
  for (const { name, hash, text } of await readFunctions(folder)) {
    if (!missing.includes(name)) continue;
    await run(trx, text);
    await record(name, hash);
  }
  await sql`SET LOCAL check_function_bodies = on`.execute(trx);
  if (isNew) {
    if (former.length > 0) await takeOver(trx, folder, former);
    else for (const file of await sqlFiles(new URL('schema/', folder))) await applyFile(trx, file);
    await sql`DROP TABLE IF EXISTS kysely_migration, kysely_migration_lock`.execute(trx);
    await record(baseline, null);
  }
  for (const file of await sqlFiles(new URL('migrations/', folder))) {
    const name = basename(file.pathname, '.sql');
    if (!missing.includes(name) || (upTo !== undefined && name > upTo)) continue;
    await applyFile(trx, file);
    await record(name, null);
  }
  return done;
}

/** Builds an empty database of version 0.2, for the rows of its backups. */
async function buildVersion02(trx: Trx, folder: URL): Promise<void> {
  if ((await findFormer(trx)).length > 0) return;
  await run(trx, brotliDecompressSync(await readFile(new URL('version-0.2.sql.br', folder))).toString());
}

/** Its password is derived from the secret. */
async function ensureAppRole(db: Database, password: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Roles are server-wide, and two databases of one server may be migrated at once.
    await sql`SELECT pg_advisory_xact_lock(7243, 2)`.execute(trx);
    const verb = (await exists(trx)`SELECT FROM pg_roles WHERE rolname = 'regie_app'`) ? 'ALTER' : 'CREATE';
    await sql`${sql.raw(verb)} ROLE regie_app LOGIN PASSWORD ${sql.lit(password)}`.execute(trx);
    await sql`DO $$ BEGIN EXECUTE format('GRANT CONNECT ON DATABASE %I TO regie_app', current_database()); END $$`.execute(
      trx,
    );
  });
}

/** By the application's login. */
export async function isMigrated(appUrl: string): Promise<boolean> {
  const db = createDatabase(appUrl, { max: 1 });
  try {
    return (await compareMigrations(db)).missing.length === 0;
  } catch (error) {
    // Before the first migration, role and table are missing.
    if (error instanceof DatabaseError && ['42P01', '42501', '28P01', '28000'].includes(error.code ?? '')) return false;
    throw error;
  } finally {
    await db.destroy();
  }
}

/**
 * Brings the database to this version: role, functions, tables, job runner. Several processes may run it at once.
 * @param upTo last migration to apply (a restore stops at its backup's level, which may be version 0.2)
 * @param folder the SQL, if not this version's
 * @throws DataVersionError, or the error of the failed migration; everything is rolled back
 */
export async function migrate(options: {
  ownerUrl: string;
  appPassword: string;
  upTo?: string;
  folder?: URL;
}): Promise<{ applied: string[] }> {
  const { ownerUrl, upTo, folder = databaseFolder } = options;
  const db = createDatabase(ownerUrl, { max: 2 });
  try {
    await ensureAppRole(db, options.appPassword);
    const applied = await db.transaction().execute(async (trx) => {
      if (upTo !== lastOf02) return applyMissing(trx, folder, upTo);
      await buildVersion02(trx, folder);
      return [];
    });
    await migrateJobs({ connectionString: ownerUrl });
    return { applied };
  } finally {
    await db.destroy();
  }
}
