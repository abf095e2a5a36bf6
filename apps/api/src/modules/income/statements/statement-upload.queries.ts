import type { Database, Trx } from '#src/lib/db.ts';

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
