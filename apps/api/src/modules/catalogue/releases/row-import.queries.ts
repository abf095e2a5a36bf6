import { sql } from 'kysely';
import { queryColumn, queryRows, type Trx } from '#src/lib/db.ts';

export interface Holder {
  code: string;
  accountId: number;
  releaseTitle: string;
}

/** Live tracks with these ISRCs on other live releases; the account's own come last. */
export const findIsrcHolders = (db: Trx, isrcs: readonly string[], otherThan: number) => queryRows<Holder>(db)`
    SELECT t.isrc AS code, t.account_id, r.title AS release_title
      FROM tracks t JOIN releases r ON r.id = t.release_id
     WHERE t.isrc = ANY(${isrcs}::text[]) AND t.release_id <> ${otherThan}
       AND t.deleted_at IS NULL AND r.deleted_at IS NULL`;

/** Other live releases with these barcodes. */
export const findBarcodeHolders = (db: Trx, barcodes: readonly string[], otherThan: number) => queryRows<Holder>(db)`
    SELECT r.barcode AS code, r.account_id, r.title AS release_title
      FROM releases r
     WHERE r.barcode = ANY(${barcodes}::text[]) AND r.id <> ${otherThan} AND r.deleted_at IS NULL`;

export interface PresentTrack {
  id: number;
  title: string;
  isrc: string | null;
  hasArtist: boolean;
}

/** The live tracks of a release, in order. */
export const listPresentTracks = (db: Trx, releaseId: number) => queryRows<PresentTrack>(db)`
    SELECT t.id, t.title, t.isrc,
           EXISTS (SELECT FROM track_credits c WHERE c.track_id = t.id AND c.kind = 'artist') AS has_artist
      FROM tracks t WHERE t.release_id = ${releaseId} AND t.deleted_at IS NULL
     ORDER BY t.position, t.id`;

/** Serialises imports, so that each sees the rows of the previous one. Locks until the transaction ends. */
export async function lockImports(trx: Trx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(7243, 7)`.execute(trx);
}

/** Inserts tracks from a position on; genre, language, owner and year come from the release. */
export const insertTracks = (
  trx: Trx,
  releaseId: number,
  firstPosition: number,
  tracks: readonly { title: string; isrc: string | null }[],
) => queryColumn<number>(trx)`
    WITH added AS (
      INSERT INTO tracks (release_id, account_id, position, title, isrc, genre, subgenre, language, recording_owner,
                          recording_year)
      SELECT r.id, r.account_id, ${firstPosition}::integer + n.position - 1, n.title, n.isrc, r.genre, r.subgenre,
             r.language, r.recording_owner, r.recording_year
        FROM releases r,
             unnest(${tracks.map(({ title }) => title)}::text[], ${tracks.map(({ isrc }) => isrc)}::text[])
               WITH ORDINALITY AS n (title, isrc, position)
       WHERE r.id = ${releaseId}
      RETURNING id, position)
    SELECT id FROM added ORDER BY position`;

/** Sets the ISRC of tracks that have none. */
export async function fillIsrcs(trx: Trx, tracks: readonly { id: number; isrc: string }[]): Promise<void> {
  await sql`
    UPDATE tracks t SET isrc = n.isrc, updated_at = now()
      FROM unnest(${tracks.map(({ id }) => id)}::bigint[], ${tracks.map(({ isrc }) => isrc)}::text[]) AS n (id, isrc)
     WHERE t.id = n.id AND t.isrc IS NULL`.execute(trx);
}

/** Adds artist credits to tracks that have none, in order. */
export async function insertArtists(
  trx: Trx,
  artists: readonly { trackId: number; personId: number; role: string; position: number }[],
): Promise<void> {
  await sql`
    INSERT INTO track_credits (track_id, person_id, kind, role, position)
    SELECT n.track_id, n.person_id, 'artist', n.role, n.position
      FROM unnest(${artists.map(({ trackId }) => trackId)}::bigint[],
                  ${artists.map(({ personId }) => personId)}::bigint[],
                  ${artists.map(({ role }) => role)}::text[],
                  ${artists.map(({ position }) => position)}::integer[]) AS n (track_id, person_id, role, position)
    ON CONFLICT (track_id, person_id, kind, role) DO NOTHING`.execute(trx);
}
