import type { Candidate } from '@regie/contract/routes/unmatched.ts';
import { CandidateGround } from '@regie/contract/unmatched.ts';
import { type RawBuilder, sql } from 'kysely';
import { queryRows, type Trx } from '#src/lib/db.ts';

export type TrackRefRow = Omit<Candidate, 'ground'>;

/** Columns of a track from `tracks t JOIN releases r JOIN accounts a`. */
export const trackRefColumns = sql`
  t.id AS track_id, concat(t.title, ' (' || t.version || ')') AS track_title, t.isrc,
  coalesce((SELECT string_agg(p.full_name, ', ' ORDER BY c.position, c.id)
              FROM track_credits c JOIN people p ON p.id = c.person_id
             WHERE c.track_id = t.id AND c.kind = 'artist'), '') AS artists,
  r.id AS library_id, r.title AS library_title, a.id AS user_id, btrim(a.first_name || ' ' || a.last_name) AS user_name,
  t.deleted_at IS NOT NULL OR r.deleted_at IS NOT NULL AS is_deleted`;

/** Minimum similarity of a title in another spelling, when a barcode or an ISRC agrees too. */
const minSimilarity = 0.4;
const shownCandidates = 5;

const rankOf = (ground: CandidateGround) => sql.lit(CandidateGround.options.indexOf(ground));
const fullTitle = sql`fold(concat_ws(' ', t.title, t.version))`;
const hasSameTitle = sql`a.exact IN (title_key(t.title, t.version), title_key(t.title, NULL))`;
const betweenArtists = sql.lit(String.raw`\s*[,;&/+]\s*|\s+(feat\.?|ft\.?|featuring|avec|with|et|and|x|vs\.?)\s+`);

/**
 * Candidate tracks, most likely first, each with its strongest ground: holders of a duplicate ISRC, tracks of a release
 * with the same barcode, of the same artist with the same or a similar title (the keys of the tools pages), with an
 * ISRC that differs by one typing error. Each step uses an index.
 */
export async function listCandidates(db: Trx, keys: readonly string[]): Promise<(Candidate & { key: string })[]> {
  if (keys.length === 0) return [];
  const found = (ground: RawBuilder<unknown>) => sql`a.key, t.id AS track_id, ${ground} AS rank`;
  const rows = await queryRows<TrackRefRow & { key: string; rank: number }>(db)`
    WITH asked AS MATERIALIZED (
      SELECT i.key, i.isrc, ltrim(i.upc, '0') AS gtin, i.title, i.artist, i.unmatched, fold(i.title) AS folded,
             title_key(i.title, NULL) AS exact
        FROM income_items i WHERE i.key = ANY(${keys}::text[])
    ),
    artist AS MATERIALIZED (
      SELECT DISTINCT a.key, p.id AS person_id
        FROM (SELECT a.key, fold(btrim(name)) AS name
                FROM asked a
               CROSS JOIN LATERAL (SELECT a.artist UNION ALL SELECT regexp_split_to_table(a.artist, ${betweenArtists}, 'i')) n (name)
               WHERE a.title <> '') a
        JOIN people p ON p.search = a.name AND a.name <> ''
    ),
    found AS (
      SELECT ${found(sql`CASE WHEN ltrim(r.barcode, '0') = a.gtin THEN ${rankOf('isrc_barcode')} ELSE ${rankOf('isrc')} END`)}
        FROM asked a JOIN tracks t ON t.isrc = a.isrc JOIN releases r ON r.id = t.release_id
       WHERE a.unmatched = 'doubled'
      UNION ALL
      SELECT ${found(sql`
        CASE WHEN a.title = '' THEN ${rankOf('barcode_only')}
             WHEN ${hasSameTitle} THEN ${rankOf('barcode_title')} ELSE ${rankOf('barcode_similar')} END`)}
        FROM asked a
        JOIN releases r ON ltrim(r.barcode, '0') = a.gtin AND a.gtin <> ''
        JOIN tracks t ON t.release_id = r.id
       WHERE CASE WHEN a.title = '' THEN (SELECT count(*) FROM tracks x WHERE x.release_id = r.id AND x.deleted_at IS NULL) = 1
                  ELSE ${hasSameTitle} OR similarity(${fullTitle}, a.folded) >= ${sql.lit(minSimilarity)} END
      UNION ALL
      SELECT a.key, k.record_id, CASE WHEN k.exact = a.exact THEN ${rankOf('artist_title')} ELSE ${rankOf('artist_similar')} END
        FROM asked a
        JOIN artist x ON x.key = a.key
        JOIN title_keys k ON k.scope = 'tracks' AND k.key = similar_key(x.person_id::text, a.title, NULL)
      UNION ALL
      -- Titles too short for a similarity match can still be equal.
      SELECT a.key, k.record_id, ${rankOf('artist_title')}
        FROM asked a
        JOIN title_keys k ON k.scope = 'tracks' AND k.key = a.exact
       WHERE a.title <> '' AND sound_key(a.title, NULL) IS NULL
         AND EXISTS (SELECT FROM track_credits c JOIN artist x ON x.person_id = c.person_id
                      WHERE c.track_id = k.record_id AND c.kind = 'artist' AND x.key = a.key)
      UNION ALL
      SELECT ${found(rankOf('isrc_slip'))}
        FROM asked a
       CROSS JOIN LATERAL (
         SELECT overlay(a.isrc PLACING digit::text FROM place FOR 1) AS isrc
           FROM generate_series(6, 12) AS place, generate_series(0, 9) AS digit
         UNION
         SELECT overlay(a.isrc PLACING reverse(substr(a.isrc, place, 2)) FROM place FOR 2) FROM generate_series(6, 11) AS place
       ) slip
        JOIN tracks t ON t.isrc = slip.isrc
       WHERE a.unmatched = 'unknown' AND a.title <> '' AND (${hasSameTitle} OR similarity(${fullTitle}, a.folded) >= ${sql.lit(minSimilarity)})
    ),
    ranked AS (
      SELECT f.key, f.track_id, f.rank,
             row_number() OVER (
               PARTITION BY f.key
               ORDER BY f.rank, t.deleted_at IS NOT NULL, similarity(${fullTitle}, a.folded) DESC,
                        r.status IN ('delivered', 'closed') DESC, t.created_at, t.id) AS place
        FROM (SELECT key, track_id, min(rank) AS rank FROM found GROUP BY key, track_id) f
        JOIN asked a ON a.key = f.key
        JOIN tracks t ON t.id = f.track_id
        JOIN releases r ON r.id = t.release_id
       -- Who holds a doubled ISRC is the question; no other track is.
       WHERE a.unmatched <> 'doubled' OR f.rank <= ${rankOf('isrc')}
    )
    SELECT f.key, f.rank, ${trackRefColumns}
      FROM ranked f
      JOIN tracks t ON t.id = f.track_id
      JOIN releases r ON r.id = t.release_id
      JOIN accounts a ON a.id = t.account_id
     WHERE f.place <= ${sql.lit(shownCandidates)}
     ORDER BY f.key, f.place`;
  return rows.map(({ rank, ...row }) => ({ ...row, ground: CandidateGround.options[rank] ?? 'isrc_slip' }));
}
