import type { AuditEntity } from '@regie/contract/audit.ts';
import { type RawBuilder, sql } from 'kysely';
import { ArchiveError, findLastYear, loadArchive, nameArchive, rowsAtOnce, writeArchive } from '#src/lib/archives.ts';
import { isAction, system, writeAudit } from '#src/lib/audit.ts';
import { type Database, patiently, type Trx } from '#src/lib/db.ts';
import type { Storage } from '#src/lib/storage.ts';
import { sealChain } from '#src/modules/ledger/chain.service.ts';
import { personalFields } from './journal-fields.ts';

/** What can never leave: rules of today read such entries however old they are (`isAction`, docs/decisions/450). */
export const entitiesOfRules = [
  'admin',
  'invitation',
  'mail',
  'job',
  'account',
  'billing_account',
  'referral',
  'payout',
  'payout_batch',
  'exchange_rate',
  'income_item',
] as const satisfies readonly AuditEntity[];

const entriesTable = { table: 'audit_log', key: ['id'] } as const;

const inYear = (year: number) => sql`l.at >= year_start(${year}::integer) AND l.at < year_start(${year + 1}::integer)`;

/** Sealed, read by no rule, without personal data: no erasure or export of a customer's data needs the entry. */
const mayLeave = (): RawBuilder<unknown> => {
  const personal = Object.entries(personalFields).map(
    ([entity, fields]) =>
      sql`l.entity = ${entity} AND (coalesce(l.before ?| ${fields}::text[], false) OR coalesce(l.after ?| ${fields}::text[], false))`,
  );
  return sql`
    l.entity <> ALL (${[...entitiesOfRules]}) AND num_nonnulls(l.address, l.agent) = 0
    AND NOT (l.entity = 'track' AND (${isAction('track.take_isrc')} OR coalesce(l.before ? 'isrc', false)))
    AND NOT (${sql.join(personal, sql` OR `)})
    AND EXISTS (SELECT FROM chain_links c WHERE c.source = 'journal' AND c.row_id = l.id)`;
};

/** The columns that are not generated, as text that only equal entries share. */
const wholeEntry = (row: string) =>
  sql.raw(
    `ROW(${['id', 'at', 'admin_id', 'action', 'entity', 'entity_id', 'before', 'after', 'request_id', 'address', 'agent', 'salt', 'digest'].map((column) => `${row}.${column}`).join(', ')})::text`,
  );

async function* readEntries(db: Database, ids: readonly number[]): AsyncGenerator<string> {
  for (let from = 0; from < ids.length; from += rowsAtOnce) {
    const { rows } = await sql<{ line: string }>`
      SELECT (to_jsonb(l) - 'fields' - 'search')::text AS line FROM audit_log l
       WHERE l.id = ANY (${ids.slice(from, from + rowsAtOnce)}::bigint[]) ORDER BY l.id`.execute(db);
    for (const { line } of rows) yield `${line}\n`;
  }
}

export interface Archived {
  entries: number;
  /** Entries of the year that stay. */
  kept: number;
  sizeBytes: number;
}

/**
 * Moves the entries of a year that nothing needs any more to a file of the storage. The file is stored, read back and
 * compared before anything leaves, in one transaction: a kill leaves at most a file that nobody names.
 * @throws ArchiveError
 */
export async function archiveJournal(db: Database, storage: Storage, year: number): Promise<Archived> {
  // Addresses have had the time to be removed.
  const last = await findLastYear(db);
  if (!Number.isInteger(year) || year > last) {
    throw new ArchiveError(
      `Le journal s’archive jusqu’à ${last}\u00A0: cette année et la précédente restent entières.`,
    );
  }
  if ((await findArchive(db, year)) !== undefined) throw new ArchiveError(`Le journal de ${year} est déjà archivé.`);
  await sealChain(db);
  const { rows } = await sql<{ id: number; leaves: boolean }>`
    SELECT l.id, ${mayLeave()} AS leaves FROM audit_log l WHERE ${inYear(year)} ORDER BY l.id`.execute(db);
  const ids = rows.filter(({ leaves }) => leaves).map(({ id }) => id);
  if (ids.length === 0) {
    throw new ArchiveError(
      `Rien à archiver de ${year}\u00A0: ses ${rows.length} entrées servent encore aux règles, ou disent d’où on a agi.`,
    );
  }
  const file = await writeArchive(storage, readEntries(db, ids));
  await db.connection().execute(async (one) => {
    await loadArchive(one, storage, entriesTable, { ...file, rows: ids.length });
    await patiently(() =>
      one.transaction().execute(async (trx) => {
        await checkReturned(trx, ids.length);
        const fileId = await nameArchive(trx, `journal-${year}.ndjson.zst`, file);
        await sql`SET LOCAL lock_timeout = '3s'`.execute(trx);
        await sql`SELECT take_out_entries(${year}::integer, ${fileId})`.execute(trx);
        await writeAudit(trx, system, {
          action: 'journal.archive',
          entityId: null,
          after: { year, entries: ids.length },
        });
      }),
    );
  });
  return { entries: ids.length, kept: rows.length - ids.length, sizeBytes: file.sizeBytes };
}

/** Of an entry that was redacted meanwhile the archive would keep what had to go. */
async function checkReturned(trx: Trx, entries: number): Promise<void> {
  const { rows } = await sql<{ same: number }>`
    WITH same AS (
      SELECT FROM audit_log l JOIN pg_temp.returned r ON r.id = l.id
       WHERE ${wholeEntry('l')} = ${wholeEntry('r')} FOR UPDATE OF l)
    SELECT count(*) AS same FROM same`.execute(trx);
  if (rows[0]?.same !== entries) throw new ArchiveError('Le journal a changé pendant l’archivage\u00A0: recommencez.');
}

/** Puts an archived year back into the journal. @throws ArchiveError */
export async function restoreJournal(db: Database, storage: Storage, year: number): Promise<number> {
  const archive = await findArchive(db, year);
  if (archive === undefined) throw new ArchiveError(`Le journal de ${year} n’est pas archivé.`);
  await db.connection().execute(async (one) => {
    await loadArchive(one, storage, entriesTable, { ...archive, rows: archive.entries });
    await one.transaction().execute(async (trx) => {
      await sql`SELECT put_back_entries(${year}::integer)`.execute(trx);
      await sql`UPDATE files SET binned_at = now() WHERE id = ${archive.fileId}`.execute(trx);
      await writeAudit(trx, system, {
        action: 'journal.restore',
        entityId: null,
        after: { year, entries: archive.entries },
      });
    });
  });
  return archive.entries;
}

const archives = (db: Database | Trx) =>
  db
    .selectFrom('journalArchives as a')
    .innerJoin('files as f', 'f.id', 'a.fileId')
    .select(['a.year', 'a.fileId', 'a.entries', 'f.storageKey', 'f.sha256'])
    .orderBy('a.year');

const findArchive = (db: Database, year: number) => archives(db).where('a.year', '=', year).executeTakeFirst();

/** The archived years, with the number of their entries. */
export const listArchives = (db: Database | Trx) =>
  db.selectFrom('journalArchives').select(['year', 'entries']).orderBy('year').execute();

/**
 * Reads each archive and compares its entries with their links of the chain.
 * @returns one line for each archive that cannot be read, or its first entry that does not fit
 */
export async function findArchiveFaults(db: Database, storage: Storage): Promise<string[]> {
  const faults: string[] = [];
  for (const archive of await archives(db).execute()) {
    await db.connection().execute(async (one) => {
      try {
        await loadArchive(one, storage, entriesTable, { ...archive, rows: archive.entries });
      } catch (error) {
        faults.push(`archive of ${archive.year}: ${error instanceof Error ? error.message : 'cannot be read'}`);
        return;
      }
      const { rows } = await sql<{ id: number }>`
        SELECT a.entry_id AS id FROM archived_entries a
          LEFT JOIN pg_temp.returned r ON r.id = a.entry_id
          LEFT JOIN chain_links c ON c.source = 'journal' AND c.row_id = a.entry_id
          LEFT JOIN chain_links p ON p.seq = c.seq - 1
         WHERE a.year = ${archive.year} AND fits_link(ROW(r.*)::audit_log, coalesce(p.hash, '\\x'), c.hash) IS NOT TRUE
         ORDER BY a.entry_id LIMIT 1`.execute(one);
      for (const { id } of rows) faults.push(`archive of ${archive.year}: journal entry ${id} is not the sealed one`);
      await sql`DROP TABLE pg_temp.returned`.execute(one);
    });
  }
  return faults;
}
