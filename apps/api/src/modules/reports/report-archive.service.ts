import { type RawBuilder, sql } from 'kysely';
import { ArchiveError, findLastYear, loadArchive, nameArchive, rowsAtOnce, writeArchive } from '#src/lib/archives.ts';
import { system, writeAudit } from '#src/lib/audit.ts';
import { type Database, patiently, type Trx } from '#src/lib/db.ts';
import type { Storage } from '#src/lib/storage.ts';

const parts = {
  reports: { table: 'reports', key: ['id'], into: 'archived_reports' },
  sums: { table: 'statement_sums', key: ['statement_id', 'month', 'item', 'kind', 'currency'], into: 'archived_sums' },
} as const;

/** Rows of a year as lines, in the order of their keys. */
async function* readRows(db: Database, name: keyof typeof parts, year: number): AsyncGenerator<string> {
  const { table, key } = parts[name];
  const columns = sql.join(key.map((column) => sql.ref(`t.${column}`)));
  let after: RawBuilder<unknown> = sql`true`;
  for (;;) {
    const { rows } = await sql<{ line: string }>`
      SELECT to_jsonb(t)::text AS line FROM ${sql.table(table)} t JOIN imports i ON i.id = t.import_id
       WHERE extract(year FROM i.month) = ${year} AND ${after} ORDER BY ${columns} LIMIT ${sql.lit(rowsAtOnce)}`.execute(
      db,
    );
    for (const { line } of rows) yield `${line}\n`;
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtOnce) return;
    const end = JSON.parse(last.line) as Record<string, unknown>;
    after = sql`(${columns}) > (${sql.join(key.map((column) => sql`${end[column]}`))})`;
  }
}

/** The archived years, with the number of their reports and sums. */
export const listReportArchives = (db: Database | Trx) =>
  db.selectFrom('reportArchives').select(['year', 'reports', 'sums']).orderBy('year').execute();

/** @throws ArchiveError with the reason why a year cannot be archived */
async function checkYear(db: Database, year: number): Promise<{ reports: number; sums: number }> {
  const inYear = sql`extract(year FROM i.month) = ${year}`;
  const { rows } = await sql<{ first: number; last: number; reports: number; sums: number; open: number }>`
    SELECT extract(year FROM min(r.month))::integer AS first, extract(year FROM max(r.month))::integer - 2 AS last,
           (SELECT count(*) FROM reports r JOIN imports i ON i.id = r.import_id WHERE ${inYear}) AS reports,
           (SELECT count(*) FROM statement_sums s JOIN imports i ON i.id = s.import_id WHERE ${inYear}) AS sums,
           (SELECT count(*) FROM imports i WHERE ${inYear} AND i.posted_at IS NULL AND i.reversed_at IS NULL) AS open
      FROM reports r`.execute(db);
  const { first, last, reports = 0, sums = 0, open = 0 } = rows[0] ?? {};
  // Charts go back twelve months from the last report.
  const latest = Math.min(await findLastYear(db), last ?? 0);
  if (!Number.isInteger(year) || year > latest) {
    throw new ArchiveError(
      `Les rapports s’archivent jusqu’à ${latest}\u00A0: les deux dernières années qui en ont restent entières.`,
    );
  }
  if ((await listReportArchives(db)).some((one) => one.year === year)) {
    throw new ArchiveError(`Les rapports de ${year} sont déjà archivés.`);
  }
  if (reports === 0) throw new ArchiveError(`Rien à archiver de ${year}\u00A0: aucun rapport.`);
  if (first !== undefined && first < year) {
    throw new ArchiveError(
      `Archivez d’abord ${first}\u00A0: les rapports s’archivent de la plus ancienne année à la plus récente.`,
    );
  }
  if (open > 0) {
    throw new ArchiveError(
      `Des imports de ${year} ne sont pas comptabilisés (${open})\u00A0: comptabilisez-les ou écartez-les d’abord.`,
    );
  }
  return { reports, sums };
}

/**
 * Moves the reports of the oldest year, and the sums of statements they were made of, to two files of the storage. The files are
 * stored, read back and compared before anything leaves, in one transaction.
 * @throws ArchiveError
 */
export async function archiveReports(
  db: Database,
  storage: Storage,
  year: number,
): Promise<{ reports: number; sums: number; sizeBytes: number }> {
  const counts = await checkYear(db, year);
  const reports = await writeArchive(storage, readRows(db, 'reports', year));
  const sums = await writeArchive(storage, readRows(db, 'sums', year));
  await db.connection().execute(async (one) => {
    await loadArchive(one, storage, parts.reports, { ...reports, rows: counts.reports });
    await loadArchive(one, storage, parts.sums, { ...sums, rows: counts.sums });
    await patiently(() =>
      one.transaction().execute(async (trx) => {
        await sql`SET LOCAL lock_timeout = '3s'`.execute(trx);
        // A load that has looked whether this year is archived stores its sums first (`storeSums`).
        await sql`SELECT pg_advisory_xact_lock(hashtext('report_archives'))`.execute(trx);
        const reportsFile = await nameArchive(trx, `rapports-${year}.ndjson.zst`, reports);
        const sumsFile = await nameArchive(trx, `sommes-${year}.ndjson.zst`, sums);
        // Refuses when the year has other reports or sums than the files.
        await sql`SELECT take_out_reports(${year}::integer, ${reportsFile}, ${sumsFile})`.execute(trx);
        await writeAudit(trx, system, { action: 'report.archive', entityId: null, after: { year, ...counts } });
      }),
    );
  });
  return { ...counts, sizeBytes: reports.sizeBytes + sums.sizeBytes };
}

const archives = async (db: Database | Trx) => {
  const { rows } = await sql<
    Record<'year' | 'reports' | 'sums' | 'reportsFileId' | 'sumsFileId', number> & {
      reportsKey: string;
      reportsSha256: Buffer;
      sumsKey: string;
      sumsSha256: Buffer;
    }
  >`
    SELECT a.year, a.reports, a.sums, a.reports_file_id, a.sums_file_id, r.storage_key AS reports_key, r.sha256 AS reports_sha256,
           s.storage_key AS sums_key, s.sha256 AS sums_sha256
      FROM report_archives a JOIN files r ON r.id = a.reports_file_id JOIN files s ON s.id = a.sums_file_id ORDER BY a.year`.execute(
    db,
  );
  return rows;
};
type Archive = Awaited<ReturnType<typeof archives>>[number];

async function load(db: Database | Trx, storage: Storage, archive: Archive): Promise<void> {
  const { reports, reportsKey, reportsSha256, sums, sumsKey, sumsSha256 } = archive;
  await loadArchive(db, storage, parts.reports, { storageKey: reportsKey, sha256: reportsSha256, rows: reports });
  await loadArchive(db, storage, parts.sums, { storageKey: sumsKey, sha256: sumsSha256, rows: sums });
}

/** Puts the reports and sums of the latest archived year back. @returns how many reports; @throws ArchiveError */
export async function restoreReports(db: Database, storage: Storage, year: number): Promise<number> {
  const all = await archives(db);
  const archive = all.find((one) => one.year === year);
  if (archive === undefined) throw new ArchiveError(`Les rapports de ${year} ne sont pas archivés.`);
  const latest = all.at(-1)?.year ?? year;
  if (latest !== year) {
    throw new ArchiveError(
      `Remettez d’abord ${latest} en place\u00A0: les rapports reviennent de la plus récente année à la plus ancienne.`,
    );
  }
  const { reports, sums, reportsFileId, sumsFileId } = archive;
  await db.connection().execute(async (one) => {
    await load(one, storage, archive);
    await one.transaction().execute(async (trx) => {
      await sql`SELECT put_back_reports(${year}::integer)`.execute(trx);
      await sql`UPDATE files SET binned_at = now() WHERE id IN (${reportsFileId}, ${sumsFileId})`.execute(trx);
      await writeAudit(trx, system, { action: 'report.restore', entityId: null, after: { year, reports, sums } });
    });
  });
  return reports;
}

const carried = {
  tracks_carried: 'tracks_to_carry',
  referrals_carried: 'referrals_to_carry',
  items_carried: 'items_to_carry',
};

/**
 * Reads all archives into `pg_temp.former_reports` and `pg_temp.former_sums` until the transaction ends, and compares them with
 * what they carry forward.
 * @returns one line for each archive that cannot be read, or differs
 */
export async function loadReports(trx: Trx, storage: Storage): Promise<string[]> {
  const faults: string[] = [];
  await sql`CREATE TEMPORARY TABLE former_reports (LIKE reports) ON COMMIT DROP`.execute(trx);
  await sql`CREATE TEMPORARY TABLE former_sums (LIKE statement_sums) ON COMMIT DROP`.execute(trx);
  for (const archive of await archives(trx)) {
    const { year } = archive;
    try {
      await load(trx, storage, archive);
    } catch (error) {
      faults.push(`${year}: ${error instanceof Error ? error.message : 'cannot be read'}`);
      continue;
    }
    for (const [kept, found] of Object.entries(carried)) {
      const { rows } = await sql`
        WITH kept AS (SELECT * FROM ${sql.table(kept)} WHERE year = ${year}),
             found AS (SELECT * FROM ${sql.raw(found)}(${year}::integer))
        (SELECT * FROM kept EXCEPT ALL SELECT * FROM found) UNION ALL (SELECT * FROM found EXCEPT ALL SELECT * FROM kept) LIMIT 1`.execute(
        trx,
      );
      if (rows.length > 0) faults.push(`${year}: ${kept} differs from its reports and sums`);
    }
    await sql`INSERT INTO pg_temp.former_reports SELECT * FROM pg_temp.archived_reports`.execute(trx);
    await sql`INSERT INTO pg_temp.former_sums SELECT * FROM pg_temp.archived_sums`.execute(trx);
    await sql`DROP TABLE pg_temp.archived_reports, pg_temp.archived_sums`.execute(trx);
  }
  await sql`CREATE INDEX ON pg_temp.former_reports (id)`.execute(trx);
  await sql`ANALYZE pg_temp.former_reports`.execute(trx);
  await sql`ANALYZE pg_temp.former_sums`.execute(trx);
  return faults;
}
