import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Uploads } from '#src/lib/db.generated.ts';
import { type Database, prepared, type Trx } from '#src/lib/db.ts';
import type { Part } from './parts.ts';

export interface UploadRow extends Selectable<Uploads> {
  /** Of a complete upload in a bucket. */
  parts?: string[];
}
export type NewUpload = Pick<UploadRow, 'adminId' | 'kind' | 'trackId' | 'replaces' | 'fileName' | 'sizeBytes'>;

/** `u` is the upload. @returns undefined when nothing is updated */
export async function countPart(
  db: Database,
  update: RawBuilder<unknown>,
  part: Part | undefined,
): Promise<UploadRow | undefined> {
  const { rows } = await (part === undefined
    ? sql<UploadRow>`${prepared} ${update} RETURNING u.*, ${withoutWaiting}`
    : sql<UploadRow>`${prepared}
        WITH counted AS (${update} RETURNING u.*),
             noted AS (INSERT INTO upload_parts SELECT id, ${part.starts}, ${part.storageKey} FROM counted)
        SELECT * FROM counted`
  ).execute(db);
  return rows[0];
}

/** After a power cut the last chunks are sent again: no wait for the disk. */
const withoutWaiting = sql`set_config('synchronous_commit', 'off', true)`;

/** Columns that name an upload, or several. */
export type UploadName = { adminId: number; kind: string } & (
  | { id: number }
  | { trackId: number; fileName?: string; sizeBytes?: number }
);

export function findUpload(db: Database, name: UploadName): Promise<UploadRow | undefined> {
  return db
    .selectFrom('uploads')
    .selectAll()
    .where((eb) => eb.and(name))
    .orderBy('touchedAt', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export function beginUpload(trx: Trx, upload: NewUpload & { spoolName: string }): Promise<UploadRow> {
  return trx
    .insertInto('uploads')
    .values(upload)
    .onConflict((conflicting) =>
      conflicting
        .columns(['adminId', 'fileName', 'sizeBytes', 'kind', 'trackId'])
        .doUpdateSet({ touchedAt: sql`now()`, replaces: upload.replaces }),
    )
    .returningAll()
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
    .returningAll()
    .executeTakeFirstOrThrow();
}

export interface Move {
  from: number;
  to: number;
}

/** @returns undefined at another position */
export const countChunk = (
  db: Database,
  { adminId, kind, id }: { adminId: number; kind: string; id: number },
  { from, to }: Move,
  part: Part | undefined,
): Promise<UploadRow | undefined> =>
  countPart(
    db,
    sql`UPDATE uploads u SET received = ${to}, touched_at = now()
         WHERE u.id = ${id} AND u.admin_id = ${adminId} AND u.kind = ${kind} AND u.received = ${from}`,
    part,
  );

/** In their order. */
export const listParts = (db: Database, uploadId: number): Promise<Part[]> =>
  db
    .selectFrom('uploadParts')
    .select(['starts', 'storageKey'])
    .where('uploadId', '=', uploadId)
    .orderBy('starts')
    .execute();

export const insertPart = (trx: Trx, uploadId: number, part: Part) =>
  trx
    .insertInto('uploadParts')
    .values({ uploadId, ...part })
    .execute();

/** @returns their objects */
export async function deleteParts(trx: Trx, uploadId: number): Promise<string[]> {
  const rows = await trx.deleteFrom('uploadParts').where('uploadId', '=', uploadId).returning('storageKey').execute();
  return rows.map((row) => row.storageKey);
}

/** @returns the names of their files, and their objects */
export async function deleteUploads(db: Database, name: UploadName): Promise<{ spoolName: string; parts: string[] }[]> {
  return db
    .deleteFrom('uploads')
    .where((eb) => eb.and(name))
    .returning([
      'spoolName',
      // Deleted with their upload, after this statement.
      sql<string[]>`ARRAY(SELECT storage_key FROM upload_parts p WHERE p.upload_id = uploads.id)`.as('parts'),
    ])
    .execute();
}

/** False when it changed since. */
export async function endUpload(trx: Trx, { id, spoolName, received }: UploadRow): Promise<boolean> {
  const row = await trx
    .deleteFrom('uploads')
    .where((eb) => eb.and({ id, spoolName, received }))
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}
