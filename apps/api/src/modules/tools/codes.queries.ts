import { sql } from 'kysely';
import type { Trx } from '#src/lib/db.ts';

export type CodeKind = 'isrc' | 'barcode';

/** A record as the tools change it: a track by its ISRC, a release by its barcode. */
export interface CodeRecord {
  id: number;
  title: string;
  code: string | null;
}

/** Live records by id, locked; a track's release is locked first, as everywhere. */
export async function lockRecords(trx: Trx, kind: CodeKind, ids: readonly number[]): Promise<Map<number, CodeRecord>> {
  if (kind === 'isrc') {
    await sql`
      SELECT 1 FROM releases
       WHERE id IN (SELECT release_id FROM tracks WHERE id = ANY(${ids}::bigint[]))
       ORDER BY id FOR UPDATE`.execute(trx);
  }
  const { rows } =
    kind === 'isrc'
      ? await sql<CodeRecord>`
          SELECT id, title, isrc AS code FROM tracks WHERE id = ANY(${ids}::bigint[]) AND deleted_at IS NULL
           ORDER BY id FOR UPDATE`.execute(trx)
      : await sql<CodeRecord>`
          SELECT id, title, barcode AS code FROM releases WHERE id = ANY(${ids}::bigint[]) AND deleted_at IS NULL
           ORDER BY id FOR UPDATE`.execute(trx);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Who holds these codes: of each, one live record. Barcodes are compared without their leading zeros. */
export async function findHolders(db: Trx, kind: CodeKind, codes: readonly string[]): Promise<CodeRecord[]> {
  const { rows } =
    kind === 'isrc'
      ? await sql<CodeRecord>`
          SELECT t.id, t.title, t.isrc AS code FROM tracks t
           WHERE t.isrc = ANY(${codes}::text[]) AND t.deleted_at IS NULL`.execute(db)
      : await sql<CodeRecord>`
          SELECT r.id, r.title, r.barcode AS code FROM releases r
           WHERE ltrim(r.barcode, '0') = ANY(SELECT ltrim(code, '0') FROM unnest(${codes}::text[]) AS code)
             AND r.barcode IS NOT NULL AND r.deleted_at IS NULL`.execute(db);
  return rows;
}

/** Writes codes; null takes one away. */
export async function writeCodes(
  trx: Trx,
  kind: CodeKind,
  changes: readonly { id: number; code: string | null }[],
): Promise<void> {
  const [table, column] = kind === 'isrc' ? ['tracks', 'isrc'] : ['releases', 'barcode'];
  await sql`
    UPDATE ${sql.table(table)} t SET ${sql.ref(column)} = n.code, updated_at = now()
      FROM unnest(${changes.map(({ id }) => id)}::bigint[], ${changes.map(({ code }) => code)}::text[]) AS n (id, code)
     WHERE t.id = n.id`.execute(trx);
}

/** Nobody gives out codes, or imports them, at the same time. Held until the transaction ends. */
export async function lockCodes(trx: Trx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(7243, 7)`.execute(trx);
}

/** The highest number under a prefix and a year: of any track, deleted ones too, and of what was given and taken back. */
export async function findLastNumber(db: Trx, prefix: string, year: number): Promise<number> {
  const start = `${prefix}${String(year % 100).padStart(2, '0')}`;
  const { rows } = await sql<{ number: number }>`
    SELECT greatest(
      coalesce((SELECT right(max(isrc), 5)::integer FROM tracks WHERE isrc BETWEEN ${`${start}00000`} AND ${`${start}99999`}), 0),
      coalesce((SELECT last_number FROM isrc_counters WHERE prefix = ${prefix} AND year = ${year % 100}), 0)) AS number`.execute(
    db,
  );
  return rows[0]?.number ?? 0;
}

export async function writeLastNumber(trx: Trx, prefix: string, year: number, last: number): Promise<void> {
  await sql`
    INSERT INTO isrc_counters (prefix, year, last_number) VALUES (${prefix}, ${year % 100}, ${last})
    ON CONFLICT (prefix, year) DO UPDATE SET last_number = excluded.last_number`.execute(trx);
}

/** A new edit of many records; the chunks of one file find theirs by its key. */
export async function insertEdit(
  trx: Trx,
  edit: { kind: CodeKind; source: 'file' | 'assigned'; key: string | null; fileName: string | null; createdBy: number },
): Promise<number> {
  const { id } = await trx.insertInto('codeEdits').values(edit).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Keeps what records had before, behind what the edit has already, and counts. */
export async function addChanges(
  trx: Trx,
  editId: number,
  kind: CodeKind,
  changes: readonly { id: number; before: string | null; after: string }[],
  unsaved: number,
): Promise<void> {
  const column = kind === 'isrc' ? 'track_id' : 'release_id';
  await sql`
    INSERT INTO code_edit_changes (edit_id, position, ${sql.ref(column)}, before, after)
    SELECT ${editId}, e.saved + n.position, n.id, n.before, n.after
      FROM code_edits e,
           unnest(${changes.map(({ id }) => id)}::bigint[], ${changes.map(({ before }) => before)}::text[],
                  ${changes.map(({ after }) => after)}::text[]) WITH ORDINALITY AS n (id, before, after, position)
     WHERE e.id = ${editId}`.execute(trx);
  await sql`
    UPDATE code_edits SET saved = saved + ${changes.length}, unsaved = unsaved + ${unsaved} WHERE id = ${editId}`.execute(
    trx,
  );
}
