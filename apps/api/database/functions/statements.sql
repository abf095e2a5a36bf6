CREATE OR REPLACE FUNCTION statement_sums_inserted() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO statement_months AS known
    SELECT statement_id, month, currency, sum(amount),
           coalesce(sum(amount) FILTER (WHERE track_id IS NULL), 0), coalesce(sum(amount) FILTER (WHERE import_id IS NOT NULL), 0),
           count(*), count(*) FILTER (WHERE track_id IS NULL), count(import_id)
      FROM inserted GROUP BY statement_id, month, currency ORDER BY 1, 2, 3
    ON CONFLICT (statement_id, month, currency) DO UPDATE
      SET amount = known.amount + excluded.amount, unmatched_amount = known.unmatched_amount + excluded.unmatched_amount,
          posted_amount = known.posted_amount + excluded.posted_amount, sums = known.sums + excluded.sums,
          unmatched_sums = known.unmatched_sums + excluded.unmatched_sums, posted_sums = known.posted_sums + excluded.posted_sums;
  INSERT INTO analytics_marks (month)
  SELECT DISTINCT coalesce(st.accounting_month, i.month) FROM inserted i JOIN statements st ON st.id = i.statement_id;
  RETURN NULL;
END $$;

-- Posting sums, or another track, changes months, what imports posted, and totals of items without a track.
CREATE OR REPLACE FUNCTION statement_sums_updated() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  has_unmatched boolean;
BEGIN
  WITH moved AS MATERIALIZED (
    SELECT statement_id, month, currency, import_id, track_id IS NULL AS is_unmatched, sum(sign * amount) AS amount, sum(sign) AS sums
      FROM (SELECT 1 AS sign, * FROM after_it UNION ALL SELECT -1, * FROM before_it) AS both_times
     GROUP BY statement_id, month, currency, import_id, track_id IS NULL
  ),
  told AS (
    INSERT INTO statement_postings AS known (statement_id, month, currency, import_id, amount, sums)
    SELECT statement_id, month, currency, import_id, amount, sums FROM moved
     WHERE import_id IS NOT NULL AND (amount <> 0 OR sums <> 0) ORDER BY 1, 2, 3, 4
    ON CONFLICT (statement_id, month, currency, import_id)
      DO UPDATE SET amount = known.amount + excluded.amount, sums = known.sums + excluded.sums
  ),
  months AS (
    UPDATE statement_months m
       SET unmatched_amount = m.unmatched_amount + d.unmatched_amount, unmatched_sums = m.unmatched_sums + d.unmatched_sums,
           posted_amount = m.posted_amount + d.posted_amount, posted_sums = m.posted_sums + d.posted_sums
      FROM (
        SELECT statement_id, month, currency,
               coalesce(sum(amount) FILTER (WHERE is_unmatched), 0) AS unmatched_amount,
               coalesce(sum(sums) FILTER (WHERE is_unmatched), 0) AS unmatched_sums,
               coalesce(sum(amount) FILTER (WHERE import_id IS NOT NULL), 0) AS posted_amount,
               coalesce(sum(sums) FILTER (WHERE import_id IS NOT NULL), 0) AS posted_sums
          FROM moved GROUP BY statement_id, month, currency ORDER BY 1, 2, 3
      ) d
     WHERE m.statement_id = d.statement_id AND m.month = d.month AND m.currency = d.currency
    RETURNING m.statement_id, m.month, d.unmatched_amount <> 0 OR d.unmatched_sums <> 0 AS is_matched
  ),
  marked AS (
    -- Posting does not change ownership.
    INSERT INTO analytics_marks (month)
    SELECT DISTINCT coalesce(st.accounting_month, m.month)
      FROM months m JOIN statements st ON st.id = m.statement_id WHERE m.is_matched
  )
  SELECT bool_or(is_unmatched) INTO has_unmatched FROM moved;
  DELETE FROM statement_postings WHERE sums = 0;
  -- Posting moves nothing here, and does not wait.
  IF has_unmatched THEN
    WITH changed AS MATERIALIZED (
      SELECT 1 AS sign, statement_id, month, currency, item, amount FROM after_it WHERE track_id IS NULL
      UNION ALL SELECT -1, statement_id, month, currency, item, amount FROM before_it WHERE track_id IS NULL
    ),
    rated AS MATERIALIZED (
      SELECT m.statement_id, m.month, m.currency, st.source, coalesce(st.accounting_month, m.month) AS posted_month,
             rate_of(m.currency, coalesce(st.accounting_month, m.month)) AS rate
        FROM (SELECT DISTINCT statement_id, month, currency FROM changed) m
        JOIN statements st ON st.id = m.statement_id AND st.status IN ('loaded', 'checked')
    ),
    written AS (
      INSERT INTO unmatched_totals AS known (source, month, item_id, sums, eur)
      SELECT d.source, d.month, i.id, d.sums, d.eur
        FROM (
          SELECT coalesce(r.source, '') AS source, coalesce(r.posted_month, '-infinity') AS month, c.item, sum(c.sign) AS sums,
                 sum(c.sign * coalesce(round(c.amount / r.rate, 12), 0)) AS eur
            FROM changed c JOIN rated r USING (statement_id, month, currency)
           GROUP BY GROUPING SETS ((c.item), (c.item, r.source), (c.item, r.posted_month), (c.item, r.source, r.posted_month))
        ) d
        JOIN income_items i ON i.key = d.item
       WHERE d.sums <> 0 OR d.eur <> 0 ORDER BY i.id, d.month, d.source
      ON CONFLICT (source, month, item_id) DO UPDATE SET sums = known.sums + excluded.sums, eur = known.eur + excluded.eur
      RETURNING source, month, xmax = 0 AS is_new
    )
    INSERT INTO unmatched_counts (source, month, items)
    SELECT source, month, count(*) FROM written WHERE is_new GROUP BY source, month;
    PERFORM drop_empty_unmatched_totals();
  END IF;
  RETURN NULL;
END $$;

-- Starting or ceasing to count, another source or month: unmatched totals and both months change.
CREATE OR REPLACE FUNCTION statements_updated() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  was_live boolean := OLD.status IN ('loaded', 'checked');
  is_live boolean := NEW.status IN ('loaded', 'checked');
BEGIN
  -- A deleted or reread summary declares nothing.
  IF OLD.status = 'summary' AND NEW.status <> 'summary' THEN
    DELETE FROM declared_amounts WHERE statement_id = NEW.id;
  END IF;
  IF was_live <> is_live OR OLD.accounting_month IS DISTINCT FROM NEW.accounting_month THEN
    INSERT INTO analytics_marks (month)
    SELECT coalesce(OLD.accounting_month, m.month) FROM statement_months m WHERE m.statement_id = NEW.id
    UNION SELECT coalesce(NEW.accounting_month, m.month) FROM statement_months m WHERE m.statement_id = NEW.id;
  END IF;
  IF was_live <> is_live OR is_live AND (OLD.source, OLD.accounting_month) IS DISTINCT FROM (NEW.source, NEW.accounting_month) THEN
    PERFORM pg_advisory_xact_lock(hashtext('match_items'));
    IF was_live THEN PERFORM add_unmatched_totals(NEW.id, OLD.source, OLD.accounting_month, -1); END IF;
    IF is_live THEN PERFORM add_unmatched_totals(NEW.id, NEW.source, NEW.accounting_month, 1); END IF;
    WITH gone AS (DELETE FROM unmatched_counts RETURNING source, month, items)
    INSERT INTO unmatched_counts (source, month, items)
    SELECT source, month, sum(items) FROM gone GROUP BY source, month HAVING sum(items) <> 0;
  END IF;
  RETURN NULL;
END $$;

-- Fails if some of it is posted.
CREATE OR REPLACE FUNCTION delete_statement_sums(of_statement bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM statement_sums WHERE statement_id = of_statement AND import_id IS NULL;
  IF EXISTS (SELECT FROM statement_sums WHERE statement_id = of_statement) THEN
    RAISE EXCEPTION 'lines of statement % are posted', of_statement USING ERRCODE = 'serialization_failure';
  END IF;
  WITH gone AS (DELETE FROM statement_months WHERE statement_id = of_statement RETURNING month)
  INSERT INTO analytics_marks (month)
  SELECT DISTINCT coalesce(st.accounting_month, g.month) FROM gone g JOIN statements st ON st.id = of_statement;
  DELETE FROM statement_rollups WHERE statement_id = of_statement;
  DELETE FROM statement_duplicates WHERE statement_id = of_statement OR other_id = of_statement;
END $$;
REVOKE EXECUTE ON FUNCTION delete_statement_sums FROM PUBLIC;

-- A job deletes the lines.
CREATE OR REPLACE FUNCTION drop_statement_sums(of_statement bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM statements WHERE id = of_statement AND status IN ('replaced', 'removed')) THEN
    RAISE EXCEPTION 'statement % is live', of_statement;
  END IF;
  PERFORM delete_statement_sums(of_statement);
END $$;
REVOKE EXECUTE ON FUNCTION drop_statement_sums FROM PUBLIC;
GRANT EXECUTE ON FUNCTION drop_statement_sums TO regie_app;

-- The next reading deletes the lines.
CREATE OR REPLACE FUNCTION reset_statement(of_statement bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM statements WHERE id = of_statement AND status = 'received') THEN
    RAISE EXCEPTION 'statement % is not to be read', of_statement;
  END IF;
  PERFORM delete_statement_sums(of_statement);
END $$;
REVOKE EXECUTE ON FUNCTION reset_statement FROM PUBLIC;
GRANT EXECUTE ON FUNCTION reset_statement TO regie_app;

-- Reversed income waits again, for the track that its item means now: one track's, or all. Takes the lock of
-- match_items() alone: a match meanwhile would see the sums as posted and leave their former track.
CREATE OR REPLACE FUNCTION release_sums(of_import bigint, of_track bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('match_items'));
  INSERT INTO analytics_marks (month)
  SELECT month FROM imports WHERE id = of_import;
  UPDATE statement_sums s SET import_id = NULL, track_id = i.track_id
    FROM income_items i
   WHERE s.import_id = of_import AND (of_track IS NULL OR s.track_id = of_track) AND i.key = s.item;
END $$;
REVOKE EXECUTE ON FUNCTION release_sums FROM PUBLIC;
GRANT EXECUTE ON FUNCTION release_sums TO regie_app;
