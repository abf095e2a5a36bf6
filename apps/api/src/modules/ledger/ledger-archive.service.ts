import { sql } from 'kysely';
import { ArchiveError, findLastYear, loadArchive, nameArchive, rowsAtOnce, writeArchive } from '#src/lib/archives.ts';
import { system, writeAudit } from '#src/lib/audit.ts';
import { type Database, patiently, type Trx } from '#src/lib/db.ts';
import type { Storage } from '#src/lib/storage.ts';
import { sealChain } from './chain.service.ts';

const postingsTable = { table: 'ledger_postings', key: ['transaction_id', 'account', 'currency'] } as const;

const inYear = (column: string, year: number) =>
  sql`${sql.ref(column)} >= year_start(${year}::integer) AND ${sql.ref(column)} < year_start(${year + 1}::integer)`;

async function* readPostings(db: Database, year: number): AsyncGenerator<string> {
  let last = { transactionId: 0, account: '', currency: '' };
  for (;;) {
    const { rows } = await sql<typeof last & { line: string }>`
      SELECT p.transaction_id, p.account, p.currency, to_jsonb(p)::text AS line FROM ledger_postings p
       WHERE ${inYear('p.occurred_at', year)}
         AND (p.transaction_id, p.account, p.currency) > (${last.transactionId}::bigint, ${last.account}, ${last.currency})
       ORDER BY p.transaction_id, p.account, p.currency LIMIT ${sql.lit(rowsAtOnce)}`.execute(db);
    for (const { line } of rows) yield `${line}\n`;
    const end = rows.at(-1);
    if (end === undefined || rows.length < rowsAtOnce) return;
    last = end;
  }
}

const archives = (db: Database | Trx) =>
  db
    .selectFrom('ledgerArchives as a')
    .innerJoin('files as f', 'f.id', 'a.fileId')
    .select(['a.year', 'a.fileId', 'a.postings as rows', 'f.storageKey', 'f.sha256'])
    .orderBy('a.year');

/** The archived years, with the number of their postings. */
export const listLedgerArchives = (db: Database | Trx) =>
  db.selectFrom('ledgerArchives').select(['year', 'postings']).orderBy('year').execute();

/** @throws ArchiveError with the reason why a year cannot be archived */
async function checkYear(db: Database, year: number): Promise<number> {
  const last = await findLastYear(db);
  if (!Number.isInteger(year) || year > last) {
    throw new ArchiveError(
      `Le grand livre s’archive jusqu’à ${last}\u00A0: cette année et la précédente restent entières.`,
    );
  }
  const archived = await listLedgerArchives(db);
  if (archived.some((one) => one.year === year)) throw new ArchiveError(`Le grand livre de ${year} est déjà archivé.`);
  const { rows } = await sql<{ first: number | null; count: number; open: number }>`
    SELECT (SELECT extract(year FROM min(occurred_at) AT TIME ZONE 'Europe/Paris')::integer FROM ledger_postings) AS first,
           (SELECT count(*) FROM ledger_postings p WHERE ${inYear('p.occurred_at', year)}) AS count,
           (SELECT count(DISTINCT p.id) FROM payouts p JOIN ledger_transactions t ON t.payout_id = p.id
             WHERE p.state = 'pending' AND p.deleted_at IS NULL AND ${inYear('t.occurred_at', year)}) AS open`.execute(
    db,
  );
  const { first = null, count = 0, open = 0 } = rows[0] ?? {};
  if (count === 0) throw new ArchiveError(`Rien à archiver de ${year}\u00A0: le grand livre n’en a pas d’écriture.`);
  if (first !== null && first < year) {
    throw new ArchiveError(
      `Archivez d’abord ${first}\u00A0: le grand livre s’archive de la plus ancienne année à la plus récente.`,
    );
  }
  if (open > 0) {
    throw new ArchiveError(
      `Des versements demandés en ${year} attendent encore (${open})\u00A0: payez-les ou annulez-les d’abord.`,
    );
  }
  return count;
}

/**
 * Moves the postings of the oldest year to a file of the storage, and keeps what they carry forward. The file is stored, read
 * back and compared before anything leaves, in one transaction: a kill leaves at most a file that nobody names.
 * @throws ArchiveError
 */
export async function archiveLedger(
  db: Database,
  storage: Storage,
  year: number,
): Promise<{ postings: number; sizeBytes: number }> {
  const postings = await checkYear(db, year);
  await sealChain(db);
  const file = await writeArchive(storage, readPostings(db, year));
  await db.connection().execute(async (one) => {
    await loadArchive(one, storage, postingsTable, { ...file, rows: postings });
    await patiently(() =>
      one.transaction().execute(async (trx) => {
        await sql`SET LOCAL lock_timeout = '3s'`.execute(trx);
        const [fault] = await findLoadedFaults(trx, year);
        if (fault !== undefined) throw new ArchiveError(`Le grand livre de ${year} ne s’archive pas\u00A0: ${fault}.`);
        const fileId = await nameArchive(trx, `grand-livre-${year}.ndjson.zst`, file);
        // Refuses when the year has other postings than the file.
        await sql`SELECT take_out_postings(${year}::integer, ${fileId})`.execute(trx);
        await writeAudit(trx, system, { action: 'ledger.archive', entityId: null, after: { year, postings } });
      }),
    );
  });
  return { postings, sizeBytes: file.sizeBytes };
}

/** Puts the postings of the latest archived year back. @throws ArchiveError */
export async function restoreLedger(db: Database, storage: Storage, year: number): Promise<number> {
  const all = await archives(db).execute();
  const archive = all.find((one) => one.year === year);
  if (archive === undefined) throw new ArchiveError(`Le grand livre de ${year} n’est pas archivé.`);
  const latest = all.at(-1)?.year ?? year;
  if (latest !== year) {
    throw new ArchiveError(
      `Remettez d’abord ${latest} en place\u00A0: le grand livre revient de la plus récente année à la plus ancienne.`,
    );
  }
  await db.connection().execute(async (one) => {
    await loadArchive(one, storage, postingsTable, archive);
    await one.transaction().execute(async (trx) => {
      await sql`SELECT put_back_postings(${year}::integer)`.execute(trx);
      await sql`UPDATE files SET binned_at = now() WHERE id = ${archive.fileId}`.execute(trx);
      await writeAudit(trx, system, {
        action: 'ledger.restore',
        entityId: null,
        after: { year, postings: archive.rows },
      });
    });
  });
  return archive.rows;
}

/** Whether the postings in `pg_temp.returned` are the sealed ones of a year. */
async function findLoadedFaults(trx: Trx, year: number): Promise<string[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT archived_transaction_faults(${year}::integer) AS id`.execute(trx);
  return rows.map(({ id }) => `the postings of transaction ${id} are not the sealed ones`);
}

/**
 * Reads all archives into `pg_temp.archived_postings` until the transaction ends, and compares them with the chain and with
 * what was carried forward.
 * @returns one line for each archive that cannot be read, or differs
 */
export async function loadPostings(trx: Trx, storage: Storage): Promise<string[]> {
  const faults: string[] = [];
  await sql`CREATE TEMPORARY TABLE archived_postings (LIKE ledger_postings) ON COMMIT DROP`.execute(trx);
  for (const archive of await archives(trx).execute()) {
    const { year } = archive;
    try {
      await loadArchive(trx, storage, postingsTable, archive);
    } catch (error) {
      faults.push(`${year}: ${error instanceof Error ? error.message : 'cannot be read'}`);
      continue;
    }
    faults.push(...(await findLoadedFaults(trx, year)).map((fault) => `${year}: ${fault}`));
    const { rows } = await sql<{ account: string; currency: string }>`
      WITH kept AS (SELECT * FROM ledger_carried WHERE year = ${year}),
           found AS (SELECT * FROM carried_forward(${year}::integer))
      SELECT account, currency FROM (
        (SELECT * FROM kept EXCEPT ALL SELECT * FROM found) UNION ALL (SELECT * FROM found EXCEPT ALL SELECT * FROM kept)) d
       ORDER BY account, currency LIMIT 1`.execute(trx);
    for (const { account, currency } of rows) {
      faults.push(`${year}: what was carried forward of ${account} in ${currency} differs from its postings`);
    }
    await sql`INSERT INTO pg_temp.archived_postings SELECT * FROM pg_temp.returned`.execute(trx);
    await sql`DROP TABLE pg_temp.returned`.execute(trx);
  }
  await sql`CREATE INDEX ON pg_temp.archived_postings (transaction_id)`.execute(trx);
  await sql`ANALYZE pg_temp.archived_postings`.execute(trx);
  return faults;
}

const year = (before: Date) => new Date(before.getTime() - 1).getUTCFullYear();

/** What to answer when a call needs archived postings. @param before the end of the archived years */
export const archivedSentence = (before: Date): string =>
  `Les écritures du grand livre jusqu’à ${year(before)} sont archivées. Un administrateur du serveur les remet en place\u00A0: npm run archive -- grand-livre ${year(before)} --restore`;

/** The end of the archived years; undefined when nothing is archived. */
export async function findArchivedBefore(db: Database | Trx): Promise<Date | undefined> {
  const { rows } = await sql<{ at: Date | null }>`SELECT nullif(archived_before(), '-infinity') AS at`.execute(db);
  return rows[0]?.at ?? undefined;
}
