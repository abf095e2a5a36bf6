import { sql } from 'kysely';
import { type Database, prepared, type Trx } from '#src/lib/db.ts';

/** Identifies an upload (product §34.12). */
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

/** A live track and the status of its release, which decides who may change it. */
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

/** An admin's latest upload to a track. */
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
 * Starts or restarts an upload and locks its row until the transaction ends. `formerSpool` is the file of the previous
 * attempt.
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
 * Counts a chunk that starts at the current position and belongs to a live track of a release in one of these statuses.
 * Otherwise counts nothing and returns undefined.
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

/** Lowers the received count to the file's size and renames the file. False when the upload has changed since. */
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

/** Deletes an admin's uploads to a track, all or the named one; returns their files. */
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

/** Deletes a complete upload; false when it has changed since. */
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

/** Replaces a track's file; the former one goes to the bin (product §34.12). */
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
  // Demo tracks share files.
  await sql`
    UPDATE files f SET binned_at = now()
     WHERE f.id = ${formerFileId} AND f.binned_at IS NULL
       AND NOT EXISTS (SELECT FROM tracks t WHERE t.audio_file_id = f.id AND t.deleted_at IS NULL)`.execute(trx);
}

/** The audio file of a live track, and the name of its download. */
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
