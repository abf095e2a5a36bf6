import { sql } from 'kysely';
import { type Database, prepared, queryRow, type Trx } from '#src/lib/db.ts';
import { countPart, type Move, type Part, type UploadRow } from '#src/modules/platform/uploads/uploads.service.ts';

/** The status of a live track's release, which decides who may change it. */
export const findTrackStatus = (db: Database, trackId: number) => queryRow<{ status: string }>(db)`${prepared}
    SELECT r.status FROM tracks t JOIN releases r ON r.id = t.release_id
     WHERE t.id = ${trackId} AND t.deleted_at IS NULL AND r.deleted_at IS NULL`;

/** Counts a chunk for a live track. @returns undefined when no upload is at this position */
export const countChunk = (
  db: Database,
  key: { adminId: number; trackId: number; fileName: string; sizeBytes: number },
  statuses: readonly string[],
  { from, to }: Move,
  part: Part | undefined,
): Promise<UploadRow | undefined> =>
  countPart(
    db,
    sql`UPDATE uploads u SET received = ${to}, touched_at = now()
          FROM tracks t JOIN releases r ON r.id = t.release_id
         WHERE u.admin_id = ${key.adminId} AND u.track_id = ${key.trackId}
           AND u.file_name = ${key.fileName} AND u.size_bytes = ${key.sizeBytes} AND u.received = ${from}
           AND t.id = u.track_id AND t.deleted_at IS NULL AND r.deleted_at IS NULL AND r.status = ANY(${statuses})`,
    part,
  );

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

/** The former file goes to the bin (product §34.12). */
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

export function findAudio(db: Database, trackId: number) {
  return db
    .selectFrom('tracks as t')
    .innerJoin('releases as r', 'r.id', 't.releaseId')
    .innerJoin('files as f', 'f.id', 't.audioFileId')
    .select(['f.id', 'f.storageKey', 'f.originalName', 'f.contentType', 'f.sizeBytes', 'f.sha256', 'f.createdBy'])
    .select(['f.durationMs', 'f.sampleRateHz', 'f.bitDepth', 'f.channels', 'f.isClipped', 'f.isSilent', 'f.peaks'])
    .select(['t.title', 'r.artistName', 'r.status'])
    .where('t.id', '=', trackId)
    .where('t.deletedAt', 'is', null)
    .where('r.deletedAt', 'is', null)
    .executeTakeFirst();
}
