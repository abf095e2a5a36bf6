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

-- Changing a statement's month affects both months; starting or ceasing to count affects its own.
CREATE FUNCTION statements_marked() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO insight_marks (month)
  SELECT coalesce(OLD.accounting_month, m.month) FROM statement_months m WHERE m.statement_id = NEW.id
  UNION SELECT coalesce(NEW.accounting_month, m.month) FROM statement_months m WHERE m.statement_id = NEW.id;
  RETURN NULL;
END $$;

-- A rate applies to its month and later ones, until a month with its own rate.
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

-- Moving a track moves its income to the new release and account.
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
