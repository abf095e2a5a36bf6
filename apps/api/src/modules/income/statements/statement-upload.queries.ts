import { adminName } from '#src/lib/audit.ts';
import { type Database, queryRow, type Trx } from '#src/lib/db.ts';

/** The statement with the same bytes, unless it was deleted. */
export const findSame = (db: Database | Trx, sha256: Buffer) =>
  queryRow<{ id: number; fileName: string; createdAt: Date; author: string | null }>(db)`
    SELECT s.id, s.file_name, s.created_at, ${adminName('s.created_by')} AS author
      FROM statements s WHERE s.sha256 = ${sha256} AND s.ended_at IS NULL`;

interface NewStatement {
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
  const row = await queryRow<{ id: number }>(trx)`
    WITH file AS (
      INSERT INTO files (storage_key, kind, original_name, content_type, size_bytes, sha256, created_by)
      VALUES (${storageKey}, 'statement', ${fileName}, 'application/octet-stream', ${sizeBytes}, ${sha256}, ${createdBy}) RETURNING id)
    INSERT INTO statements (file_name, size_bytes, sha256, file_id, created_by, replaces)
    SELECT ${fileName}, ${sizeBytes}, ${sha256}, id, ${createdBy}, ${replaces} FROM file
    ON CONFLICT (sha256) WHERE ended_at IS NULL DO NOTHING RETURNING id`;
  return row?.id;
}
