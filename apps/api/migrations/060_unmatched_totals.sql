-- The inbox's order for each filter by source and month (052 kept it without a filter only): a filtered page is a range of an index.
DROP TRIGGER statements_weighed ON statements;
DROP TRIGGER exchange_rates_weighed ON exchange_rates;
DROP TRIGGER exchange_rates_weighed_changed ON exchange_rates;
DROP FUNCTION statements_weighed, exchange_rates_weighed, weigh_statement;
DROP TABLE waiting_items;

CREATE TABLE unmatched_totals (
  -- '' of all sources together, '-infinity' of all months: a sum counts in four rows of its item.
  source text COLLATE "C" NOT NULL,
  month date NOT NULL,
  item_id bigint NOT NULL,
  sums bigint NOT NULL,
  eur numeric NOT NULL,
  PRIMARY KEY (source, month, item_id)
);
CREATE INDEX unmatched_totals_eur_idx ON unmatched_totals (source, month, eur, item_id);
CREATE INDEX unmatched_totals_empty_idx ON unmatched_totals (item_id) WHERE sums = 0;
REVOKE INSERT, UPDATE, DELETE ON unmatched_totals FROM regie_app;
COMMENT ON TABLE unmatched_totals IS 'items with sums without a track in live statements; written under the lock of match_items only';
COMMENT ON COLUMN unmatched_totals.month IS 'to which the sums would be posted';
COMMENT ON COLUMN unmatched_totals.eur IS 'each sum rounded to twelve decimals, so that what is added is what is taken away again';

-- How many items these are, without counting them: rows are only added, so that matches that share the lock do not wait for each
-- other, and put together by whoever has the lock alone.
CREATE TABLE unmatched_counts (
  source text COLLATE "C" NOT NULL,
  month date NOT NULL,
  items bigint NOT NULL
);
CREATE INDEX unmatched_counts_idx ON unmatched_counts (source, month);
REVOKE INSERT, UPDATE, DELETE ON unmatched_counts FROM regie_app;
COMMENT ON TABLE unmatched_counts IS 'added up by source and month, the number of rows of unmatched_totals';

CREATE FUNCTION unmatched_totals_counted() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO unmatched_counts (source, month, items)
  SELECT source, month, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END FROM changed GROUP BY source, month;
  RETURN NULL;
END $$;
-- An INSERT that updates what is there already tells its INSERT trigger of the new rows only.
CREATE TRIGGER unmatched_totals_counted_inserted AFTER INSERT ON unmatched_totals
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION unmatched_totals_counted();
CREATE TRIGGER unmatched_totals_counted_deleted AFTER DELETE ON unmatched_totals
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION unmatched_totals_counted();

-- Adds what a statement has without a track to the totals, or takes it away with sign -1.
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
CREATE TRIGGER statements_unmatched_totals AFTER UPDATE OF status, source, accounting_month ON statements
  FOR EACH ROW WHEN ((OLD.status IN ('loaded', 'checked')) <> (NEW.status IN ('loaded', 'checked'))
                     OR (NEW.status IN ('loaded', 'checked')
                         AND (OLD.source, OLD.accounting_month) IS DISTINCT FROM (NEW.source, NEW.accounting_month)))
  EXECUTE FUNCTION statements_unmatched_totals();

-- A rate is that of its month and of those that follow, until the next.
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
CREATE TRIGGER exchange_rates_unmatched_totals_changed AFTER UPDATE OF rate ON exchange_rates
  FOR EACH ROW WHEN (OLD.rate <> NEW.rate) EXECUTE FUNCTION exchange_rates_unmatched_totals();
CREATE TRIGGER exchange_rates_unmatched_totals AFTER INSERT OR DELETE ON exchange_rates
  FOR EACH ROW EXECUTE FUNCTION exchange_rates_unmatched_totals();

-- As in 052, for the totals of each source and month.
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
  )
  SELECT bool_or(is_unmatched) INTO has_unmatched FROM moved;
  DELETE FROM statement_postings WHERE sums = 0;
  -- Whoever posts moves nothing here, and waits for nobody.
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
    )
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
    ON CONFLICT (source, month, item_id) DO UPDATE SET sums = known.sums + excluded.sums, eur = known.eur + excluded.eur;
    DELETE FROM unmatched_totals WHERE sums = 0;
  END IF;
  RETURN NULL;
END $$;

DO $$
DECLARE
  statement record;
BEGIN
  FOR statement IN SELECT id, source, accounting_month FROM statements WHERE status IN ('loaded', 'checked') LOOP
    PERFORM add_unmatched_totals(statement.id, statement.source, statement.accounting_month, 1);
  END LOOP;
END $$;
