import type { ReleaseAdvice, TitleAdvice } from '@regie/contract/routes/tools.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Trx } from '#src/lib/db.ts';
import { capCount, cutPage, keyset, type ListQuery, readPage, type SortKey } from '#src/lib/keyset.ts';
import { accountsWith, containsPattern, hasEachWord, hasWords } from '#src/lib/text-search.ts';

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

const trackColumns = sql`
  r.id, r.title, r.version, r.isrc, r.release_id, l.title AS release_title, l.status, r.account_id AS user_id,
  btrim(a.first_name || ' ' || a.last_name) AS user_name,
  coalesce((SELECT string_agg(p.full_name, ', ' ORDER BY c.position, c.id)
              FROM track_credits c JOIN people p ON p.id = c.person_id
             WHERE c.track_id = r.id AND c.kind = 'artist'), '') AS artists`;
const releaseColumns = sql`
  r.id, r.title, r.version, r.barcode, coalesce(r.artist_name, '') AS artists, r.status, r.account_id AS user_id,
  btrim(a.first_name || ' ' || a.last_name) AS user_name`;

const sorts: Record<string, SortKey> = {
  title: { expression: sql`r.title`, type: 'text' },
  id: { expression: sql`r.id`, type: 'bigint' },
};

/** Releases have no stored folded text; a track is found by its release too. */
const texts = {
  tracks: sql`(r.search || (SELECT fold(concat_ws(' ', '', l.title, l.artist_name)) FROM releases l WHERE l.id = r.release_id))`,
  releases: sql`fold(concat_ws(' ', r.title, r.artist_name, r.barcode))`,
};

async function listOf<Row extends { id: number; title: string }>(
  db: Trx,
  query: ListQuery,
  list: { columns: RawBuilder<unknown>; table: 'tracks' | 'releases'; where: RawBuilder<boolean> },
) {
  const page = keyset(query, sorts, sql`r.id`);
  const isIn = (word: string) => sql`${hasWords(texts[list.table], word)} OR r.account_id IN ${accountsWith(word)}`;
  const matches = query.q ? hasEachWord(query.q, isIn) : sql`true`;
  const joins = sql`JOIN accounts a ON a.id = r.account_id`;
  return readPage<Row>(db, page, {
    columns: list.columns,
    from: sql`${sql.table(list.table)} r`,
    row: 'r',
    where: [sql`r.deleted_at IS NULL`, list.where, matches],
    joins: list.table === 'tracks' ? sql`JOIN releases l ON l.id = r.release_id ${joins}` : joins,
  });
}

export const listTracksWithoutIsrc = (db: Trx, query: ListQuery) =>
  listOf<TrackRow>(db, query, { columns: trackColumns, table: 'tracks', where: sql`r.isrc IS NULL` });

export const listReleasesWithoutBarcode = (db: Trx, query: ListQuery) =>
  listOf<ReleaseRow>(db, query, { columns: releaseColumns, table: 'releases', where: sql`r.barcode IS NULL` });

/** Which imports accept (product §34.14). */
export const listReleasesWithWrongBarcode = (db: Trx, query: ListQuery) =>
  listOf<ReleaseRow>(db, query, { columns: releaseColumns, table: 'releases', where: sql`NOT is_barcode(r.barcode)` });

interface Grouped {
  groupKey: string;
  size: number;
  isSimilar: boolean;
  cursorValue: string;
}
type Scope = 'isrc' | 'barcode' | 'tracks' | 'libraries';

/** Live records of the group `g`, as `m.id` (`duplicate_groups`). */
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

/** Groups of one artist, one account, both or none (`title_keys`). */
export interface TitleScope {
  match?: 'same' | 'similar' | undefined;
  artist: 'same' | 'any';
  account: 'same' | 'any';
}

/** The keys of groups with a record of the accounts `of`. */
const keysOf: Record<Scope, (of: RawBuilder<unknown>) => RawBuilder<unknown>> = {
  isrc: (of) => sql`SELECT isrc FROM tracks WHERE account_id IN ${of} AND deleted_at IS NULL`,
  barcode: (of) => sql`SELECT ltrim(barcode, '0') FROM releases WHERE account_id IN ${of} AND deleted_at IS NULL`,
  tracks: (of) =>
    sql`SELECT k.key FROM title_keys k JOIN tracks x ON x.id = k.record_id WHERE k.scope = 'tracks' AND x.account_id IN ${of}`,
  libraries: (of) =>
    sql`SELECT k.key FROM title_keys k JOIN releases x ON x.id = k.record_id WHERE k.scope = 'libraries' AND x.account_id IN ${of}`,
};

/** By key, by a title when the key does not contain it, or by an account. */
function groupMatches(scope: Scope, q: string | undefined): RawBuilder<unknown> {
  if (!q) return sql`true`;
  const table = scope === 'isrc' || scope === 'tracks' ? sql`tracks` : sql`releases`;
  const inTitle = sql`
    EXISTS (SELECT FROM (${members[scope]}) found JOIN ${table} x ON x.id = found.id
             WHERE ${hasWords(sql`fold(x.title)`, q)})`;
  const key = sql`split_part(g.key, ' ', 1)`;
  const inKey =
    scope === 'isrc' || scope === 'barcode'
      ? sql`${key} LIKE ${containsPattern(q.replaceAll(/[\s\u00a0-]/g, '').toUpperCase())}`
      : // The key has no spaces, so each word is matched separately.
        hasEachWord(q, (word) => sql`${key} LIKE '%' || title_key(${word.replaceAll(/[%_\\]/g, '')}, NULL) || '%'`);
  return sql`(${inKey} OR ((g.is_similar OR g.scope IN ('isrc', 'barcode')) AND ${inTitle})
              OR g.key IN (${keysOf[scope](accountsWith(q))}))`;
}

/** More than a list counts. */
const countedGroups = 5001;

/** First the groups that fill the page, with two records at least, then their records, then the columns. */
async function listGroups<Row extends { id: number }>(
  db: Trx,
  scope: Scope,
  query: ListQuery & Partial<TitleScope>,
  shown: { columns: RawBuilder<unknown>; joins: RawBuilder<unknown> },
) {
  const page = keyset(query, groupSorts, sql`m.id`);
  const sortColumn = query.sort === 'size' ? sql`g.rank` : sql`g.key`;
  const direction = sql.raw(query.order);
  const from =
    page.from === undefined
      ? sql`true`
      : sql`${sortColumn} ${sql.raw(query.order === 'asc' ? '>=' : '<=')} ${page.from}`;
  const isTitle = scope === 'tracks' || scope === 'libraries';
  const where = sql`
    g.scope = ${sql.lit(scope)} AND ${groupMatches(scope, query.q)}
    AND ${isTitle ? sql`g.of_account = ${sql.lit(query.account === 'same')}` : sql`true`}
    AND ${isTitle ? sql`coalesce(g.of_artist = ${sql.lit(query.artist === 'same')}, true)` : sql`true`}
    AND ${query.match === undefined ? sql`true` : sql`g.is_similar = ${sql.lit(query.match === 'similar')}`}`;
  const limit = sql.lit(query.limit + 1);
  const [{ rows }, { rows: counted }] = await Promise.all([
    sql<Row & Grouped>`
      WITH p AS MATERIALIZED (
        SELECT m.id, g.key AS group_key, g.size, g.is_similar, ${sortColumn} AS cursor_value
          FROM (SELECT g.* FROM duplicate_groups g WHERE ${where} AND ${from}
                 ORDER BY ${sortColumn} ${direction} LIMIT ${limit}) g
         CROSS JOIN LATERAL (
           SELECT m.id FROM (${members[scope]}) m WHERE ${page.after} ORDER BY m.id ${direction} LIMIT ${limit}) m
         ORDER BY ${page.orderBy} LIMIT ${limit})
      SELECT ${shown.columns}, p.group_key, p.size, p.is_similar, p.cursor_value
        FROM p ${shown.joins}
       ORDER BY p.cursor_value ${direction}, p.id ${direction}`.execute(db),
    sql<{ n: number }>`
      SELECT coalesce(sum(size), 0)::integer AS n
        FROM (SELECT g.size FROM duplicate_groups g
         WHERE ${where} LIMIT ${sql.lit(countedGroups)}) AS found`.execute(db),
  ]);
  const cut = cutPage(rows, page);
  return { rows: cut.rows, meta: { nextCursor: cut.nextCursor, ...capCount(counted[0]?.n ?? 0) } };
}

export const listTracksOfOneIsrc = (db: Trx, query: ListQuery) =>
  listGroups<TrackRow>(db, 'isrc', query, {
    columns: trackColumns,
    joins: sql`
      JOIN tracks r ON r.id = p.id JOIN releases l ON l.id = r.release_id JOIN accounts a ON a.id = r.account_id`,
  });

export const listReleasesOfOneBarcode = (db: Trx, query: ListQuery) =>
  listGroups<ReleaseRow>(db, 'barcode', query, {
    columns: releaseColumns,
    joins: sql`JOIN releases r ON r.id = p.id JOIN accounts a ON a.id = r.account_id`,
  });

export interface Advised<Advice = TitleAdvice> {
  advice: Advice;
  isKept: boolean;
  incomeEur: string | null;
}

/** Advice would read all their records. */
const largestAdvised = 100;

/** Of the account so far. */
const incomeOf = (tracks: RawBuilder<unknown>) => sql`
  (SELECT coalesce(sum(x.account_eur), 0) FROM reports x WHERE x.track_id ${tracks} AND x.reversed_at IS NULL)`;

/** A title group with what advice needs. */
const advisedMembers = {
  tracks: sql`
    SELECT t.id, t.isrc AS code, t.release_id, t.account_id, l.status, ${incomeOf(sql`= t.id`)} AS income
      FROM title_keys k JOIN tracks t ON t.id = k.record_id JOIN releases l ON l.id = t.release_id
     WHERE k.scope = 'tracks' AND k.key = g.group_key`,
  libraries: sql`
    SELECT l.id, ltrim(l.barcode, '0') AS code, l.id AS release_id, l.account_id, l.status,
           ${incomeOf(sql`IN (SELECT t.id FROM tracks t WHERE t.release_id = l.id)`)} AS income
      FROM title_keys k JOIN releases l ON l.id = k.record_id
     WHERE k.scope = 'libraries' AND k.key = g.group_key`,
};

/** One row per group of the page `p`: `group_key, advice, kept_id`. */
const adviceOf = (scope: 'tracks' | 'libraries', seesIncome: boolean) => sql`
  (SELECT g.group_key, g.advice,
          CASE WHEN g.advice IN ('codeTwice', 'releaseTwice', 'codeMissing') THEN (
            SELECT m.id FROM (${advisedMembers[scope]}) m
             ORDER BY m.code IS NULL, ${seesIncome ? sql`m.income DESC,` : sql``} m.status NOT IN ('delivered', 'closed'), m.id
             LIMIT 1) END AS kept_id
     FROM (SELECT g.group_key, CASE WHEN g.size > ${sql.lit(largestAdvised)} THEN 'tooMany' ELSE (
             SELECT CASE WHEN count(m.code) > count(DISTINCT m.code) THEN
                           CASE WHEN count(DISTINCT m.account_id) > 1 THEN 'codeOfOthers' ELSE 'codeTwice' END
                         WHEN count(*) > count(DISTINCT m.release_id) THEN 'releaseTwice'
                         WHEN count(m.code) = 0 THEN 'noCode'
                         WHEN count(m.code) < count(*) THEN 'codeMissing'
                         ELSE 'codesDiffer' END
               FROM (${advisedMembers[scope]}) m) END AS advice
             FROM (SELECT DISTINCT group_key, size FROM p) g) g)`;

const advisedColumns = (columns: RawBuilder<unknown>, tracks: RawBuilder<unknown>, seesIncome: boolean) => sql`
  ${columns}, v.advice, coalesce(v.kept_id = r.id, false) AS is_kept, ${seesIncome ? incomeOf(tracks) : sql`NULL`} AS income_eur`;

export const listTracksOfOneTitle = (db: Trx, query: ListQuery & TitleScope, seesIncome: boolean) =>
  listGroups<TrackRow & Advised>(db, 'tracks', query, {
    columns: advisedColumns(trackColumns, sql`= r.id`, seesIncome),
    joins: sql`
      JOIN ${adviceOf('tracks', seesIncome)} v ON v.group_key = p.group_key
      JOIN tracks r ON r.id = p.id JOIN releases l ON l.id = r.release_id JOIN accounts a ON a.id = r.account_id`,
  });

export const listReleasesOfOneTitle = (db: Trx, query: ListQuery & TitleScope, seesIncome: boolean) =>
  listGroups<ReleaseRow & Advised<ReleaseAdvice>>(db, 'libraries', query, {
    columns: advisedColumns(releaseColumns, sql`IN (SELECT t.id FROM tracks t WHERE t.release_id = r.id)`, seesIncome),
    joins: sql`
      JOIN ${adviceOf('libraries', seesIncome)} v ON v.group_key = p.group_key
      JOIN releases r ON r.id = p.id JOIN accounts a ON a.id = r.account_id`,
  });
