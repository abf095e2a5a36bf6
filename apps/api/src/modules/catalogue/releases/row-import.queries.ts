import { sql } from 'kysely';
import { queryColumn, queryRows, type Trx } from '#src/lib/db.ts';
import { findOrAddPeople } from './people.queries.ts';
import type { ReadRow } from './row-import.rules.ts';

export interface Holder {
  code: string;
  accountId: number;
  releaseId: number;
  releaseTitle: string;
  releaseBarcode: string | null;
  trackId: number;
}

/** Live holders of the codes, except on the release that is imported into. */
export async function findHolders(db: Trx, reads: readonly ReadRow[], accountId: number, otherThan = 0) {
  const codes = (field: 'isrc' | 'barcode') => [...new Set(reads.flatMap((read) => read[field] ?? []))];
  const [isrcs, barcodes] = await Promise.all([
    queryRows<Holder>(db)`
      SELECT t.isrc AS code, t.account_id, r.id AS release_id, r.title AS release_title, r.barcode AS release_barcode,
             t.id AS track_id
        FROM tracks t JOIN releases r ON r.id = t.release_id
       WHERE t.isrc = ANY(${codes('isrc')}::text[]) AND r.id <> ${otherThan}
         AND t.deleted_at IS NULL AND r.deleted_at IS NULL
       ORDER BY t.id`,
    queryRows<Holder>(db)`
      SELECT r.barcode AS code, r.account_id, r.id AS release_id, r.title AS release_title,
             r.barcode AS release_barcode, 0 AS track_id
        FROM releases r
       WHERE r.barcode = ANY(${codes('barcode')}::text[]) AND r.id <> ${otherThan} AND r.deleted_at IS NULL
       ORDER BY r.id`,
  ]);
  // Of several holders prefer another account's: the row is refused without revealing or changing it.
  const index = (holders: readonly Holder[]) => {
    const byCode = new Map<string, Holder>();
    for (const holder of holders) {
      if (!byCode.has(holder.code) || holder.accountId !== accountId) byCode.set(holder.code, holder);
    }
    return byCode;
  };
  return { isrcs: index(isrcs), barcodes: index(barcodes) };
}

export interface PresentTrack extends Pick<ReadRow, 'isrc' | 'recordingAi' | 'compositionAi'> {
  id: number;
  title: string;
  hasArtist: boolean;
}

export const listPresentTracks = (db: Trx, releaseId: number) => queryRows<PresentTrack>(db)`
    SELECT t.id, t.title, t.isrc, t.recording_ai, t.composition_ai,
           EXISTS (SELECT FROM track_credits c WHERE c.track_id = t.id AND c.kind = 'artist') AS has_artist
      FROM tracks t WHERE t.release_id = ${releaseId} AND t.deleted_at IS NULL
     ORDER BY t.position, t.id`;

/** Each import sees the rows of the previous one. */
export async function lockImports(trx: Trx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(7243, 7)`.execute(trx);
}

/** Genre, language, owner and year come from the release. */
export const insertTracks = (
  trx: Trx,
  releaseId: number,
  firstPosition: number,
  tracks: readonly Pick<ReadRow, 'title' | 'isrc' | 'recordingAi' | 'compositionAi'>[],
) => queryColumn<number>(trx)`
    WITH added AS (
      INSERT INTO tracks (release_id, account_id, position, title, isrc, genre, subgenre, language, recording_owner,
                          recording_year, recording_ai, composition_ai)
      SELECT r.id, r.account_id, ${firstPosition}::integer + n.position - 1, n.title, n.isrc, r.genre, r.subgenre,
             r.language, r.recording_owner, r.recording_year, n.recording_ai, n.composition_ai
        FROM releases r,
             unnest(${tracks.map(({ title }) => title)}::text[], ${tracks.map(({ isrc }) => isrc)}::text[],
                    ${tracks.map(({ recordingAi }) => recordingAi)}::text[],
                    ${tracks.map(({ compositionAi }) => compositionAi)}::text[])
               WITH ORDINALITY AS n (title, isrc, recording_ai, composition_ai, position)
       WHERE r.id = ${releaseId}
      RETURNING id, position)
    SELECT id FROM added ORDER BY position`;

type Filled = { id: number } & Partial<Pick<ReadRow, 'isrc' | 'recordingAi' | 'compositionAi'>>;

/** Only what is empty. */
export async function fillTracks(trx: Trx, tracks: readonly Filled[]): Promise<void> {
  await sql`
    UPDATE tracks t SET isrc = coalesce(t.isrc, n.isrc), recording_ai = coalesce(t.recording_ai, n.recording_ai),
                        composition_ai = coalesce(t.composition_ai, n.composition_ai), updated_at = now()
      FROM unnest(${tracks.map(({ id }) => id)}::bigint[], ${tracks.map(({ isrc }) => isrc ?? null)}::text[],
                  ${tracks.map(({ recordingAi }) => recordingAi ?? null)}::text[],
                  ${tracks.map(({ compositionAi }) => compositionAi ?? null)}::text[])
        AS n (id, isrc, recording_ai, composition_ai)
     WHERE t.id = n.id`.execute(trx);
}

/** In order, for tracks without any. */
export async function insertArtists(trx: Trx, tracks: readonly ({ trackId: number } & Pick<ReadRow, 'artists'>)[]) {
  const artists = tracks.flatMap(({ trackId, artists }) =>
    artists.map(({ fullname, role }, position) => ({ trackId, fullname, role, position })),
  );
  const personIds = await findOrAddPeople(
    trx,
    artists.map(({ fullname }) => fullname),
  );
  await sql`
    INSERT INTO track_credits (track_id, person_id, kind, role, position)
    SELECT n.track_id, n.person_id, 'artist', n.role, n.position
      FROM unnest(${artists.map(({ trackId }) => trackId)}::bigint[],
                  ${personIds}::bigint[],
                  ${artists.map(({ role }) => role)}::text[],
                  ${artists.map(({ position }) => position)}::integer[]) AS n (track_id, person_id, role, position)
    ON CONFLICT (track_id, person_id, kind, role) DO NOTHING`.execute(trx);
}
