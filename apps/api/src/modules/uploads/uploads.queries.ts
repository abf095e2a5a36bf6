import { sql } from 'kysely';
import { type Database, prepared, type Trx } from '#src/lib/db.ts';

export interface UploadRow {
  id: number;
  adminId: number;
  kind: string;
  trackId: number | null;
  replaces: number | null;
  fileName: string;
  sizeBytes: number;
  received: number;
  spoolName: string;
}

/** A power cut may take the count of the last chunks, which are then sent again; it need not wait for the disk. */
export const withoutWaiting = sql`set_config('synchronous_commit', 'off', true)`;

const columns = [
  'id',
  'adminId',
  'kind',
  'trackId',
  'replaces',
  'fileName',
  'sizeBytes',
  'received',
  'spoolName',
] as const;

/** Columns that name an upload, or several. */
export type UploadName = { adminId: number; kind: string } & (
  | { id: number }
  | { trackId: number; fileName?: string; sizeBytes?: number }
);

/** The latest upload of this name. */
export function findUpload(db: Database | Trx, name: UploadName): Promise<UploadRow | undefined> {
  return db
    .selectFrom('uploads')
    .select(columns)
    .where((eb) => eb.and(name))
    .orderBy('touchedAt', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Finds the upload of this name, or starts it. */
export function beginUpload(trx: Trx, upload: Omit<UploadRow, 'id' | 'received'>): Promise<UploadRow> {
  return trx
    .insertInto('uploads')
    .values(upload)
    .onConflict((conflicting) =>
      conflicting
        .columns(['adminId', 'fileName', 'sizeBytes', 'kind', 'trackId'])
        .doUpdateSet({ touchedAt: sql`now()`, replaces: upload.replaces }),
    )
    .returning(columns)
    .executeTakeFirstOrThrow();
}

export function restartUpload(
  trx: Trx,
  id: number,
  start: { spoolName: string; received: number },
): Promise<UploadRow> {
  return trx
    .updateTable('uploads')
    .set({ ...start, touchedAt: sql`now()` })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Positions in a file, in bytes. */
export interface Move {
  from: number;
  to: number;
}

/** Counts a chunk. @returns undefined when the upload is at another position */
export async function countChunk(
  db: Database,
  { adminId, kind, id }: { adminId: number; kind: string; id: number },
  { from, to }: Move,
): Promise<UploadRow | undefined> {
  const { rows } = await sql<UploadRow>`${prepared}
    UPDATE uploads SET received = ${to}, touched_at = now()
     WHERE id = ${id} AND admin_id = ${adminId} AND kind = ${kind} AND received = ${from}
    RETURNING *, ${withoutWaiting}`.execute(db);
  return rows[0];
}

/** @returns the names of their files */
export async function deleteUploads(db: Database | Trx, name: UploadName): Promise<string[]> {
  const rows = await db
    .deleteFrom('uploads')
    .where((eb) => eb.and(name))
    .returning('spoolName')
    .execute();
  return rows.map((row) => row.spoolName);
}

/** Deletes a complete upload; false when it has changed since. */
export async function endUpload(trx: Trx, { id, spoolName, received }: UploadRow): Promise<boolean> {
  const row = await trx
    .deleteFrom('uploads')
    .where((eb) => eb.and({ id, spoolName, received }))
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}
