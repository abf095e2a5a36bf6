import { codeEditNames } from '@regie/contract/tools.ts';
import { type Selectable, sql } from 'kysely';
import { adminName } from '#src/lib/audit.ts';
import type { CodeEdits } from '#src/lib/db.generated.ts';
import { queryRow, queryRows, queryValue, type Trx } from '#src/lib/db.ts';
import { keyset, type ListQuery, readPage } from '#src/lib/keyset.ts';
import { hasWords } from '#src/lib/text-search.ts';

export type CodeKind = 'isrc' | 'barcode';

export interface CodeRecord {
  id: number;
  title: string;
  code: string | null;
}

const places = {
  isrc: { table: 'tracks', column: 'isrc', change: 'track_id', scope: 'tracks' },
  barcode: { table: 'releases', column: 'barcode', change: 'release_id', scope: 'libraries' },
} as const;

/** A track's release is locked first, as everywhere. */
export async function lockRecords(trx: Trx, kind: CodeKind, ids: readonly number[]): Promise<Map<number, CodeRecord>> {
  if (kind === 'isrc') {
    await sql`
      SELECT 1 FROM releases
       WHERE id IN (SELECT release_id FROM tracks WHERE id = ANY(${ids}::bigint[]))
       ORDER BY id FOR UPDATE`.execute(trx);
  }
  const { table, column } = places[kind];
  const rows = await queryRows<CodeRecord>(trx)`
    SELECT id, title, ${sql.ref(column)} AS code FROM ${sql.table(table)}
     WHERE id = ANY(${ids}::bigint[]) AND deleted_at IS NULL ORDER BY id FOR UPDATE`;
  return new Map(rows.map((row) => [row.id, row]));
}

/** Barcodes are compared without leading zeros. */
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

/** Null removes a code. */
export async function writeCodes(
  trx: Trx,
  kind: CodeKind,
  changes: readonly { id: number; after: string | null }[],
): Promise<void> {
  const { table, column } = places[kind];
  await sql`
    UPDATE ${sql.table(table)} t SET ${sql.ref(column)} = n.code, updated_at = now()
      FROM unnest(${changes.map(({ id }) => id)}::bigint[], ${changes.map(({ after }) => after)}::text[]) AS n (id, code)
     WHERE t.id = n.id`.execute(trx);
}

/** Serialises assigning and importing codes. */
export async function lockCodes(trx: Trx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(7243, 7)`.execute(trx);
}

/** Including deleted tracks and codes removed since. */
export function findLastNumber(db: Trx, prefix: string, year: number): Promise<number> {
  const start = `${prefix}${String(year % 100).padStart(2, '0')}`;
  return queryValue<number>(db)`
    SELECT greatest(
      coalesce((SELECT right(max(isrc), 5)::integer FROM tracks WHERE isrc BETWEEN ${`${start}00000`} AND ${`${start}99999`}), 0),
      coalesce((SELECT last_number FROM isrc_counters WHERE prefix = ${prefix} AND year = ${year % 100}), 0))`;
}

export async function writeLastNumber(trx: Trx, prefix: string, year: number, last: number): Promise<void> {
  await sql`
    INSERT INTO isrc_counters (prefix, year, last_number) VALUES (${prefix}, ${year % 100}, ${last})
    ON CONFLICT (prefix, year) DO UPDATE SET last_number = excluded.last_number`.execute(trx);
}

/** Chunks of one file find it by its key. */
export async function insertEdit(
  trx: Trx,
  edit: { kind: CodeKind; source: 'file' | 'assigned'; key: string | null; fileName: string | null; createdBy: number },
): Promise<number> {
  const { id } = await trx.insertInto('codeEdits').values(edit).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Adds former codes and counts to the edit. */
export async function addChanges(
  trx: Trx,
  editId: number,
  kind: CodeKind,
  changes: readonly { id: number; before: string | null; after: string }[],
  unsaved: number,
): Promise<void> {
  await sql`
    INSERT INTO code_edit_changes (edit_id, position, ${sql.ref(places[kind].change)}, before, after)
    SELECT ${editId}, e.saved + n.position, n.id, n.before, n.after
      FROM code_edits e,
           unnest(${changes.map(({ id }) => id)}::bigint[], ${changes.map(({ before }) => before)}::text[],
                  ${changes.map(({ after }) => after)}::text[]) WITH ORDINALITY AS n (id, before, after, position)
     WHERE e.id = ${editId}`.execute(trx);
  await sql`
    UPDATE code_edits SET saved = saved + ${changes.length}, unsaved = unsaved + ${unsaved}
     WHERE id = ${editId}`.execute(trx);
}

export async function findLiveIds(db: Trx, kind: CodeKind, ids: readonly number[]): Promise<Set<number>> {
  const rows = await queryRows<{ id: number }>(db)`
    SELECT id FROM ${sql.table(places[kind].table)} WHERE id = ANY(${ids}::bigint[]) AND deleted_at IS NULL`;
  return new Set(rows.map(({ id }) => id));
}

/** Up to two per title: exact matches, else ignoring case and accents. */
export async function findByTitle(db: Trx, kind: CodeKind, titles: readonly string[]): Promise<Map<string, number[]>> {
  const { table, scope } = places[kind];
  const rows = await queryRows<{ title: string; id: number }>(db)`
    SELECT n.title, m.id
      FROM unnest(${titles}::text[]) AS n (title)
     CROSS JOIN LATERAL (
       SELECT r.id FROM ${sql.table(table)} r
        WHERE r.title = n.title AND r.deleted_at IS NULL ${
          // The index on titles starts with the status.
          kind === 'isrc'
            ? sql``
            : sql`AND r.status IN ('draft', 'pending', 'opened', 'paid', 'delivered', 'closed', 'cancelled')`
        } LIMIT 2) AS m`;
  const byTitle = Map.groupBy(rows, ({ title }) => title);
  const others = titles.filter((title) => !byTitle.has(title));
  if (others.length > 0) {
    const alike = await sql<{ title: string; id: number }>`
      SELECT n.title, m.id
        FROM unnest(${others}::text[]) AS n (title)
       CROSS JOIN LATERAL (
         SELECT r.id FROM title_keys k JOIN ${sql.table(table)} r ON r.id = k.record_id AND r.deleted_at IS NULL
          WHERE k.scope = ${sql.lit(scope)} AND k.key = title_key(n.title, NULL) AND fold(r.title) = fold(n.title)
          LIMIT 2) AS m`.execute(db);
    for (const row of alike.rows) byTitle.set(row.title, [...(byTitle.get(row.title) ?? []), row]);
  }
  return new Map([...byTitle].map(([title, records]) => [title, records.map(({ id }) => id)]));
}

export interface EditRow extends Selectable<CodeEdits> {
  kind: CodeKind;
  source: 'file' | 'assigned';
  createdByName: string;
  reversedByName: string | null;
}
const editColumns = sql`
  e.*, ${adminName('e.created_by')} AS created_by_name, ${adminName('e.reversed_by')} AS reversed_by_name`;

export function lockEdit(trx: Trx, by: { key: string } | { id: number }): Promise<EditRow | undefined> {
  const where = 'key' in by ? sql`e.key = ${by.key}` : sql`e.id = ${by.id}`;
  return queryRow<EditRow>(trx)`SELECT ${editColumns} FROM code_edits e WHERE ${where} FOR UPDATE`;
}

const editName = sql`fold(CASE e.source WHEN 'assigned' THEN ${codeEditNames.assigned} ELSE coalesce(e.file_name, ${codeEditNames.call}) END)`;

export async function listEdits(
  db: Trx,
  query: ListQuery<'date'> & {
    kind?: CodeKind | undefined;
  },
) {
  const page = keyset(query, { date: { expression: sql`e.created_at`, type: 'timestamptz' } }, sql`e.id`);
  return readPage<EditRow>(db, page, {
    columns: editColumns,
    from: sql`code_edits e`,
    row: 'e',
    where: [query.kind ? sql`e.kind = ${query.kind}` : sql`true`, query.q ? hasWords(editName, query.q) : sql`true`],
  });
}

export interface ChangeRow {
  recordId: number;
  before: string | null;
  after: string;
}

/** Newest first. */
export const listChanges = (db: Trx, editId: number) => queryRows<ChangeRow>(db)`
    SELECT coalesce(track_id, release_id) AS record_id, before, after
      FROM code_edit_changes WHERE edit_id = ${editId} ORDER BY position DESC`;

const maxUnsavedShown = 20_000;

/** As journalled. */
export function listUnsavedCodes(db: Trx, editId: number) {
  return queryRows<{ id: string; title: string; code: string; reason: string }>(db)`
    SELECT r.row ->> 0 AS id, r.row ->> 1 AS title, r.row ->> 2 AS code, r.row ->> 3 AS reason
      FROM audit_log l CROSS JOIN LATERAL jsonb_array_elements(l.after -> 'unsavedRows') WITH ORDINALITY AS r (row, position)
     WHERE l.entity = 'code_edit' AND l.entity_id = ${String(editId)} AND l.action = 'code_edit.rows'
     ORDER BY l.id, r.position LIMIT ${maxUnsavedShown}`;
}

export async function markReversed(trx: Trx, editId: number, adminId: number, reversed: number): Promise<void> {
  await sql`
    UPDATE code_edits SET reversed_at = ${new Date()}, reversed_by = ${adminId}, reversed = ${reversed}
     WHERE id = ${editId}`.execute(trx);
}
