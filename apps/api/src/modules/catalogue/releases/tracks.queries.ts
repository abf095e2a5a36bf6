import { sql } from 'kysely';
import { queryRows, queryValue, type Trx } from '#src/lib/db.ts';
import type { CreditKind } from './people.queries.ts';

export function lockTrack(trx: Trx, id: number) {
  return trx
    .selectFrom('tracks')
    .selectAll()
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .forUpdate()
    .executeTakeFirst();
}

export const nextPosition = (trx: Trx, releaseId: number) => queryValue<number>(trx)`
    SELECT coalesce(max(position), 0) + 1 AS position FROM tracks
     WHERE release_id = ${releaseId} AND deleted_at IS NULL`;

export interface Credit {
  personId: number;
  kind: CreditKind;
  role: string;
}

export async function replaceCredits(trx: Trx, trackId: number, credits: readonly Credit[]): Promise<void> {
  await trx.deleteFrom('trackCredits').where('trackId', '=', trackId).execute();
  if (credits.length === 0) return;
  await trx
    .insertInto('trackCredits')
    .values(credits.map((credit, position) => ({ trackId, ...credit, position })))
    // One person in one role is one credit.
    .onConflict((conflicting) => conflicting.columns(['trackId', 'personId', 'kind', 'role']).doNothing())
    .execute();
}

export const listEditors = (db: Trx, trackId: number) => queryRows<Credit>(db)`
    SELECT person_id, role, kind FROM track_credits
     WHERE track_id = ${trackId} AND kind = 'editor' ORDER BY position`;

/** Names with roles, for the journal. */
export async function describeCredits(db: Trx, trackId: number): Promise<Record<`${CreditKind}s`, string[]>> {
  const rows = await queryRows<{ kind: CreditKind; name: string }>(db)`
    SELECT c.kind, p.full_name || ' (' || c.role || ')' AS name
      FROM track_credits c JOIN people p ON p.id = c.person_id
     WHERE c.track_id = ${trackId} ORDER BY c.position, c.id`;
  const of = (kind: CreditKind) => rows.filter((row) => row.kind === kind).map((row) => row.name);
  return { artists: of('artist'), contributors: of('contributor'), musicians: of('musician'), editors: of('editor') };
}

/** Its file goes to the bin (product §34.10). */
export async function deleteTrack(trx: Trx, id: number): Promise<void> {
  await sql`
    WITH gone AS (UPDATE tracks SET deleted_at = now() WHERE id = ${id} RETURNING audio_file_id)
    UPDATE files SET binned_at = now() WHERE binned_at IS NULL AND id IN (SELECT audio_file_id FROM gone)`.execute(trx);
}

/** More primary artists make a compilation. */
const maxNamedArtists = 4;

/** The artist name that lists show, from the tracks' primary artists; unchanged without any. */
export async function refreshArtistName(trx: Trx, releaseId: number): Promise<void> {
  await sql`
    UPDATE releases r SET artist_name = n.name
      FROM (SELECT CASE WHEN count(*) > ${sql.lit(maxNamedArtists)} THEN 'Artistes divers'
                        ELSE left(string_agg(full_name, ', ' ORDER BY first), 500) END AS name
              FROM (SELECT p.full_name, min(t.position * 1000::bigint + c.position) AS first
                      FROM tracks t
                      JOIN track_credits c ON c.track_id = t.id AND c.kind = 'artist' AND c.role = 'Primary Artist'
                      JOIN people p ON p.id = c.person_id
                     WHERE t.release_id = ${releaseId} AND t.deleted_at IS NULL
                     GROUP BY p.id, p.full_name) AS artists) n
     WHERE r.id = ${releaseId} AND n.name IS NOT NULL AND n.name IS DISTINCT FROM r.artist_name`.execute(trx);
}
