import { sql } from 'kysely';
import { type Database, prepared, type Trx } from '#src/lib/db.ts';

/** What tells one upload from another (decisions §4). */
export interface UploadKey {
  adminId: number;
  trackId: number;
  fileName: string;
  sizeBytes: number;
}

export interface UploadRow {
  id: number;
  received: number;
  spoolName: string;
}

/** A live track and the status of its release, which says who may change it. */
export async function findTrackStatus(db: Database | Trx, trackId: number): Promise<string | undefined> {
  const { rows } = await sql<{ status: string }>`${prepared}
    SELECT r.status FROM tracks t JOIN releases r ON r.id = t.release_id
     WHERE t.id = ${trackId} AND t.deleted_at IS NULL AND r.deleted_at IS NULL`.execute(db);
  return rows[0]?.status;
}

export async function findUpload(db: Database | Trx, key: UploadKey): Promise<UploadRow | undefined> {
  const { rows } = await sql<UploadRow>`${prepared}
    SELECT id, received, spool_name FROM uploads
     WHERE admin_id = ${key.adminId} AND track_id = ${key.trackId}
       AND file_name = ${key.fileName} AND size_bytes = ${key.sizeBytes}`.execute(db);
  return rows[0];
}

/** The latest upload of an admin to a track. */
export function findLatestUpload(db: Database | Trx, adminId: number, trackId: number) {
  return db
    .selectFrom('uploads')
    .select(['fileName', 'sizeBytes'])
    .where('adminId', '=', adminId)
    .where('trackId', '=', trackId)
    .orderBy('touchedAt', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/**
 * Begins an upload, or begins it anew: its row is then locked until the transaction ends. `formerSpool` is the file of
 * the attempt that ends here.
 */
export async function beginUpload(
  trx: Trx,
  key: UploadKey,
  spoolName: string,
  received: number,
): Promise<{ formerSpool: string | undefined }> {
  const row = await trx
    .insertInto('uploads')
    .values({ ...key, spoolName, received: 0 })
    .onConflict((conflicting) =>
      conflicting.columns(['adminId', 'trackId', 'fileName', 'sizeBytes']).doUpdateSet({ touchedAt: sql`now()` }),
    )
    .returning(['id', 'spoolName'])
    .executeTakeFirstOrThrow();
  await trx
    .updateTable('uploads')
    .set({ spoolName, received, startedAt: sql`now()`, touchedAt: sql`now()` })
    .where('id', '=', row.id)
    .execute();
  return { formerSpool: row.spoolName === spoolName ? undefined : row.spoolName };
}

/**
 * Counts a chunk that starts where the server stands, to a live track of a release in one of these statuses;
 * undefined, and nothing counted, where any of that is not so.
 */
export async function countChunk(
  db: Database | Trx,
  key: UploadKey,
  statuses: readonly string[],
  chunk: { start: number; length: number },
): Promise<string | undefined> {
  const { rows } = await sql<{ spoolName: string }>`${prepared}
    UPDATE uploads u SET received = ${chunk.start + chunk.length}::bigint, touched_at = now()
      FROM tracks t JOIN releases r ON r.id = t.release_id
     WHERE u.admin_id = ${key.adminId} AND u.track_id = ${key.trackId}
       AND u.file_name = ${key.fileName} AND u.size_bytes = ${key.sizeBytes} AND u.received = ${chunk.start}
       AND t.id = u.track_id AND t.deleted_at IS NULL AND r.deleted_at IS NULL AND r.status = ANY(${statuses})
    -- A power cut may take the count of the last chunks, which are then sent again; it need not wait for the disk.
    RETURNING u.spool_name, set_config('synchronous_commit', 'off', true)`.execute(db);
  return rows[0]?.spoolName;
}

/** Counts less than before: an upload's file, under another name, holds no more. False when it went on meanwhile. */
export async function recount(db: Database | Trx, upload: UploadRow, received: number, name: string): Promise<boolean> {
  const row = await db
    .updateTable('uploads')
    .set({ received, spoolName: name })
    .where('id', '=', upload.id)
    .where('spoolName', '=', upload.spoolName)
    .where('received', '=', upload.received)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Ends uploads of an admin to a track, all of them or the one named; gives back their files. */
export async function deleteUploads(
  db: Database | Trx,
  of: { adminId: number; trackId: number } & Partial<UploadKey>,
): Promise<string[]> {
  const { fileName, sizeBytes } = of;
  const rows = await db
    .deleteFrom('uploads')
    .where('adminId', '=', of.adminId)
    .where('trackId', '=', of.trackId)
    .$if(fileName !== undefined, (query) => query.where('fileName', '=', fileName ?? ''))
    .$if(sizeBytes !== undefined, (query) => query.where('sizeBytes', '=', sizeBytes ?? 0))
    .returning('spoolName')
    .execute();
  return rows.map((row) => row.spoolName);
}

/** Ends an upload as it was when it was found whole; false when it went on or began anew meanwhile. */
export async function endUpload(trx: Trx, upload: UploadRow): Promise<boolean> {
  const row = await trx
    .deleteFrom('uploads')
    .where('id', '=', upload.id)
    .where('spoolName', '=', upload.spoolName)
    .where('received', '=', upload.received)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export interface AudioFile {
  storageKey: string;
  originalName: string;
  sizeBytes: number;
  sha256: Buffer;
  durationMs: number;
  sampleRateHz: number;
  bitDepth: number;
  channels: number;
  peaks: Buffer;
  peakAmplitude: number;
  clippedRuns: number;
  isClipped: boolean;
  isSilent: boolean;
}

/** Puts a file in the place of a track's present one, which goes to the bin (decisions §4). */
export async function replaceAudio(
  trx: Trx,
  trackId: number,
  formerFileId: number | null,
  file: AudioFile & { createdBy: number },
): Promise<void> {
  const { id } = await trx
    .insertInto('files')
    .values({ ...file, kind: 'audio', contentType: 'audio/wav' })
    .returning('id')
    .executeTakeFirstOrThrow();
  await trx.updateTable('tracks').set({ audioFileId: id }).where('id', '=', trackId).execute();
  if (formerFileId === null) return;
  // The demo's tracks share their files.
  await sql`
    UPDATE files f SET binned_at = now()
     WHERE f.id = ${formerFileId} AND f.binned_at IS NULL
       AND NOT EXISTS (SELECT FROM tracks t WHERE t.audio_file_id = f.id AND t.deleted_at IS NULL)`.execute(trx);
}

/** The present audio file of a live track, with what its download is called after. */
export function findAudio(db: Database | Trx, trackId: number) {
  return db
    .selectFrom('tracks as t')
    .innerJoin('releases as r', 'r.id', 't.releaseId')
    .innerJoin('files as f', 'f.id', 't.audioFileId')
    .select(['f.id', 'f.storageKey', 'f.originalName', 'f.contentType', 'f.sizeBytes', 'f.sha256', 'f.createdBy'])
    .select(['f.durationMs', 'f.sampleRateHz', 'f.bitDepth', 'f.channels', 'f.peaks'])
    .select(['t.title', 'r.artistName', 'r.status'])
    .where('t.id', '=', trackId)
    .where('t.deletedAt', 'is', null)
    .where('r.deletedAt', 'is', null)
    .executeTakeFirst();
}
