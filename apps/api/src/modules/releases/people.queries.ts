import { type RawBuilder, sql } from 'kysely';
import type { Trx } from '#src/lib/db.ts';
import { containsPattern, countUpTo, cutPage, keyset, type SortKey } from '#src/lib/keyset.ts';
import type { CreditRow, ListQuery } from './releases.queries.ts';
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

const creditsOf = (kinds: readonly CreditKind[]) => sql`
  FROM track_credits c JOIN tracks t ON t.id = c.track_id AND t.deleted_at IS NULL
 WHERE c.person_id = p.id AND c.kind IN (${sql.join(kinds.map((kind) => sql.lit(kind)))})`;

const personColumns = (kinds: readonly CreditKind[]) => sql`
  p.id, p.full_name AS fullname, p.spotify_id, p.apple_music_id,
  (SELECT coalesce(array_agg(DISTINCT c.role ORDER BY c.role), '{}') ${creditsOf(kinds)}) AS roles,
  (SELECT count(DISTINCT c.track_id) ${creditsOf(kinds)}) AS tracks`;

const personSorts: Record<string, SortKey> = { fullname: { expression: sql`p.full_name`, type: 'text' } };

/** One page of the people credited in one of these ways on a live track, with those roles and the number of tracks. */
export async function listPeople(db: Trx, kinds: readonly CreditKind[], query: ListQuery) {
  const page = keyset(query, personSorts, sql`p.id`);
  const conditions: RawBuilder<boolean>[] = [sql`EXISTS (SELECT 1 ${creditsOf(kinds)})`];
  if (query.q) conditions.push(sql`p.search LIKE fold(${containsPattern(query.q)})`);
  const from = sql`FROM people p WHERE ${sql.join(conditions, sql` AND `)}`;
  const [{ rows }, count] = await Promise.all([
    sql<PersonRow>`
      SELECT ${personColumns(kinds)}
        FROM (SELECT p.* ${from} AND ${page.after} ORDER BY ${page.orderBy} LIMIT ${sql.lit(page.limit + 1)}) p
       ORDER BY ${page.orderBy}`.execute(db),
    countUpTo(db, from),
  ]);
  return { ...cutPage(rows, page, (row) => row.fullname), ...count };
}

/** A person with every way in which they are credited. */
export async function findPerson(db: Trx, id: number): Promise<PersonRow | undefined> {
  const { rows } = await sql<PersonRow>`
    SELECT ${personColumns(['artist', 'contributor', 'musician', 'editor'])} FROM people p WHERE p.id = ${id}`.execute(
    db,
  );
  return rows[0];
}

export function lockPerson(trx: Trx, id: number) {
  return trx
    .selectFrom('people')
    .select(['id', 'spotifyId', 'appleMusicId'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/** At most 20 people by name. */
export async function lookupPeople(db: Trx, q: string) {
  const { rows } = await sql<{ id: number; label: string; hint: string }>`
    SELECT p.id, p.full_name AS label,
           (SELECT coalesce(string_agg(DISTINCT c.role, ', ' ORDER BY c.role), '') FROM track_credits c WHERE c.person_id = p.id) AS hint
      FROM (SELECT id, full_name FROM people WHERE search LIKE fold(${containsPattern(q)})
             ORDER BY full_name, id LIMIT 20) p
     ORDER BY p.full_name, p.id`.execute(db);
  return rows;
}

/** Which of these ids name a person. */
export async function findPersonIds(db: Trx, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await db.selectFrom('people').select('id').where('id', 'in', ids).execute();
  return new Set(rows.map((row) => row.id));
}

/** The oldest person of each name, whatever its case and accents; null where there is none. */
async function findByNames(db: Trx, names: readonly string[]): Promise<(number | null)[]> {
  const { rows } = await sql<{ id: number | null }>`
    SELECT (SELECT min(p.id) FROM people p WHERE p.search = fold(n.name)) AS id
      FROM unnest(${names}::text[]) WITH ORDINALITY AS n (name, position) ORDER BY n.position`.execute(db);
  return rows.map((row) => row.id);
}

/** The people of these names, in their order; whoever is not known yet is added, once. */
export async function findOrAddPeople(trx: Trx, names: readonly string[]): Promise<number[]> {
  if (names.length === 0) return [];
  let found = await findByNames(trx, names);
  if (found.includes(null)) {
    // Two forms at once would add the same name twice; the second waits, then finds it.
    await sql`SELECT pg_advisory_xact_lock(7243, 5)`.execute(trx);
    await sql`
      INSERT INTO people (full_name)
      SELECT DISTINCT ON (fold(n.name)) n.name FROM unnest(${names}::text[]) WITH ORDINALITY AS n (name, position)
       WHERE NOT EXISTS (SELECT 1 FROM people p WHERE p.search = fold(n.name))
       ORDER BY fold(n.name), n.position`.execute(trx);
    found = await findByNames(trx, names);
  }
  return found.map((id) => {
    if (id === null) throw new Error('a name was neither found nor added');
    return id;
  });
}

const trackSorts: Record<string, SortKey> = {
  title: { expression: sql`t.title`, type: 'text' },
  id: { expression: sql`t.id`, type: 'bigint' },
};

interface LibraryTrackRow {
  id: number;
  title: string;
  isrc: string | null;
  releaseId: number;
  releaseTitle: string;
  status: string;
  userId: number;
  artists: string;
}

/** One page of the live tracks of releases with these statuses. */
export async function listLibraryTracks(db: Trx, statuses: readonly StoredStatus[], query: ListQuery) {
  const page = keyset(query, trackSorts, sql`t.id`);
  const conditions: RawBuilder<boolean>[] = [sql`t.deleted_at IS NULL`, sql`r.status = ANY(${statuses}::text[])`];
  if (query.q) {
    const code = query.q.replaceAll(/[\s-]/g, '');
    conditions.push(
      sql`(t.search LIKE fold(${containsPattern(query.q)}) OR t.search LIKE fold(${containsPattern(code)}))`,
    );
  }
  const from = sql`FROM tracks t JOIN releases r ON r.id = t.release_id WHERE ${sql.join(conditions, sql` AND `)}`;
  const [{ rows }, count] = await Promise.all([
    sql<LibraryTrackRow>`
      SELECT t.id, t.title, t.isrc, t.release_id, t.release_title, t.status, t.account_id AS user_id,
             coalesce((SELECT string_agg(p.full_name, ', ' ORDER BY c.position, c.id)
                         FROM track_credits c JOIN people p ON p.id = c.person_id
                        WHERE c.track_id = t.id AND c.kind = 'artist'), '') AS artists
        FROM (SELECT t.*, r.title AS release_title, r.status ${from} AND ${page.after}
               ORDER BY ${page.orderBy} LIMIT ${sql.lit(page.limit + 1)}) t
       ORDER BY ${page.orderBy}`.execute(db),
    countUpTo(db, from),
  ]);
  return { ...cutPage(rows, page, (row) => (query.sort === 'id' ? row.id : row.title)), ...count };
}
