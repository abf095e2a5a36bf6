import { sql } from 'kysely';
import { type Database, exists, type Trx } from '#src/lib/db.ts';

export interface CoverFile {
  id: number;
  storageKey: string;
  contentType: string;
  sizeBytes: number;
  sha256: Buffer;
  originalName: string;
}

export function findCover(db: Database, releaseId: number) {
  return db
    .selectFrom('releases as r')
    .innerJoin('files as f', 'f.id', 'r.coverFileId')
    .select(['f.storageKey', 'f.contentType', 'f.sizeBytes', 'f.sha256', 'r.artistName', 'r.title'])
    .where('r.id', '=', releaseId)
    .where('r.deletedAt', 'is', null)
    .executeTakeFirst();
}

export const isCover = (db: Database, storageKey: string) => exists(db)`
    SELECT FROM files WHERE storage_key = ${storageKey} AND kind = 'cover'`;

export function findFile(trx: Trx, id: number) {
  return trx.selectFrom('files').select(['id', 'originalName', 'sha256']).where('id', '=', id).executeTakeFirst();
}

/** The former cover goes to the bin unless another release uses it. */
export async function replaceCover(
  trx: Trx,
  release: { id: number; coverFileId: number | null },
  file: Omit<CoverFile, 'id'> & { side: number; createdBy: number | null },
): Promise<number> {
  const { side, ...values } = file;
  const { id } = await trx
    .insertInto('files')
    .values({ ...values, kind: 'cover', width: side, height: side })
    .returning('id')
    .executeTakeFirstOrThrow();
  await trx.updateTable('releases').set({ coverFileId: id }).where('id', '=', release.id).execute();
  if (release.coverFileId !== null) {
    await sql`
      UPDATE files SET binned_at = now()
       WHERE id = ${release.coverFileId} AND binned_at IS NULL
         AND NOT EXISTS (SELECT FROM releases WHERE cover_file_id = files.id AND deleted_at IS NULL)`.execute(trx);
  }
  return id;
}
