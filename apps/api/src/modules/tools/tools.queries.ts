import { type RawBuilder, sql } from 'kysely';
import type { Trx } from '#src/lib/db.ts';
import { capCount, countUpTo, cutPage, keyset, type SortKey } from '#src/lib/keyset.ts';
import { containsPattern, hasWords } from '#src/lib/text-search.ts';

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
const trackColumns = sql`
  r.id, r.title, r.version, r.isrc, r.release_id, l.title AS release_title, l.status, r.account_id AS user_id,
  btrim(a.first_name || ' ' || a.last_name) AS user_name,
  coalesce((SELECT string_agg(p.full_name, ', ' ORDER BY c.position, c.id)
              FROM track_credits c JOIN people p ON p.id = c.person_id
             WHERE c.track_id = r.id AND c.kind = 'artist'), '') AS artists`;
/** The same of `releases r JOIN accounts a`. */
const releaseColumns = sql`
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
  const matches = query.q ? hasWords(texts[list.table], query.q) : sql`true`;
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

/** A row of a group: what its records have in common, and how many they are. */
interface Grouped {
  groupKey: string;
  size: number;
  isSimilar: boolean;
  cursorValue: string;
}
type Scope = 'isrc' | 'barcode' | 'tracks' | 'libraries';

/** The live records of the group `g`, as `m.id` (migration 035). */
const members: Record<Scope, RawBuilder<unknown>> = {
  isrc: sql`SELECT m.id FROM tracks m WHERE m.isrc = g.key AND m.deleted_at IS NULL`,
  barcode: sql`
    SELECT m.id FROM releases m
     WHERE ltrim(m.barcode, '0') = g.key AND m.barcode IS NOT NULL AND m.deleted_at IS NULL`,
  tracks: sql`SELECT m.record_id AS id FROM title_keys m WHERE m.scope = 'tracks' AND m.key = g.key`,
  libraries: sql`SELECT m.record_id AS id FROM title_keys m WHERE m.scope = 'libraries' AND m.key = g.key`,
};

const byKey = { expression: sql`g.key`, type: 'text' } as const;
const groupSorts: Record<string, SortKey> = {
  code: byKey,
  title: byKey,
  size: { expression: sql`g.rank`, type: 'text' },
};

/** Groups that what was typed is in: their key, or a title of theirs where the key does not tell it. */
function groupMatches(scope: Scope, q: string | undefined): RawBuilder<unknown> {
  if (!q) return sql`true`;
  const table = scope === 'isrc' || scope === 'tracks' ? sql`tracks` : sql`releases`;
  const inTitle = sql`
    EXISTS (SELECT FROM (${members[scope]}) found JOIN ${table} x ON x.id = found.id
             WHERE ${hasWords(sql`fold(x.title)`, q)})`;
  const keyPattern =
    scope === 'isrc' || scope === 'barcode'
      ? sql`${containsPattern(q.replaceAll(/[\s\u00a0-]/g, '').toUpperCase())}`
      : sql`'%' || title_key(${q.replaceAll(/[%_\\]/g, '')}, NULL) || '%'`;
  return sql`(g.key LIKE ${keyPattern} OR ((g.is_similar OR g.scope IN ('isrc', 'barcode')) AND ${inTitle}))`;
}

/** Beyond so many groups their records are more than a list counts. */
const countedGroups = 5001;

/**
 * One page of the records of groups: first the groups that can fill it, each of which has two records at least, then
 * their records, then what a row shows.
 */
async function listGroups<Row extends { id: number }>(
  db: Trx,
  scope: Scope,
  query: ListQuery & { match?: 'same' | 'similar' | undefined },
  shown: { columns: RawBuilder<unknown>; joins: RawBuilder<unknown> },
) {
  const page = keyset(query, groupSorts, sql`m.id`);
  const sortColumn = query.sort === 'size' ? sql`g.rank` : sql`g.key`;
  const direction = sql.raw(query.order);
  const from =
    page.from === undefined
      ? sql`true`
      : sql`${sortColumn} ${sql.raw(query.order === 'asc' ? '>=' : '<=')} ${page.from}`;
  const where = sql`
    g.scope = ${sql.lit(scope)} AND ${groupMatches(scope, query.q)}
    AND ${query.match === undefined ? sql`true` : sql`g.is_similar = ${sql.lit(query.match === 'similar')}`}`;
  const limit = sql.lit(query.limit + 1);
  const [{ rows }, { rows: counted }] = await Promise.all([
    sql<Row & Grouped>`
      SELECT ${shown.columns}, p.group_key, p.size, p.is_similar, p.cursor_value
        FROM (SELECT m.id, g.key AS group_key, g.size, g.is_similar, ${sortColumn} AS cursor_value
                FROM (SELECT g.* FROM doubles g WHERE ${where} AND ${from}
                       ORDER BY ${sortColumn} ${direction} LIMIT ${limit}) g
               CROSS JOIN LATERAL (
                 SELECT m.id FROM (${members[scope]}) m WHERE ${page.after} ORDER BY m.id ${direction} LIMIT ${limit}) m
               ORDER BY ${page.orderBy} LIMIT ${limit}) p
        ${shown.joins}
       ORDER BY p.cursor_value ${direction}, p.id ${direction}`.execute(db),
    sql<{ n: number }>`
      SELECT coalesce(sum(size), 0)::integer AS n
        FROM (SELECT g.size FROM doubles g WHERE ${where} LIMIT ${sql.lit(countedGroups)}) AS found`.execute(db),
  ]);
  return { ...cutPage(rows, page), ...capCount(counted[0]?.n ?? 0) };
}

/** Tracks that share an ISRC, or whose titles are alike. */
export const listTrackDoubles = (
  db: Trx,
  scope: 'isrc' | 'tracks',
  query: ListQuery & { match?: 'same' | 'similar' | undefined },
) =>
  listGroups<TrackRow>(db, scope, query, {
    columns: trackColumns,
    joins: sql`
      JOIN tracks r ON r.id = p.id JOIN releases l ON l.id = r.release_id JOIN accounts a ON a.id = r.account_id`,
  });

/** Releases that share a barcode, or whose titles are alike. */
export const listReleaseDoubles = (
  db: Trx,
  scope: 'barcode' | 'libraries',
  query: ListQuery & { match?: 'same' | 'similar' | undefined },
) =>
  listGroups<ReleaseRow>(db, scope, query, {
    columns: releaseColumns,
    joins: sql`JOIN releases r ON r.id = p.id JOIN accounts a ON a.id = r.account_id`,
  });
