import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';
import { pipeline, Readable, Transform } from 'node:stream';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { sql } from 'kysely';
import type { Database, Trx } from './db.ts';
import type { partitionedTables } from './partitions.ts';
import { newStorageKey, type Storage } from './storage.ts';

/** The sentence is for the person who runs the command. */
export class ArchiveError extends Error {
  override name = 'ArchiveError';
}

/** Rows of an archive that are read or written at once. */
export const rowsAtOnce = 5000;
/** This year and the one before stay whole. */
const yearsKept = 2;

/** @throws the conflict `reportsArchived` for a month, `YYYY-MM-01`, whose reports are archived */
export const requireMonth = (db: Database | Trx, month: string) =>
  sql`SELECT require_month(${month}::date)`.execute(db);

/** The same for the months of imports. */
export const requireImports = (db: Database | Trx, importIds: readonly number[]) =>
  sql`SELECT require_month(min(month)) FROM imports WHERE id = ANY(${importIds}::bigint[])`.execute(db);

/** The same for a report that is not found. */
export const requireReport = (db: Database | Trx, id: number) => sql`SELECT require_report(${id}::bigint)`.execute(db);

/** A file with one row a line, as JSON. */
export interface StoredArchive {
  storageKey: string;
  sha256: Buffer;
  rows: number;
}

/** The last year that may be archived. */
export async function findLastYear(db: Database): Promise<number> {
  const { rows } = await sql<{ year: number }>`
    SELECT extract(year FROM now() AT TIME ZONE 'Europe/Paris')::integer AS year`.execute(db);
  return (rows[0]?.year ?? 0) - yearsKept;
}

/** Counts and hashes what passes. */
function createMeter() {
  const hash = createHash('sha256');
  const meter = { sizeBytes: 0, sha256: () => hash.digest() };
  const stream = new Transform({
    transform(bytes: Buffer, _encoding, done) {
      meter.sizeBytes += bytes.length;
      hash.update(bytes);
      done(null, bytes);
    },
  });
  return { meter, stream };
}

/** Stores lines as a file that nobody names yet: after 48 hours it is removed. */
export async function writeArchive(
  storage: Storage,
  lines: AsyncIterable<string>,
): Promise<Omit<StoredArchive, 'rows'> & { sizeBytes: number }> {
  const storageKey = newStorageKey('archive', 'ndjson.zst');
  const { meter, stream } = createMeter();
  // An error of any of them reaches whoever stores `stream`.
  pipeline(Readable.from(lines, { objectMode: false }), createZstdCompress(), stream, () => undefined);
  await storage.put(storageKey, stream, undefined);
  return { storageKey, sha256: meter.sha256(), sizeBytes: meter.sizeBytes };
}

async function hashFile(storage: Storage, storageKey: string): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const bytes of await storage.open(storageKey)) hash.update(bytes as Buffer);
  return hash.digest();
}

/**
 * Reads an archive into a temporary table of this connection. Its hash is compared first, so that nothing is read of another file.
 * @throws ArchiveError when it is not the file that was written
 */
export async function loadArchive(
  db: Database | Trx,
  storage: Storage,
  { table, key, into = 'returned' }: { table: keyof typeof partitionedTables; key: readonly string[]; into?: string },
  { storageKey, sha256, rows }: StoredArchive,
): Promise<void> {
  const changed = new ArchiveError(
    `L’archive ${storageKey} n’est plus celle qui a été écrite\u00A0: reprenez-la d’une sauvegarde.`,
  );
  if (!(await hashFile(storage, storageKey)).equals(sha256)) throw changed;
  const loaded = sql.table(`pg_temp.${into}`);
  await sql`DROP TABLE IF EXISTS ${loaded}`.execute(db);
  await sql`CREATE TEMPORARY TABLE ${sql.table(into)} (LIKE ${sql.table(table)})`.execute(db);
  const input = createZstdDecompress();
  pipeline(await storage.open(storageKey), input, () => undefined);
  const lines = createInterface({
    input,
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  let count = 0;
  let waiting: string[] = [];
  const flush = async () => {
    // The lines stay text, so that no number is rounded.
    await sql`
      INSERT INTO ${loaded} SELECT * FROM jsonb_populate_recordset(NULL::${loaded}, ${`[${waiting.join(',')}]`}::jsonb)`.execute(
      db,
    );
    count += waiting.length;
    waiting = [];
  };
  for await (const line of lines) {
    waiting.push(line);
    if (waiting.length === rowsAtOnce) await flush();
  }
  await flush();
  if (count !== rows) throw changed;
  await sql`CREATE UNIQUE INDEX ON ${loaded} (${sql.join(key.map((column) => sql.ref(column)))})`.execute(db);
  await sql`ANALYZE ${loaded}`.execute(db);
}

/** Names the file in the database. @returns its id */
export async function nameArchive(
  trx: Trx,
  originalName: string,
  { storageKey, sha256, sizeBytes }: { storageKey: string; sha256: Buffer; sizeBytes: number },
): Promise<number> {
  const file = await trx
    .insertInto('files')
    .values({ storageKey, kind: 'archive', originalName, contentType: 'application/zstd', sizeBytes, sha256 })
    .returning('id')
    .executeTakeFirstOrThrow();
  return file.id;
}
