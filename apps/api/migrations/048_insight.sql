-- Insight: what live statements say of each month, quarter and year, by store, country, track, release and account, in euros.
-- Pages read one row per line they show, however many lines the files have. A change only marks its months; a job adds a
-- marked month up anew, whole, so that nothing can drift (docs/decisions/240).

CREATE TABLE insight_sums (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  dimension text COLLATE "C" NOT NULL CHECK (dimension IN ('total', 'store', 'country', 'track', 'release', 'account')),
  value text COLLATE "C" NOT NULL,
  span text COLLATE "C" NOT NULL CHECK (span IN ('month', 'quarter', 'year')),
  starts date NOT NULL,
  streams numeric NOT NULL,
  downloads numeric NOT NULL,
  videos numeric NOT NULL,
  streams_eur numeric NOT NULL,
  downloads_eur numeric NOT NULL,
  videos_eur numeric NOT NULL,
  quantity numeric NOT NULL GENERATED ALWAYS AS (streams + downloads + videos) STORED,
  amount_eur numeric NOT NULL GENERATED ALWAYS AS (streams_eur + downloads_eur + videos_eur) STORED,
  UNIQUE (dimension, value, span, starts)
);
CREATE INDEX insight_sums_amount_idx ON insight_sums (dimension, span, starts, amount_eur, id);
CREATE INDEX insight_sums_quantity_idx ON insight_sums (dimension, span, starts, quantity, id);
REVOKE INSERT, UPDATE, DELETE ON insight_sums FROM regie_app;
COMMENT ON COLUMN insight_sums.value IS 'a name, a country, an id; empty for what has no track, and for the total';
COMMENT ON COLUMN insight_sums.amount_eur IS 'at the rates of the months; what has no rate is in the quantities only';

-- Months to be added up anew. Rows are only ever added and removed: whoever marks a month waits for nobody.
CREATE TABLE insight_marks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  month date NOT NULL CHECK (is_first_of_month(month))
);
REVOKE INSERT, UPDATE, DELETE ON insight_marks FROM regie_app;

CREATE FUNCTION statement_months_marked() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO insight_marks (month)
  SELECT DISTINCT coalesce(st.accounting_month, c.month) FROM changed c JOIN statements st ON st.id = c.statement_id;
  RETURN NULL;
END $$;
CREATE FUNCTION statement_months_remarked() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  -- What is only posted stays whose it was.
  INSERT INTO insight_marks (month)
  SELECT DISTINCT coalesce(st.accounting_month, a.month)
    FROM after_it a JOIN before_it b USING (statement_id, month, currency) JOIN statements st ON st.id = a.statement_id
   WHERE (a.amount, a.sums, a.unmatched_amount, a.unmatched_sums) IS DISTINCT FROM (b.amount, b.sums, b.unmatched_amount, b.unmatched_sums);
  RETURN NULL;
END $$;
CREATE TRIGGER statement_months_marked_inserted AFTER INSERT ON statement_months
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION statement_months_marked();
CREATE TRIGGER statement_months_marked_deleted AFTER DELETE ON statement_months
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION statement_months_marked();
CREATE TRIGGER statement_months_marked_updated AFTER UPDATE ON statement_months
  REFERENCING OLD TABLE AS before_it NEW TABLE AS after_it FOR EACH STATEMENT EXECUTE FUNCTION statement_months_remarked();

-- A statement that is given another month leaves one and comes to another; so does one that begins or ceases to count.
CREATE FUNCTION statements_marked() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO insight_marks (month)
  SELECT coalesce(OLD.accounting_month, m.month) FROM statement_months m WHERE m.statement_id = NEW.id
  UNION SELECT coalesce(NEW.accounting_month, m.month) FROM statement_months m WHERE m.statement_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER statements_marked AFTER UPDATE OF status, accounting_month ON statements
  FOR EACH ROW WHEN (OLD.accounting_month IS DISTINCT FROM NEW.accounting_month
                     OR (OLD.status IN ('loaded', 'checked')) <> (NEW.status IN ('loaded', 'checked')))
  EXECUTE FUNCTION statements_marked();

-- A rate is that of its month and of all that follow until the next.
CREATE FUNCTION exchange_rates_marked() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO insight_marks (month)
  SELECT DISTINCT coalesce(st.accounting_month, m.month)
    FROM statement_months m JOIN statements st ON st.id = m.statement_id
   WHERE (m.currency = NEW.currency AND coalesce(st.accounting_month, m.month) >= NEW.month)
      OR (m.currency = OLD.currency AND coalesce(st.accounting_month, m.month) >= OLD.month);
  RETURN NULL;
END $$;
CREATE TRIGGER exchange_rates_marked AFTER INSERT OR UPDATE OR DELETE ON exchange_rates
  FOR EACH ROW EXECUTE FUNCTION exchange_rates_marked();

-- Tracks carry their income to whatever release and account they are moved to.
CREATE FUNCTION tracks_marked() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM after_it t JOIN before_it b USING (id) WHERE (t.release_id, t.account_id) <> (b.release_id, b.account_id)) THEN
    INSERT INTO insight_marks (month)
    SELECT DISTINCT coalesce(st.accounting_month, s.month)
      FROM after_it t JOIN before_it b USING (id)
      JOIN LATERAL (SELECT i.key FROM income_items i WHERE i.key = t.isrc UNION SELECT i.key FROM income_items i WHERE i.alias_track_id = t.id) i ON true
      JOIN statement_sums s ON s.item = i.key
      JOIN statements st ON st.id = s.statement_id
     WHERE (t.release_id, t.account_id) <> (b.release_id, b.account_id);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER tracks_marked AFTER UPDATE ON tracks
  REFERENCING OLD TABLE AS before_it NEW TABLE AS after_it FOR EACH STATEMENT EXECUTE FUNCTION tracks_marked();

-- As in 042, and the months of what changed its track are marked: from one track to another no sum of a month changes.
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
    -- What is posted stays with the track it was posted to.
    UPDATE statement_sums s SET track_id = i.track_id
      FROM income_items i
     WHERE i.key = ANY (keys) AND s.item = i.key AND s.import_id IS NULL AND s.track_id IS DISTINCT FROM i.track_id
    RETURNING s.statement_id, s.month
  )
  INSERT INTO insight_marks (month)
  SELECT DISTINCT coalesce(st.accounting_month, m.month) FROM moved m JOIN statements st ON st.id = m.statement_id;
END $$;

INSERT INTO insight_marks (month)
SELECT DISTINCT coalesce(st.accounting_month, m.month) FROM statement_months m JOIN statements st ON st.id = m.statement_id;
