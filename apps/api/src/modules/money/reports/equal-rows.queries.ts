import { messages } from '@regie/contract/messages.ts';
import { type RawBuilder, sql } from 'kysely';
import { exists, querySingle, type Trx } from '#src/lib/db.ts';
import { AppError } from '#src/lib/errors.ts';
import { toFrenchDollars } from '#src/lib/money.ts';
import { reasons } from './report-rows.rules.ts';

/** ISRC and figures, rounded as reports store them. */
const rowHash = sql`hash_record_extended(
  ROW(isrc, streams, round(income_streams, 10), downloads, round(income_downloads, 10), youtube, round(income_youtube, 10)), 0)`;

export const rowHashes = (rows: RawBuilder<unknown>) =>
  sql<number[] | null>`(SELECT array_agg(${rowHash}) FROM ${rows})`;

/**
 * Finds rows that another live import of the month has too: posting them may pay twice (product §33.32). A lock makes
 * concurrent imports see each other's rows.
 * @param again whether they are meant; undefined from clients that do not ask
 * @returns the warning
 * @throws conflict on `again` where it is false, with an import's id
 */
export async function findEqualRows(
  trx: Trx,
  { id, month }: { id: number; month: string },
  rows: RawBuilder<unknown>,
  again: boolean | undefined,
): Promise<string[]> {
  if (again) return [];
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`report rows ${month}`}, 0))`.execute(trx);
  const isOther = sql`i.month = ${month}::date AND i.id <> ${id} AND i.reversed_at IS NULL`;
  if (!(await exists(trx)`SELECT FROM imports i WHERE ${isOther}`)) return [];
  const equal = await querySingle<{
    rows: number;
    grossUsd: string;
    imports: { id: number; name: string | null }[] | null;
  }>(trx)`
    WITH sent AS MATERIALIZED (
      SELECT row_number() OVER () AS n, isrc, income_streams + income_downloads + income_youtube AS usd, ${rowHash} AS hash
        FROM ${rows}
    ),
    other AS (
      SELECT i.id, h.hash
        FROM imports i JOIN import_batches b ON b.import_id = i.id CROSS JOIN LATERAL unnest(b.row_hashes) AS h (hash)
       WHERE ${isOther}
      UNION ALL
      SELECT r.id, ${rowHash}
        FROM (SELECT r.import_id AS id, t.isrc, num_streams AS streams, income_streams_usd AS income_streams,
                     num_downloads AS downloads, income_downloads_usd AS income_downloads, num_youtube AS youtube,
                     income_youtube_usd AS income_youtube
                FROM tracks t JOIN reports r ON r.track_id = t.id AND r.month = ${month}::date
               WHERE r.import_id <> ${id} AND r.reversed_at IS NULL AND t.isrc IN (SELECT isrc FROM sent)) r
    ),
    equal AS MATERIALIZED (
      SELECT DISTINCT s.n, s.usd, o.id FROM sent s JOIN other o USING (hash)
       -- The other import posted nothing of an unmatched row or a deleted report.
       WHERE NOT EXISTS (SELECT FROM import_unsaved_rows u WHERE u.import_id = o.id AND u.isrc = s.isrc
                            AND u.reason IN (${reasons.unknownIsrc}, ${reasons.doubledIsrc}))
         AND NOT EXISTS (SELECT FROM reports r JOIN tracks t ON t.id = r.track_id
                          WHERE r.import_id = o.id AND r.reversed_at IS NOT NULL AND t.isrc = s.isrc)
    )
    SELECT count(*) AS rows, coalesce(sum(usd), 0) AS gross_usd,
           (SELECT json_agg(json_build_object('id', i.id, 'name', i.file_name) ORDER BY i.id)
              FROM imports i WHERE i.id IN (SELECT id FROM equal)) AS imports
      FROM (SELECT DISTINCT n, usd FROM equal) e`;
  if (!equal.imports) return [];
  const sentence = messages.equalRows(equal.rows, toFrenchDollars(equal.grossUsd), equal.imports);
  if (again === undefined) return [messages.countedAgain(sentence, equal.rows)];
  throw new AppError('conflict', sentence, { errors: { again: sentence, import: String(equal.imports[0]?.id) } });
}
