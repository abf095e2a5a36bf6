import { sql } from 'kysely';
import { type Database, queryColumn, queryRows, querySingle, type Trx } from '#src/lib/db.ts';

export interface BinnedFile {
  id: number;
  storageKey: string;
}

/** By a live record. */
const isUsed = sql<boolean>`(
  EXISTS (SELECT FROM releases r WHERE r.cover_file_id = f.id AND r.deleted_at IS NULL)
  OR EXISTS (SELECT FROM tracks t WHERE t.audio_file_id = f.id AND t.deleted_at IS NULL)
  OR EXISTS (SELECT FROM statements s WHERE s.file_id = f.id AND s.status <> 'removed')
  OR EXISTS (SELECT FROM statement_line_files l WHERE l.file_id = f.id))`;

export const listExpired = (
  db: Database,
  options: { before: Date; afterId: number; limit: number },
) => queryRows<BinnedFile>(db)`
    SELECT f.id, f.storage_key FROM files f
     WHERE f.binned_at < ${options.before} AND f.id > ${options.afterId} AND NOT ${isUsed}
     ORDER BY f.id LIMIT ${options.limit}`;

/** Unless it was restored since. @returns whether it was deleted */
export async function deleteFile(trx: Trx, id: number, before: Date): Promise<boolean> {
  const rows = await queryRows(trx)`
    SELECT FROM files f WHERE f.id = ${id} AND f.binned_at < ${before} AND NOT ${isUsed} FOR UPDATE`;
  if (rows.length === 0) return false;
  await sql`UPDATE releases SET cover_file_id = NULL WHERE cover_file_id = ${id}`.execute(trx);
  await sql`UPDATE tracks SET audio_file_id = NULL WHERE audio_file_id = ${id}`.execute(trx);
  await sql`DELETE FROM files WHERE id = ${id}`.execute(trx);
  return true;
}

/** Until the transaction ends. */
export async function createSeen(trx: Trx): Promise<void> {
  await sql`CREATE TEMPORARY TABLE seen_objects (key text COLLATE "C", owner text COLLATE "C", is_old boolean) ON COMMIT DROP`.execute(
    trx,
  );
}

export async function addSeen(
  trx: Trx,
  objects: readonly { key: string; owner: string; isOld: boolean }[],
): Promise<void> {
  await sql`
    INSERT INTO seen_objects
    SELECT * FROM unnest(${objects.map((object) => object.key)}::text[], ${objects.map((object) => object.owner)}::text[],
                         ${objects.map((object) => object.isOld)}::boolean[])`.execute(trx);
}

/** Of no file and no upload. */
export const listOrphans = (trx: Trx) => queryColumn<string>(trx)`
    SELECT s.key FROM seen_objects s
     WHERE s.is_old AND NOT EXISTS (SELECT FROM files f WHERE f.storage_key = s.owner)
       AND NOT EXISTS (SELECT FROM upload_parts p WHERE p.storage_key = s.key)
     ORDER BY s.key`;

/** Older files without an object: how many, and some keys. */
export const findMissing = (trx: Trx, before: Date, examples: number) => querySingle<{ count: number; keys: string[] }>(
  trx,
)`
    SELECT count(*) AS count, coalesce((array_agg(f.storage_key ORDER BY f.id))[1:${sql.lit(examples)}], '{}') AS keys
      FROM files f
     WHERE f.created_at < ${before} AND NOT EXISTS (SELECT FROM seen_objects s WHERE s.key = f.storage_key)`;
