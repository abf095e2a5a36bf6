import { CompiledQuery, sql } from 'kysely';
import type { Database } from './db.ts';
import type { JobDeps } from './jobs.ts';

/** The tables that are partitioned by year, with the column that decides. */
export const partitionedTables = {
  statement_sums: 'month',
  reports: 'month',
  ledger_postings: 'occurred_at',
  audit_log: 'at',
} as const;

/**
 * Prepares the tables of before version 0.3 for their partitions, beside the former version: what would read or index a whole
 * table under the lock of the migration is done here, without keeping anyone from working. Where it was killed, the next
 * call goes on.
 */
export async function preparePartitions(db: Database): Promise<void> {
  const { rows } = await sql<{ ready: boolean }>`
    SELECT to_regclass('public.reports') IS NOT NULL AND (SELECT relkind = 'r' FROM pg_class WHERE oid = to_regclass('public.reports')) AS ready`.execute(
    db,
  );
  if (rows[0]?.ready !== true) return;
  await db.connection().execute(async (one) => {
    // A second process waits here, then finds nothing left.
    await sql`SELECT pg_advisory_lock(hashtext('prepare_partitions'))`.execute(one);
    try {
      // Whoever waits for a lock holds up all who come later.
      await sql`SET lock_timeout = '800ms'`.execute(one);
      for (const [table, key] of Object.entries(partitionedTables)) await prepareBound(one, table, key);
      await prepareImportKey(one);
    } finally {
      await sql`SELECT pg_advisory_unlock_all()`.execute(one);
      await sql`RESET lock_timeout`.execute(one);
    }
  });
}

const run = (db: Database, text: string) => db.executeQuery(CompiledQuery.raw(text));

/** A validated constraint lets the table become a partition without being read. */
async function prepareBound(db: Database, table: string, key: string): Promise<void> {
  const find = () =>
    sql<{ name: string; isValid: boolean }>`
      SELECT conname AS name, convalidated AS "isValid" FROM pg_constraint
       WHERE conrelid = ${table}::regclass AND conname LIKE ${`${table}\\_before\\_%`}`.execute(db);
  let [bound] = (await find()).rows;
  if (bound === undefined) {
    // Two years more than there is, so that no row of the meantime is beyond.
    const { rows } = await sql<{ year: number }>`
      SELECT extract(year FROM greatest(max(${sql.ref(key)})::timestamptz, now()) AT TIME ZONE 'Europe/Paris')::integer + 2 AS year
        FROM ${sql.table(table)}`.execute(db);
    const year = rows[0]?.year ?? 0;
    const end = key === 'month' ? `'${year}-01-01'::date` : `('${year}-01-01'::timestamp AT TIME ZONE 'Europe/Paris')`;
    await run(db, `ALTER TABLE ${table} ADD CONSTRAINT ${table}_before_${year} CHECK (${key} < ${end}) NOT VALID`);
    [bound] = (await find()).rows;
  }
  if (bound?.isValid === false) await run(db, `ALTER TABLE ${table} VALIDATE CONSTRAINT ${bound.name}`);
}

/** A report has its import's month: a foreign key that is validated here and only changes hands in the migration. */
async function prepareImportKey(db: Database): Promise<void> {
  // Imports are few.
  await run(db, 'CREATE UNIQUE INDEX IF NOT EXISTS imports_id_month_key ON imports (id, month)');
  const found = await sql<{ isValid: boolean }>`
    SELECT convalidated AS "isValid" FROM pg_constraint WHERE conname = 'reports_import_month_fkey'`.execute(db);
  if (found.rows.length === 0) {
    await run(
      db,
      'ALTER TABLE reports ADD CONSTRAINT reports_import_month_fkey FOREIGN KEY (import_id, month) REFERENCES imports (id, month) NOT VALID',
    );
  }
  if (found.rows[0]?.isValid !== true)
    await run(db, 'ALTER TABLE reports VALIDATE CONSTRAINT reports_import_month_fkey');
}

/**
 * Makes the partitions of the years ahead, and those of rows that came without one. Each by itself: a lock that is not to be
 * had in time leaves it to the next call, and its rows where they are found too.
 * @returns the names of the new partitions
 */
export async function makePartitions(db: Database): Promise<string[]> {
  const rows = await db.transaction().execute(async (trx) => {
    // The year of a month is that of its midnight: east of Paris, January would be of the year before.
    await sql`SET LOCAL TimeZone = 'Europe/Paris'`.execute(trx);
    const missing = await sql<{ parent: string; year: number }>`
      SELECT parent, of_year AS year FROM missing_partitions()`.execute(trx);
    return missing.rows;
  });
  const made: string[] = [];
  for (const { parent, year } of rows) {
    const isNew = await db.transaction().execute(async (trx) => {
      await sql`SET LOCAL lock_timeout = '3s'`.execute(trx);
      const { rows: answers } = await sql<{ made: boolean }>`
        SELECT make_partition(${parent}, ${year}::integer) AS made`.execute(trx);
      return answers[0]?.made === true;
    });
    if (!isNew) continue;
    // Lists would otherwise pass what was moved out of it.
    await sql`VACUUM ${sql.table(`${parent}_rest`)}`.execute(db);
    made.push(`${parent}_${year}`);
  }
  return made;
}

/** At the start and each night: partitions ahead, and the statistics of whole tables, which autovacuum does not keep. */
export const makePartitionsJob = async (_payload: Record<string, never>, { db, log }: JobDeps): Promise<void> => {
  const made = await makePartitions(db);
  if (made.length > 0) log.info({ made }, 'partitions made');
  const { rows } = await sql<{ name: string }>`
    SELECT relname AS name FROM pg_stat_user_tables
     WHERE relname = ANY (${Object.keys(partitionedTables)}) AND coalesce(last_analyze, '-infinity') < now() - interval '20 hours'`.execute(
    db,
  );
  for (const { name } of rows) await sql`ANALYZE ${sql.table(name)}`.execute(db);
};
