-- Which track an ISRC means now, or why none (product §33.12): none if two accounts have it; of several tracks of one account,
-- the oldest delivered one.
CREATE FUNCTION matched_track(wanted text) RETURNS TABLE (track_id bigint, unmatched text)
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

-- Finds the tracks of these items again; what staff decided goes before the ISRC. Whoever changes what an item means shares a
-- lock that a load takes alone before it ends, so neither misses what the other has not committed yet. Months are marked
-- here, because giving sums another track changes no sum of a month.
CREATE FUNCTION match_items(keys text[]) RETURNS void
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
    -- What is posted stays with the track it was posted to.
    UPDATE statement_sums s SET track_id = i.track_id
      FROM income_items i
     WHERE i.key = ANY (keys) AND s.item = i.key AND s.import_id IS NULL AND s.track_id IS DISTINCT FROM i.track_id
    RETURNING s.statement_id, s.month
  )
  INSERT INTO insight_marks (month)
  SELECT DISTINCT coalesce(st.accounting_month, m.month) FROM moved m JOIN statements st ON st.id = m.statement_id;
END $$;
REVOKE EXECUTE ON FUNCTION match_items FROM PUBLIC;

CREATE FUNCTION tracks_match_items() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  keys text[];
BEGIN
  -- Also where no item is known yet: a load may be about to commit it.
  PERFORM pg_advisory_xact_lock_shared(hashtext('match_items'));
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(DISTINCT i.key) INTO keys FROM after_it t JOIN income_items i ON i.key = t.isrc;
  ELSE
    SELECT array_agg(DISTINCT i.key) INTO keys
      FROM after_it t JOIN before_it b ON b.id = t.id
      JOIN income_items i ON i.key = ANY (ARRAY[t.isrc, b.isrc])
     WHERE t.isrc IS DISTINCT FROM b.isrc OR t.account_id <> b.account_id OR t.release_id <> b.release_id;
  END IF;
  IF keys IS NOT NULL THEN PERFORM match_items(keys); END IF;
  RETURN NULL;
END $$;

-- Delivering or withdrawing a release may change which of an account's tracks an ISRC resolves to.
CREATE FUNCTION releases_match_items() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  keys text[];
BEGIN
  IF NOT EXISTS (SELECT FROM after_it r JOIN before_it b USING (id)
                  WHERE (r.status IN ('delivered', 'closed')) <> (b.status IN ('delivered', 'closed'))) THEN
    RETURN NULL;
  END IF;
  PERFORM pg_advisory_xact_lock_shared(hashtext('match_items'));
  SELECT array_agg(DISTINCT i.key) INTO keys
    FROM after_it r JOIN before_it b USING (id)
    JOIN tracks t ON t.release_id = r.id
    JOIN income_items i ON i.key = t.isrc
   WHERE (r.status IN ('delivered', 'closed')) <> (b.status IN ('delivered', 'closed'))
     AND EXISTS (SELECT FROM tracks o WHERE o.isrc = t.isrc AND o.id <> t.id);
  IF keys IS NOT NULL THEN PERFORM match_items(keys); END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION income_items_alias_changed() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM match_items(ARRAY[NEW.key]);
  RETURN NULL;
END $$;

-- Adds the income of a statement without a track to the totals, or subtracts it with sign -1.
CREATE FUNCTION add_unmatched_totals(of_statement bigint, of_source text, as_month date, sign integer) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  -- A rate is looked up once a month and currency, not once a sum.
  WITH rated AS MATERIALIZED (
    SELECT m.month, m.currency, coalesce(as_month, m.month) AS posted_month, rate_of(m.currency, coalesce(as_month, m.month)) AS rate
      FROM statement_months m WHERE m.statement_id = of_statement AND m.unmatched_sums > 0
  ),
  by_month AS MATERIALIZED (
    SELECT s.item, r.posted_month, count(*) AS sums, sum(coalesce(round(s.amount / r.rate, 12), 0)) AS eur
      FROM rated r JOIN statement_sums s ON s.statement_id = of_statement AND s.month = r.month AND s.currency = r.currency
     WHERE s.track_id IS NULL GROUP BY s.item, r.posted_month
  )
  INSERT INTO unmatched_totals AS known (source, month, item_id, sums, eur)
  SELECT scope.source, w.month, i.id, sign * w.sums, sign * w.eur
    FROM (SELECT item, coalesce(posted_month, '-infinity') AS month, sum(sums) AS sums, sum(eur) AS eur
            FROM by_month GROUP BY GROUPING SETS ((item), (item, posted_month))) w
    JOIN income_items i ON i.key = w.item
   CROSS JOIN (VALUES (''), (of_source)) AS scope (source)
   ORDER BY i.id, w.month, scope.source
  ON CONFLICT (source, month, item_id) DO UPDATE SET sums = known.sums + excluded.sums, eur = known.eur + excluded.eur;
  DELETE FROM unmatched_totals WHERE sums = 0;
END $$;
REVOKE EXECUTE ON FUNCTION add_unmatched_totals FROM PUBLIC;

CREATE FUNCTION statements_unmatched_totals() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('match_items'));
  IF OLD.status IN ('loaded', 'checked') THEN PERFORM add_unmatched_totals(NEW.id, OLD.source, OLD.accounting_month, -1); END IF;
  IF NEW.status IN ('loaded', 'checked') THEN PERFORM add_unmatched_totals(NEW.id, NEW.source, NEW.accounting_month, 1); END IF;
  WITH gone AS (DELETE FROM unmatched_counts RETURNING source, month, items)
  INSERT INTO unmatched_counts (source, month, items)
  SELECT source, month, sum(items) FROM gone GROUP BY source, month HAVING sum(items) <> 0;
  RETURN NULL;
END $$;

-- A rate applies to its month and later ones, until a month with its own rate.
CREATE FUNCTION exchange_rates_unmatched_totals() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  of record := coalesce(NEW, OLD);
  earlier numeric := rate_of(of.currency, (of.month - interval '1 month')::date);
  before_it numeric := coalesce(OLD.rate, earlier);
  after_it numeric := coalesce(NEW.rate, earlier);
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('match_items'));
  UPDATE unmatched_totals w SET eur = w.eur + d.eur
    FROM (
      SELECT coalesce(c.source, '') AS source, coalesce(c.month, '-infinity') AS month, i.id, sum(c.eur) AS eur
        FROM (
          SELECT st.source, coalesce(st.accounting_month, m.month) AS month, s.item,
                 sum(coalesce(round(s.amount / after_it, 12), 0) - coalesce(round(s.amount / before_it, 12), 0)) AS eur
            FROM statements st
            JOIN statement_months m ON m.statement_id = st.id AND m.currency = of.currency AND m.unmatched_sums > 0
             AND coalesce(st.accounting_month, m.month) >= of.month
             AND coalesce(st.accounting_month, m.month) < coalesce(
                   (SELECT min(e.month) FROM exchange_rates e WHERE e.currency = of.currency AND e.month > of.month), 'infinity')
            JOIN statement_sums s ON s.statement_id = st.id AND s.month = m.month AND s.currency = m.currency AND s.track_id IS NULL
           WHERE st.status IN ('loaded', 'checked') GROUP BY 1, 2, 3
        ) c
        JOIN income_items i ON i.key = c.item
       GROUP BY GROUPING SETS ((i.id), (i.id, c.source), (i.id, c.month), (i.id, c.source, c.month))
    ) d
   WHERE d.source = w.source AND d.month = w.month AND d.id = w.item_id AND d.eur <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION unmatched_totals_counted() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO unmatched_counts (source, month, items)
  SELECT source, month, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END FROM changed GROUP BY source, month;
  RETURN NULL;
END $$;
