import { sql } from 'kysely';
import type { Database, Trx } from '#src/lib/db.ts';

export interface UploadRow {
  id: number;
  adminId: number;
  fileName: string;
  sizeBytes: number;
  received: number;
  spoolName: string;
  replaces: number | null;
}

const columns = ['id', 'adminId', 'fileName', 'sizeBytes', 'received', 'spoolName', 'replaces'] as const;

/** Finds or starts the upload with this name and size, and locks it until the transaction ends. */
export async function beginUpload(
  trx: Trx,
  upload: { adminId: number; fileName: string; sizeBytes: number; replaces: number | null; spoolName: string },
): Promise<UploadRow> {
  return trx
    .insertInto('statementUploads')
    .values(upload)
    .onConflict((conflicting) =>
      conflicting
        .columns(['adminId', 'fileName', 'sizeBytes'])
        .doUpdateSet({ touchedAt: sql`now()`, replaces: upload.replaces }),
    )
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Locks the upload's row, so that other senders wait. */
export function lockUpload(trx: Trx, id: number, adminId: number): Promise<UploadRow | undefined> {
  return trx
    .selectFrom('statementUploads')
    .select(columns)
    .where('id', '=', id)
    .where('adminId', '=', adminId)
    .forUpdate()
    .executeTakeFirst();
}

export async function setReceived(trx: Trx, id: number, received: number): Promise<void> {
  await trx.updateTable('statementUploads').set({ received, touchedAt: sql`now()` }).where('id', '=', id).execute();
}

/** @returns the name of its file */
export async function deleteUpload(db: Database | Trx, id: number, adminId: number): Promise<string | undefined> {
  const row = await db
    .deleteFrom('statementUploads')
    .where('id', '=', id)
    .where('adminId', '=', adminId)
    .returning('spoolName')
    .executeTakeFirst();
  return row?.spoolName;
}

/** The statement with the same bytes, unless it was deleted. */
export async function findSame(db: Database | Trx, sha256: Buffer) {
  return db
    .selectFrom('statements as s')
    .leftJoin('admins as a', 'a.id', 's.createdBy')
    .select(['s.id', 's.fileName', 's.createdAt', 'a.firstName', 'a.lastName'])
    .where('s.sha256', '=', sha256)
    .where('s.endedAt', 'is', null)
    .executeTakeFirst();
}

export interface NewStatement {
  fileName: string;
  sizeBytes: number;
  sha256: Buffer;
  storageKey: string;
  createdBy: number;
  replaces: number | null;
}

/** @returns undefined when a live statement has the same bytes */
export async function insertStatement(trx: Trx, statement: NewStatement): Promise<number | undefined> {
  const { fileName, sizeBytes, sha256, storageKey, createdBy, replaces } = statement;
  const { id: fileId } = await trx
    .insertInto('files')
    .values({
      storageKey,
      kind: 'statement',
      originalName: fileName,
      contentType: 'application/octet-stream',
      sizeBytes,
      sha256,
      createdBy,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const row = await trx
    .insertInto('statements')
    .values({ fileName, sizeBytes, sha256, fileId, createdBy, replaces })
    .onConflict((conflicting) => conflicting.column('sha256').where('endedAt', 'is', null).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}
