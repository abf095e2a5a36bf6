-- The track an ISRC means, or why none (product §33.12): two accounts have it → none; several tracks of one account →
-- the oldest delivered.
CREATE OR REPLACE FUNCTION matched_track(wanted text) RETURNS TABLE (track_id bigint, unmatched text)
  LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN h.first_account <> h.last_account THEN NULL
              WHEN h.holders > 1 THEN (
                SELECT t.id FROM tracks t JOIN releases r ON r.id = t.release_id
                 WHERE t.isrc = wanted ORDER BY r.status IN ('delivered', 'closed') DESC, t.created_at, t.id LIMIT 1)
              ELSE h.track_id END,
         CASE WHEN wanted IS NULL THEN 'no_isrc' WHEN h.holders = 0 THEN 'unknown' WHEN h.first_account <> h.last_account THEN 'doubled' END
    FROM (SELECT count(*) AS holders, min(t.account_id) AS first_account, max(t.account_id) AS last_account, min(t.id) AS track_id
            FROM tracks t WHERE t.isrc = wanted) h
$$;

-- Staff's choices before the ISRC. Who changes what an item means shares a lock that a load takes alone at its end, so
-- neither misses the other. Months are marked here: another track changes no sum of a month.
CREATE OR REPLACE FUNCTION match_items(keys text[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtext('match_items'));
  PERFORM FROM income_items i WHERE i.key = ANY (keys) ORDER BY i.key FOR UPDATE;
  UPDATE income_items i
     SET track_id = m.track_id, unmatched = m.unmatched
    FROM (
      SELECT k.key, coalesce(k.alias_track_id, t.track_id) AS track_id,
             CASE WHEN k.alias_track_id IS NULL THEN t.unmatched END AS unmatched
        FROM income_items k CROSS JOIN LATERAL matched_track(k.isrc) t WHERE k.key = ANY (keys)
    ) m
   WHERE i.key = m.key AND (i.track_id, i.unmatched) IS DISTINCT FROM (m.track_id, m.unmatched);
  WITH moved AS (
    -- Posted sums keep their track.
    UPDATE statement_sums s SET track_id = i.track_id
      FROM income_items i
     WHERE i.key = ANY (keys) AND s.item = i.key AND s.import_id IS NULL AND s.track_id IS DISTINCT FROM i.track_id
    RETURNING s.statement_id, s.month
  )
  INSERT INTO analytics_marks (month)
  SELECT DISTINCT coalesce(st.accounting_month, m.month) FROM moved m JOIN statements st ON st.id = m.statement_id;
END $$;
REVOKE EXECUTE ON FUNCTION match_items FROM PUBLIC;
GRANT EXECUTE ON FUNCTION match_items TO regie_app;

CREATE OR REPLACE FUNCTION drop_empty_unmatched_totals() RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH gone AS (DELETE FROM unmatched_totals WHERE sums = 0 RETURNING source, month)
  INSERT INTO unmatched_counts (source, month, items) SELECT source, month, -count(*) FROM gone GROUP BY source, month;
$$;
REVOKE EXECUTE ON FUNCTION drop_empty_unmatched_totals FROM PUBLIC;

-- Subtracts with sign -1.
CREATE OR REPLACE FUNCTION add_unmatched_totals(of_statement bigint, of_source text, as_month date, sign integer) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  -- One look-up of a rate per month and currency.
  WITH rated AS MATERIALIZED (
    SELECT m.month, m.currency, coalesce(as_month, m.month) AS posted_month, rate_of(m.currency, coalesce(as_month, m.month)) AS rate
      FROM statement_months m WHERE m.statement_id = of_statement AND m.unmatched_sums > 0
  ),
  by_month AS MATERIALIZED (
    SELECT s.item, r.posted_month, count(*) AS sums, sum(coalesce(round(s.amount / r.rate, 12), 0)) AS eur
      FROM rated r JOIN statement_sums s ON s.statement_id = of_statement AND s.month = r.month AND s.currency = r.currency
     WHERE s.track_id IS NULL GROUP BY s.item, r.posted_month
  ),
  written AS (
    INSERT INTO unmatched_totals AS known (source, month, item_id, sums, eur)
    SELECT scope.source, w.month, i.id, sign * w.sums, sign * w.eur
      FROM (SELECT item, coalesce(posted_month, '-infinity') AS month, sum(sums) AS sums, sum(eur) AS eur
              FROM by_month GROUP BY GROUPING SETS ((item), (item, posted_month))) w
      JOIN income_items i ON i.key = w.item
     CROSS JOIN (VALUES (''), (of_source)) AS scope (source)
     ORDER BY i.id, w.month, scope.source
    ON CONFLICT (source, month, item_id) DO UPDATE SET sums = known.sums + excluded.sums, eur = known.eur + excluded.eur
    RETURNING source, month, xmax = 0 AS is_new
  )
  INSERT INTO unmatched_counts (source, month, items)
  SELECT source, month, count(*) FROM written WHERE is_new GROUP BY source, month;
  PERFORM drop_empty_unmatched_totals();
END $$;
REVOKE EXECUTE ON FUNCTION add_unmatched_totals FROM PUBLIC;
