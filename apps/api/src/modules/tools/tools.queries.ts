import { type RawBuilder, sql } from 'kysely';
import type { Trx } from '#src/lib/db.ts';
import { containsPattern, countUpTo, cutPage, keyset, type SortKey } from '#src/lib/keyset.ts';

export interface ListQuery {
  limit: number;
  cursor?: string | undefined;
  q?: string | undefined;
  sort: string;
  order: 'asc' | 'desc';
}

export interface TrackRow {
  id: number;
  title: string;
  version: string | null;
  isrc: string | null;
  artists: string;
  releaseId: number;
  releaseTitle: string;
  status: string;
  userId: number;
  userName: string;
}
export interface ReleaseRow {
  id: number;
  title: string;
  version: string | null;
  barcode: string | null;
  artists: string;
  status: string;
  userId: number;
  userName: string;
}

/** What a row of `tracks r JOIN releases l JOIN accounts a` shows. */
export const trackColumns = sql`
  r.id, r.title, r.version, r.isrc, r.release_id, l.title AS release_title, l.status, r.account_id AS user_id,
  btrim(a.first_name || ' ' || a.last_name) AS user_name,
  coalesce((SELECT string_agg(p.full_name, ', ' ORDER BY c.position, c.id)
              FROM track_credits c JOIN people p ON p.id = c.person_id
             WHERE c.track_id = r.id AND c.kind = 'artist'), '') AS artists`;
/** The same of `releases r JOIN accounts a`. */
export const releaseColumns = sql`
  r.id, r.title, r.version, r.barcode, coalesce(r.artist_name, '') AS artists, r.status, r.account_id AS user_id,
  btrim(a.first_name || ' ' || a.last_name) AS user_name`;

const sorts: Record<string, SortKey> = {
  title: { expression: sql`r.title`, type: 'text' },
  id: { expression: sql`r.id`, type: 'bigint' },
};

/** What a search compares; a release's row has no folded text of its own. */
const texts = {
  tracks: sql`r.search`,
  releases: sql`fold(concat_ws(' ', r.title, r.artist_name, r.barcode))`,
};

async function listOf<Row extends { id: number; title: string }>(
  db: Trx,
  query: ListQuery,
  list: { columns: RawBuilder<unknown>; table: 'tracks' | 'releases'; where: RawBuilder<boolean> },
) {
  const page = keyset(query, sorts, sql`r.id`);
  const matches = query.q ? sql`${texts[list.table]} LIKE fold(${containsPattern(query.q)})` : sql`true`;
  const from = sql`FROM ${sql.table(list.table)} r WHERE r.deleted_at IS NULL AND ${list.where} AND ${matches}`;
  const joins =
    list.table === 'tracks'
      ? sql`JOIN releases l ON l.id = r.release_id JOIN accounts a ON a.id = r.account_id`
      : sql`JOIN accounts a ON a.id = r.account_id`;
  const [{ rows }, count] = await Promise.all([
    // The page first: what its rows show is looked up for these alone.
    sql<Row>`
      SELECT ${list.columns}
        FROM (SELECT r.* ${from} AND ${page.after} ORDER BY ${page.orderBy} LIMIT ${sql.lit(query.limit + 1)}) r ${joins}
       ORDER BY ${page.orderBy}`.execute(db),
    countUpTo(db, from),
  ]);
  return { ...cutPage(rows, page, (row) => (query.sort === 'id' ? row.id : row.title)), ...count };
}

/** Live tracks without an ISRC. */
export const listTracksWithoutIsrc = (db: Trx, query: ListQuery) =>
  listOf<TrackRow>(db, query, { columns: trackColumns, table: 'tracks', where: sql`r.isrc IS NULL` });

/** Live releases without a barcode. */
export const listReleasesWithoutBarcode = (db: Trx, query: ListQuery) =>
  listOf<ReleaseRow>(db, query, { columns: releaseColumns, table: 'releases', where: sql`r.barcode IS NULL` });

/** Live releases whose barcode has a wrong check digit: imports keep it (decisions §4). */
export const listReleasesWithWrongBarcode = (db: Trx, query: ListQuery) =>
  listOf<ReleaseRow>(db, query, { columns: releaseColumns, table: 'releases', where: sql`NOT is_barcode(r.barcode)` });
