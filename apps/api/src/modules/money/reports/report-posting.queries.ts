import { type RawBuilder, sql } from 'kysely';
import { queryRow, type Trx } from '#src/lib/db.ts';
import { ledgerName, post, postingCtes } from '#src/modules/money/ledger/ledger.service.ts';
import type { ParsedRows } from './report-rows.rules.ts';
import { reasons } from './report-rows.rules.ts';

export interface OpenImport {
  id: number;
  type: 'platform' | 'youtube';
  month: string;
  rate: string;
  termsVersion: number;
  /** Null unless its first batch announced it. */
  batchesExpected: number | null;
  isNew: boolean;
}

export interface ImportSums {
  reports: number;
  grossUsd: string;
  grossEur: string;
  accountsEur: string;
  referralsEur: string;
  platformEur: string;
}

export interface Posted extends ImportSums {
  /** When there is exactly one. */
  reportId: number | null;
  unsaved: { row: number; isrc: string; reason: string }[];
}

// Validated texts (digits, letters, signs) need no quoting.
export const array = (values: readonly (string | number)[]) => `{${values.join(',')}}`;

export const tableOf = (rows: ParsedRows) => sql`
  unnest(
    ${array(rows.row)}::bigint[], ${array(rows.isrc)}::text[],
    ${array(rows.streams)}::bigint[], ${array(rows.incomeStreams)}::numeric[],
    ${array(rows.downloads)}::bigint[], ${array(rows.incomeDownloads)}::numeric[],
    ${array(rows.youtube)}::bigint[], ${array(rows.incomeYoutube)}::numeric[]
  ) AS t (row, isrc, streams, income_streams, downloads, income_downloads, youtube, income_youtube)`;

/** CTEs ending in `contribution(key, track_id, account_id, sums…)` and `unmatched(row, isrc, reason)`. */
export interface Source {
  parts: RawBuilder<unknown>;
}

/** The holders of each ISRC, among all tracks. */
export const heldTracks = (wanted: RawBuilder<unknown>) => sql`
  held AS MATERIALIZED (
    SELECT t.isrc, count(*) AS holders, min(t.account_id) AS first_account, max(t.account_id) AS last_account, min(t.id) AS track_id
      FROM tracks t WHERE ${wanted} GROUP BY t.isrc
  )`;
/** The track of an ISRC; none when two accounts hold it. */
export const matchedTracks = sql`
  matched AS (
    SELECT h.isrc, h.first_account AS account_id,
           CASE WHEN h.holders = 1 THEN h.track_id ELSE (
             SELECT t.id FROM tracks t JOIN releases r ON r.id = t.release_id
              WHERE t.isrc = h.isrc
              ORDER BY r.status IN ('delivered', 'closed') DESC, t.created_at, t.id LIMIT 1
           ) END AS track_id
      FROM held h WHERE h.first_account = h.last_account
  )`;
export const unmatchedReason = sql`CASE WHEN h.isrc IS NULL THEN ${reasons.unknownIsrc} ELSE ${reasons.doubledIsrc} END`;

/**
 * Matches rows by ISRC (product §33.12): held by two accounts → unsaved; several tracks of one account → the oldest
 * delivered.
 */
export function rowsSource(rows: ParsedRows): Source {
  const isrcs = array(rows.isrc);
  return {
    parts: sql`
      input AS MATERIALIZED (
        SELECT * FROM ${tableOf(rows)}
      ),
      ${heldTracks(sql`t.isrc = ANY(${isrcs}::text[])`)},
      ${matchedTracks},
      contribution AS MATERIALIZED (
        SELECT m.track_id AS key, m.track_id, m.account_id,
               sum(i.streams)::bigint AS streams, sum(round(i.income_streams, 10)) AS income_streams,
               sum(i.downloads)::bigint AS downloads, sum(round(i.income_downloads, 10)) AS income_downloads,
               sum(i.youtube)::bigint AS youtube, sum(round(i.income_youtube, 10)) AS income_youtube
          FROM input i JOIN matched m ON m.isrc = i.isrc COLLATE "C"
         GROUP BY m.track_id, m.account_id
      ),
      unmatched AS MATERIALIZED (
        SELECT i.row, i.isrc, ${unmatchedReason} AS reason
          FROM input i LEFT JOIN held h ON h.isrc = i.isrc COLLATE "C"
         WHERE h.isrc IS NULL OR h.first_account <> h.last_account
      )`,
  };
}

export interface SingleContribution {
  trackId: number | null;
  accountId: number;
  streams: number;
  incomeStreams: number;
  downloads: number;
  incomeDownloads: number;
  youtube: number;
  incomeYoutube: number;
}

export function singleSource(one: SingleContribution): Source {
  return {
    parts: sql`
      contribution AS MATERIALIZED (
        SELECT ${one.trackId ?? 0}::bigint AS key, ${one.trackId}::bigint AS track_id, ${one.accountId}::bigint AS account_id,
               ${one.streams}::bigint AS streams, round(${String(one.incomeStreams)}::numeric, 10) AS income_streams,
               ${one.downloads}::bigint AS downloads, round(${String(one.incomeDownloads)}::numeric, 10) AS income_downloads,
               ${one.youtube}::bigint AS youtube, round(${String(one.incomeYoutube)}::numeric, 10) AS income_youtube
      ),
      unmatched AS MATERIALIZED (SELECT 0::bigint AS row, ''::text AS isrc, ''::text AS reason WHERE false)`,
  };
}

/**
 * Posts contributions as reports, shares and one transaction per account in one statement
 * (product §33.7, §33.8, §33.9). For a track that has a report in the import, shares are recomputed from the new total
 * and the difference is posted, so the order of batches does not matter.
 */
export async function postContributions(
  trx: Trx,
  target: { import: OpenImport; batch: number | null; adminId: number | null },
  source: Source,
): Promise<Posted> {
  const { id, type, month, rate, termsVersion, isNew } = target.import;
  const percentile = sql.raw(type === 'platform' ? 'library_percentile' : 'youtube_percentile');
  const key = sql.raw(type === 'platform' ? 'track_id' : '0::bigint');
  // LIMIT: one index look-up per track, not a scan of the import's reports.
  const existing = isNew
    ? sql`CROSS JOIN (SELECT (NULL::reports).*) e`
    : sql`LEFT JOIN LATERAL (
          SELECT * FROM reports r
           WHERE r.import_id = ${id} AND r.track_id = c.track_id AND r.reversed_at IS NULL LIMIT 1
        ) e ON true`;
  const added = (name: string) => sql.raw(isNew ? name : `${name} - old_${name}`);
  const posted = await queryRow<Posted>(trx)`
    WITH ${source.parts},
    -- A report keeps its account when the track changed hands between two batches.
    found AS ${isNew ? sql`NOT MATERIALIZED` : sql`MATERIALIZED`} (
      SELECT c.*, coalesce(e.account_id, c.account_id) AS paid_account_id, e.id AS report_id, e.id IS NULL AS is_new,
             e.num_streams, e.income_streams_usd, e.num_downloads, e.income_downloads_usd, e.num_youtube, e.income_youtube_usd,
             e.gross_eur, e.account_eur, e.platform_eur, e.referrals_eur
        FROM contribution c
        ${existing}
    ),
    term AS MATERIALIZED (
      SELECT a.id AS account_id,
             CASE WHEN a.terms_version <= ${termsVersion} THEN a.${percentile} ELSE coalesce(
               (SELECT t.${percentile} FROM account_terms t
                 WHERE t.account_id = a.id AND t.version <= ${termsVersion} ORDER BY t.version DESC LIMIT 1),
               (SELECT t.${percentile} FROM account_terms t WHERE t.account_id = a.id ORDER BY t.version LIMIT 1)
             ) END AS percentile
        FROM accounts a WHERE a.id IN (SELECT paid_account_id FROM found)
    ),
    summed AS (
      SELECT f.key, f.track_id, f.paid_account_id AS account_id, t.percentile, f.report_id, f.is_new,
             f.streams + coalesce(f.num_streams, 0) AS streams,
             f.income_streams + coalesce(f.income_streams_usd, 0) AS income_streams,
             f.downloads + coalesce(f.num_downloads, 0) AS downloads,
             f.income_downloads + coalesce(f.income_downloads_usd, 0) AS income_downloads,
             f.youtube + coalesce(f.num_youtube, 0) AS youtube,
             f.income_youtube + coalesce(f.income_youtube_usd, 0) AS income_youtube,
             f.income_streams + f.income_downloads + f.income_youtube AS added_usd,
             coalesce(f.gross_eur, 0) AS old_gross_eur, coalesce(f.account_eur, 0) AS old_account_eur,
             coalesce(f.platform_eur, 0) AS old_platform_eur, coalesce(f.referrals_eur, 0) AS old_referrals_eur
        FROM found f JOIN term t ON t.account_id = f.paid_account_id
    ),
    priced AS MATERIALIZED (
      SELECT s.*,
             share_eur(income_streams + income_downloads + income_youtube, 100, ${rate}::numeric) AS gross_eur,
             share_eur(income_streams + income_downloads + income_youtube, percentile, ${rate}::numeric) AS account_eur
        FROM summed s
    ),
    share AS MATERIALIZED (
      SELECT p.key, p.account_id, f.id AS referral_id, f.referrer_id, f.percentile,
             round(p.account_eur * f.percentile * 0.01, 6) AS amount_eur, coalesce(o.amount_eur, 0) AS old_amount_eur
        FROM priced p
        JOIN referrals f ON f.referred_id = p.account_id AND f.created_version <= ${termsVersion}
                        AND (f.deleted_version IS NULL OR f.deleted_version > ${termsVersion})
        LEFT JOIN report_referral_shares o ON o.report_id = p.report_id AND o.referral_id = f.id
    ),
    divided AS MATERIALIZED (
      SELECT p.*, coalesce(s.total, 0) AS referrals_eur, p.gross_eur - p.account_eur - coalesce(s.total, 0) AS platform_eur
        FROM priced p LEFT JOIN (SELECT key, sum(amount_eur) AS total FROM share GROUP BY key) s ON s.key = p.key
    ),
    added AS (
      INSERT INTO reports (type, month, import_id, track_id, account_id, num_streams, income_streams_usd, num_downloads,
                           income_downloads_usd, num_youtube, income_youtube_usd, percentile, gross_eur, account_eur,
                           referrals_eur, platform_eur)
      SELECT ${type}, ${month}::date, ${id}, track_id, account_id, streams, income_streams, downloads,
             income_downloads, youtube, income_youtube, percentile, gross_eur, account_eur, referrals_eur, platform_eur
        FROM divided WHERE is_new
      RETURNING id, ${key} AS key
    ),
    grown AS (
      UPDATE reports r
         SET num_streams = d.streams, income_streams_usd = d.income_streams, num_downloads = d.downloads,
             income_downloads_usd = d.income_downloads, num_youtube = d.youtube, income_youtube_usd = d.income_youtube,
             gross_eur = d.gross_eur, account_eur = d.account_eur, referrals_eur = d.referrals_eur, platform_eur = d.platform_eur
        FROM divided d WHERE r.id = d.report_id ${isNew ? sql`AND false` : sql``}
      RETURNING r.id, d.key
    ),
    shared AS (
      INSERT INTO report_referral_shares AS s (report_id, referral_id, referrer_id, percentile, amount_eur)
      SELECT r.id, share.referral_id, share.referrer_id, share.percentile, share.amount_eur
        FROM share JOIN (SELECT id, key FROM added UNION ALL SELECT id, key FROM grown) r ON r.key = share.key
      ON CONFLICT (report_id, referral_id) DO UPDATE SET amount_eur = excluded.amount_eur
    ),
    per_account AS (
      SELECT account_id, sum(${added('account_eur')}) AS account, sum(${added('platform_eur')}) AS platform,
             -sum(${added('gross_eur')}) AS store, sum(${added('referrals_eur')}) AS referrals, sum(added_usd) AS added_usd,
             bool_or(${sql.join(
               ['gross_eur', 'account_eur', 'referrals_eur'].map((name) => sql`${added(name)} <> 0`),
               sql` OR `,
             )}) AS has_moved
        FROM divided GROUP BY account_id
    ),
    ${postingCtes(
      { kind: 'report', adminId: target.adminId, importId: id, importBatch: target.batch },
      // Also when nothing is left to post: a reversal must name a transaction.
      sql`SELECT p.account_id, NULL::bigint, v.account, v.amount
            FROM per_account p,
                 LATERAL (VALUES (${ledgerName.account('p.account_id')}, p.account), (${ledgerName.platform}, p.platform),
                                 (${ledgerName.store}, p.store)) AS v (account, amount)
           WHERE p.has_moved
          UNION ALL
          SELECT account_id, NULL, ${ledgerName.account('referrer_id')}, sum(amount_eur - old_amount_eur)
            FROM share GROUP BY account_id, referrer_id HAVING sum(amount_eur - old_amount_eur) <> 0`,
    )}
    SELECT (SELECT count(*) FROM added) AS reports,
           (SELECT min(id) FROM added) AS report_id,
           coalesce(sum(added_usd), 0) AS gross_usd,
           coalesce(-sum(store), 0) AS gross_eur,
           coalesce(sum(account), 0) AS accounts_eur,
           coalesce(sum(referrals), 0) AS referrals_eur,
           coalesce(sum(platform), 0) AS platform_eur,
           (SELECT coalesce(json_agg(json_build_object('row', row, 'isrc', isrc, 'reason', reason) ORDER BY row), '[]')
              FROM unmatched) AS unsaved
      FROM per_account`;
  if (!posted) throw new Error('posting a batch answered nothing');
  return posted;
}

/** In a transaction that names the first one of its account in the import. */
export async function reverseReport(
  trx: Trx,
  { id, importId, accountId }: { id: number; importId: number; accountId: number },
  adminId: number | null,
): Promise<void> {
  const reverses = sql`(
    SELECT min(id) FROM ledger_transactions
     WHERE import_id = ${importId} AND account_id = ${accountId} AND kind = 'report')`;
  await post(
    trx,
    { kind: 'reversal', adminId, memo: `Rapport ${id} supprimé`, importId, reverses },
    sql`SELECT r.account_id, NULL::bigint, v.account, sum(v.amount)
          FROM reports r,
               LATERAL (VALUES (${ledgerName.account('r.account_id')}, -r.account_eur),
                               (${ledgerName.platform}, -r.platform_eur), (${ledgerName.store}, r.gross_eur)
                        UNION ALL
                        SELECT ${ledgerName.account('s.referrer_id')}, -s.amount_eur
                          FROM report_referral_shares s WHERE s.report_id = r.id) AS v (account, amount)
         WHERE r.id = ${id} GROUP BY 1, 3 HAVING sum(v.amount) <> 0`,
  );
}
