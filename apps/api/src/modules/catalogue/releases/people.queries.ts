import { type RawBuilder, sql } from 'kysely';
import { queryColumn, queryRow, queryRows, type Trx } from '#src/lib/db.ts';
import type { ListQuery } from '#src/lib/keyset.ts';
import { countUpTo, cutPage, type Keyset, keyset, type SortKey } from '#src/lib/keyset.ts';
import { type Found, findMatches, peopleIndex } from '#src/lib/word-search.ts';
import type { CreditRow } from './releases.queries.ts';
import type { StoredStatus } from './releases.rules.ts';

export type CreditKind = CreditRow['kind'];

export interface PersonRow {
  id: number;
  fullname: string;
  spotifyId: string | null;
  appleMusicId: string | null;
  roles: string[];
  tracks: number;
}

/** The statuses of releases whose credits count. */
export type CreditScope = readonly StoredStatus[] | 'all';

const kindsIn = (kinds: readonly CreditKind[]) =>
  sql<boolean>`c.kind IN (${sql.join(kinds.map((kind) => sql.lit(kind)))})`;
/** On a live track of a release with one of these statuses. */
const isWithin = (scope: CreditScope) =>
  scope === 'all'
    ? sql<boolean>`NOT EXISTS (SELECT 1 FROM tracks t WHERE t.id = c.track_id AND t.deleted_at IS NOT NULL)`
    : sql<boolean>`EXISTS (
        SELECT 1 FROM tracks t JOIN releases l ON l.id = t.release_id
         WHERE t.id = c.track_id AND t.deleted_at IS NULL AND l.status = ANY(${scope}::text[]))`;

/** From the index alone: a person can have thousands. */
const countsOf = (kinds: readonly CreditKind[], scope: CreditScope = 'all') => sql`
  LATERAL (SELECT coalesce(array_agg(DISTINCT c.role ORDER BY c.role), '{}') AS roles, count(DISTINCT c.track_id) AS tracks
             FROM track_credits c
            WHERE c.person_id = p.id AND ${kindsIn(kinds)} AND ${isWithin(scope)}) AS counts`;

const personColumns = sql`p.id, p.full_name AS fullname, p.spotify_id, p.apple_music_id, counts.roles, counts.tracks`;

const personSorts: Record<string, SortKey> = { fullname: { expression: sql`r.full_name`, type: 'text' } };

/** By their names in `people_words`. */
export const peopleLists = {
  artists: ['artist'],
  contributors: ['contributor', 'musician'],
  editors: ['editor'],
} as const satisfies Record<string, readonly CreditKind[]>;
export type PeopleList = keyof typeof peopleLists;

/** Created by staff, without a credit; no release restricts who sees them. */
const isUncreditedArtist = sql`
  OR EXISTS (SELECT 1 FROM people n WHERE n.id = r.id AND n.is_artist
                AND NOT EXISTS (SELECT 1 FROM track_credits c WHERE c.person_id = n.id))`;

/** People with these credits on live tracks; artists include those without a credit. */
export async function listPeople(db: Trx, list: PeopleList, scope: CreditScope, query: ListQuery) {
  const page = keyset(query, personSorts, sql`r.id`);
  const isShown =
    scope === 'all'
      ? undefined
      : sql<boolean>`(EXISTS (
          SELECT 1 FROM track_credits c
           WHERE c.person_id = r.id AND ${kindsIn(peopleLists[list])} AND ${isWithin(scope)})
          ${list === 'artists' ? isUncreditedArtist : sql``})`;
  const pageRows = await findPeople(db, list, query.q ?? '', page, query.order, isShown);
  const [{ rows }, count] = await Promise.all([
    sql<PersonRow>`
      SELECT ${personColumns} FROM people p JOIN people r ON r.id = p.id CROSS JOIN ${countsOf(peopleLists[list], scope)}
       WHERE p.id = ANY(${pageRows.ids}::bigint[]) ORDER BY ${page.orderBy}`.execute(db),
    pageRows.count(),
  ]);
  return { ...cutPage(rows, page, (row) => row.fullname), ...count };
}

async function findPeople(
  db: Trx,
  list: PeopleList | 'all',
  q: string,
  page: Keyset,
  direction: 'asc' | 'desc',
  isShown?: RawBuilder<boolean>,
): Promise<Found> {
  const recordFilters = isShown ? [isShown] : [];
  const search = { index: peopleIndex, scope: [list], q, page, direction, isOwnOrder: true, recordFilters };
  if (q) return await findMatches(db, search);
  const from = sql`${peopleIndex.list(list)} AND ${isShown ?? sql`true`}`;
  const rows = await queryRows<{ id: number }>(db)`
    SELECT r.id ${from} AND ${page.after} ORDER BY ${page.orderBy} LIMIT ${sql.lit(page.limit + 1)}`;
  return { ids: rows.map((row) => row.id), count: () => countUpTo(db, from) };
}

/** With all kinds of credits. */
export const findPerson = (db: Trx, id: number) => queryRow<PersonRow>(db)`
    SELECT ${personColumns}
      FROM people p CROSS JOIN ${countsOf(['artist', 'contributor', 'musician', 'editor'])} WHERE p.id = ${id}`;

/** With this name, ignoring case and accents, or one of these store ids. */
export function findArtistsLike(
  db: Trx,
  wanted: { fullname: string; spotifyId: string | null; appleMusicId: string | null },
) {
  return queryRows<{ fullname: string; spotifyId: string | null; appleMusicId: string | null }>(db)`
    SELECT p.full_name AS fullname, p.spotify_id, p.apple_music_id FROM people p
     WHERE p.search = fold(${wanted.fullname})
       AND (p.is_artist OR EXISTS (SELECT 1 FROM track_credits c WHERE c.person_id = p.id AND c.kind = 'artist'))
        OR p.spotify_id = ${wanted.spotifyId} OR p.apple_music_id = ${wanted.appleMusicId}
     ORDER BY p.id LIMIT 20`;
}

export async function addArtist(
  trx: Trx,
  { fullname, ...ids }: { fullname: string; spotifyId: string | null; appleMusicId: string | null },
): Promise<number> {
  const { id } = await trx
    .insertInto('people')
    .values({ fullName: fullname, ...ids, isArtist: true })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** A name is added once. */
export async function lockNames(trx: Trx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(7243, 5)`.execute(trx);
}

export function lockPerson(trx: Trx, id: number) {
  return queryRow<{ id: number; spotifyId: string | null; appleMusicId: string | null }>(trx)`
    SELECT id, spotify_id, apple_music_id FROM people WHERE id = ${id} FOR UPDATE`;
}

export async function lookupPeople(db: Trx, q: string) {
  const page = keyset({ sort: 'fullname', order: 'asc', limit: 19 }, personSorts, sql`r.id`);
  const { ids } = await findPeople(db, 'all', q, page, 'asc');
  return queryRows<{ id: number; label: string; hint: string }>(db)`
    SELECT p.id, p.full_name AS label,
           (SELECT coalesce(string_agg(DISTINCT c.role, ', ' ORDER BY c.role), '') FROM track_credits c WHERE c.person_id = p.id) AS hint
      FROM people p WHERE p.id = ANY(${ids}::bigint[])
     ORDER BY p.full_name, p.id`;
}

export async function findPersonIds(db: Trx, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await db.selectFrom('people').select('id').where('id', 'in', ids).execute();
  return new Set(rows.map((row) => row.id));
}

/** The oldest person of each name, ignoring case and accents (product §13.6). */
const findByNames = (db: Trx, names: readonly string[]) => queryColumn<number | null>(db)`
    SELECT (SELECT min(p.id) FROM people p WHERE p.search = fold(n.name)) AS id
      FROM unnest(${names}::text[]) WITH ORDINALITY AS n (name, position) ORDER BY n.position`;

/** In order; unknown names are added once. */
export async function findOrAddPeople(trx: Trx, names: readonly string[]): Promise<number[]> {
  if (names.length === 0) return [];
  let ids = await findByNames(trx, names);
  if (ids.includes(null)) {
    await lockNames(trx);
    await sql`
      INSERT INTO people (full_name)
      SELECT DISTINCT ON (fold(n.name)) n.name FROM unnest(${names}::text[]) WITH ORDINALITY AS n (name, position)
       WHERE NOT EXISTS (SELECT 1 FROM people p WHERE p.search = fold(n.name))
       ORDER BY fold(n.name), n.position`.execute(trx);
    ids = await findByNames(trx, names);
  }
  return ids.map((id) => {
    if (id === null) throw new Error('a name was neither found nor added');
    return id;
  });
}
