import { sql } from 'kysely';
import { queryRows, querySingle, queryValue, type Trx } from '#src/lib/db.ts';
import { rowHashes } from './equal-rows.queries.ts';
import { array, heldTracks, matchedTracks, type Source, unmatchedReason } from './report-posting.queries.ts';
import type { ParsedRows, Unsaved } from './report-rows.rules.ts';

export async function splitUnmatched(
  trx: Trx,
  parsed: ParsedRows,
): Promise<{ rows: ParsedRows; unmatched: Unsaved[] }> {
  const isrcs = array(parsed.isrc);
  const found = await queryRows<{ isrc: string; reason: string }>(trx)`
    WITH ${heldTracks(sql`t.isrc = ANY(${isrcs}::text[])`)}
    SELECT i.isrc, ${unmatchedReason} AS reason
      FROM unnest(${isrcs}::text[]) AS i (isrc) LEFT JOIN held h ON h.isrc = i.isrc COLLATE "C"
     WHERE h.isrc IS NULL OR h.first_account <> h.last_account`;
  if (found.length === 0) return { rows: parsed, unmatched: [] };
  const reasons = new Map(found.map(({ isrc, reason }) => [isrc, reason]));
  const isMatched = parsed.isrc.map((isrc) => !reasons.has(isrc));
  const matched = <Value>(values: Value[]) => values.filter((_, index) => isMatched[index]);
  const rows: ParsedRows = {
    row: matched(parsed.row),
    isrc: matched(parsed.isrc),
    streams: matched(parsed.streams),
    incomeStreams: matched(parsed.incomeStreams),
    downloads: matched(parsed.downloads),
    incomeDownloads: matched(parsed.incomeDownloads),
    youtube: matched(parsed.youtube),
    incomeYoutube: matched(parsed.incomeYoutube),
    unsaved: parsed.unsaved,
  };
  const unmatched = parsed.isrc.flatMap((isrc, index): Unsaved[] => {
    const reason = reasons.get(isrc);
    return reason === undefined ? [] : [{ row: parsed.row[index] ?? 0, isrc, reason }];
  });
  return { rows, unmatched };
}

const stagedColumns = sql.raw('isrc, streams, income_streams, downloads, income_downloads, youtube, income_youtube');

/** @returns its income, USD */
export function stageRows(
  trx: Trx,
  batch: { importId: number; batch: number; bodyHash: Buffer; firstRow: number; rows: number; adminId: number | null },
  rows: ParsedRows,
): Promise<string> {
  return queryValue<string>(trx)`
    WITH staged AS (
      INSERT INTO import_staged_rows (import_id, batch, row, ${stagedColumns})
      VALUES (${batch.importId}, ${batch.batch}, ${array(rows.row)}, ${array(rows.isrc)}, ${array(rows.streams)},
              ${array(rows.incomeStreams)}, ${array(rows.downloads)}, ${array(rows.incomeDownloads)}, ${array(rows.youtube)},
              ${array(rows.incomeYoutube)})
      RETURNING (SELECT coalesce(sum(round(v, 10)), 0) FROM unnest(income_streams || income_downloads || income_youtube) v) AS gross_usd,
                ${rowHashes(sql`unnest(${stagedColumns}) AS t (${stagedColumns})`)} AS row_hashes
    )
    INSERT INTO import_batches (import_id, batch, body_hash, first_row, rows, saved, gross_usd, accounts_eur, row_hashes, staged_by)
    SELECT ${batch.importId}, ${batch.batch}, ${batch.bodyHash}, ${batch.firstRow}, ${batch.rows}, ${rows.row.length}, gross_usd, 0,
           row_hashes, ${batch.adminId} FROM staged
    RETURNING gross_usd`;
}

export const countStaged = (trx: Trx, importId: number) => querySingle<{ batches: number; rows: number }>(trx)`
    SELECT count(*) AS batches, coalesce(sum(cardinality(row)), 0)::bigint AS rows
      FROM import_staged_rows WHERE import_id = ${importId}`;

const counts = ['streams', 'downloads', 'youtube'];
const incomes = ['income_streams', 'income_downloads', 'income_youtube'];
const figures = [...counts, ...incomes];
const perFigure = (expression: (name: string) => string) =>
  sql.raw(figures.map((name) => `${expression(name)} AS ${name}`).join(', '));
/** As the columns of a report. */
const rounded = (name: string) => (incomes.includes(name) ? `round(${name}, 10)` : name);
const summed = (name: string) => `sum(${rounded(name)})${counts.includes(name) ? '::bigint' : ''}`;
export const unnested = (importId: number) => sql`
  (SELECT unnest(isrc) COLLATE "C" AS isrc, ${perFigure((name) => `unnest(${name})`)}
     FROM import_staged_rows WHERE import_id = ${sql.lit(importId)}) u`;

/** Sums the staged rows by ISRC for `stagedSource`. */
export async function sumStaged(trx: Trx, importId: number): Promise<void> {
  // The transaction may have posted another import.
  await sql`DROP TABLE IF EXISTS pg_temp.staged_income`.execute(trx);
  // Most ISRCs have one row: only the others are grouped.
  await sql`
    CREATE TEMPORARY TABLE staged_income ON COMMIT DROP AS
    SELECT isrc, count(*) AS rows, ${perFigure((name) => `any_value(${rounded(name)})`)} FROM ${unnested(importId)} GROUP BY isrc`.execute(
    trx,
  );
  // ANALYZE: otherwise hundreds of thousands of tracks are looked up one by one.
  await sql`SET LOCAL default_statistics_target = 10`.execute(trx);
  await sql`ANALYZE pg_temp.staged_income (isrc, rows)`.execute(trx);
  await sql`
    WITH several AS (DELETE FROM pg_temp.staged_income WHERE rows > 1 RETURNING isrc)
    INSERT INTO pg_temp.staged_income (isrc, rows, ${sql.raw(figures.join(', '))})
    SELECT isrc, count(*), ${perFigure(summed)}
      FROM ${unnested(importId)} WHERE isrc IN (SELECT isrc FROM several) GROUP BY isrc`.execute(trx);
}

/** The summed income with the present tracks; `unmatched` has ISRCs instead of rows. */
export function stagedSource(): Source {
  const isDoubled = sql`isrc IN (SELECT isrc FROM several)`;
  const income = sql.raw(figures.map((name) => `i.${name}`).join(', '));
  return {
    parts: sql`
      tracked AS MATERIALIZED (
        SELECT i.isrc, t.id AS track_id, t.account_id, ${income}
          FROM pg_temp.staged_income i LEFT JOIN tracks t ON t.isrc = i.isrc
      ),
      -- One row for each ISRC: nothing is held twice.
      several AS MATERIALIZED (
        SELECT isrc FROM tracked
         WHERE (SELECT count(*) FROM tracked) > (SELECT count(*) FROM pg_temp.staged_income)
         GROUP BY isrc HAVING count(*) > 1
      ),
      ${heldTracks(sql`t.isrc IN (SELECT isrc FROM several)`)},
      ${matchedTracks},
      contribution AS MATERIALIZED (
        SELECT track_id AS key, track_id, account_id, ${income} FROM tracked i WHERE track_id IS NOT NULL AND NOT ${isDoubled}
        UNION ALL
        SELECT m.track_id, m.track_id, m.account_id, ${income} FROM pg_temp.staged_income i JOIN matched m ON m.isrc = i.isrc
      ),
      unmatched AS MATERIALIZED (
        SELECT 0::bigint AS row, i.isrc, ${unmatchedReason} AS reason
          FROM (SELECT isrc FROM tracked WHERE track_id IS NULL UNION ALL SELECT isrc FROM several) i LEFT JOIN held h ON h.isrc = i.isrc
         WHERE h.isrc IS NULL OR h.first_account <> h.last_account
      )`,
  };
}

export async function unsaveStaged(trx: Trx, importId: number, isrcs: readonly Unsaved[]): Promise<Unsaved[]> {
  if (isrcs.length === 0) return [];
  return queryRows<Unsaved>(trx)`
    INSERT INTO import_unsaved_rows (import_id, batch, row, isrc, reason, given)
    SELECT s.import_id, s.batch, u.row, u.isrc, r.reason,
           jsonb_build_object('numOfStreams', u.streams::text, 'incomeOfStreams', u.income_streams::text,
                              'numOfDownloads', u.downloads::text, 'incomeOfDownloads', u.income_downloads::text,
                              'numOfYoutube', u.youtube::text, 'incomeOfYoutube', u.income_youtube::text)
      FROM import_staged_rows s
     CROSS JOIN LATERAL unnest(s.row, s.isrc, s.streams, s.income_streams, s.downloads, s.income_downloads, s.youtube, s.income_youtube)
             AS u (row, isrc, streams, income_streams, downloads, income_downloads, youtube, income_youtube)
      JOIN json_to_recordset(${JSON.stringify(isrcs)}::json) AS r (isrc text, reason text) ON r.isrc = u.isrc
     WHERE s.import_id = ${importId}
    RETURNING row, isrc, reason`;
}

export async function deleteStaged(trx: Trx, importIds: readonly number[]): Promise<void> {
  await sql`DELETE FROM import_staged_rows WHERE import_id = ANY(${importIds}::bigint[])`.execute(trx);
}
