-- What an import changed each currency at; what of a statement it posted; and what waits without a track, item by item (042).

-- Until now only the dollar's rate was kept: of the others, what is known today is the best there is.
CREATE TABLE import_rates (
  import_id bigint NOT NULL REFERENCES imports (id),
  currency text COLLATE "C" NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  rate numeric(20, 10) NOT NULL CHECK (rate > 0),
  PRIMARY KEY (import_id, currency)
);
REVOKE UPDATE, DELETE ON import_rates FROM regie_app;
COMMENT ON TABLE import_rates IS 'units per euro of every currency that an automatic import has posted, as it used them';

-- An amount of a file in dollars at an import's rates: the one place that changes it. Dollars stay what the file says; the rest is
-- divided to thirty decimals before it is rounded to ten, once.
CREATE FUNCTION to_usd(amount numeric, currency text, usd_rate numeric, rate numeric) RETURNS numeric
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN round(CASE WHEN currency = 'USD' THEN amount ELSE (amount * usd_rate)::numeric(80, 30) / rate END, 10);

-- The month board's posted euros: as many rows as there are imports of a statement's month.
CREATE TABLE statement_postings (
  statement_id bigint NOT NULL REFERENCES statements (id),
  month date NOT NULL,
  currency text COLLATE "C" NOT NULL,
  import_id bigint NOT NULL,
  amount numeric NOT NULL,
  sums bigint NOT NULL,
  PRIMARY KEY (statement_id, month, currency, import_id)
);
CREATE INDEX statement_postings_import_idx ON statement_postings (import_id);
CREATE INDEX statement_postings_empty_idx ON statement_postings (import_id) WHERE sums = 0;
REVOKE INSERT, UPDATE, DELETE ON statement_postings FROM regie_app;

INSERT INTO statement_postings (statement_id, month, currency, import_id, amount, sums)
SELECT statement_id, month, currency, import_id, sum(amount), count(*)
  FROM statement_sums WHERE import_id IS NOT NULL GROUP BY statement_id, month, currency, import_id;
INSERT INTO import_rates (import_id, currency, rate)
SELECT i.id, p.currency,
       CASE p.currency WHEN 'EUR' THEN 1 WHEN 'USD' THEN i.rate ELSE (
         SELECT e.rate FROM exchange_rates e WHERE e.currency = p.currency AND e.month <= i.month ORDER BY e.month DESC LIMIT 1) END
  FROM (SELECT DISTINCT import_id, currency FROM statement_postings) p JOIN imports i ON i.id = p.import_id;

-- The inbox stands in the order of this. What it shows of a page is added up from the sums, to the last decimal: the euros here
-- are rounded for each of them, so that what is added is what is taken away again.
CREATE TABLE waiting_items (
  item_id bigint PRIMARY KEY,
  sums bigint NOT NULL,
  eur numeric NOT NULL
);
CREATE INDEX waiting_items_eur_idx ON waiting_items (eur, item_id);
CREATE INDEX waiting_items_empty_idx ON waiting_items (item_id) WHERE sums = 0;
REVOKE INSERT, UPDATE, DELETE ON waiting_items FROM regie_app;
COMMENT ON TABLE waiting_items IS 'items with sums without a track in live statements; written under the lock of match_items only';

CREATE INDEX income_items_unmatched_title_idx ON income_items (title, id) WHERE unmatched IS NOT NULL;
DROP INDEX income_items_unmatched_idx;
CREATE INDEX income_items_unmatched_idx ON income_items (unmatched, id) WHERE unmatched IS NOT NULL;

-- Units per euro: of the month, or of the latest before it.
CREATE FUNCTION rate_of(wanted text, of_month date) RETURNS numeric
  LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN wanted = 'EUR' THEN 1 ELSE (
    SELECT e.rate FROM exchange_rates e WHERE e.currency = wanted AND e.month <= of_month ORDER BY e.month DESC LIMIT 1) END
$$;

-- Adds what a live statement has without a track to its items, or takes it away with sign -1.
CREATE FUNCTION weigh_statement(of_statement bigint, as_month date, sign integer) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  -- A rate is looked up once a month and currency, not once a sum.
  WITH rated AS MATERIALIZED (
    SELECT m.month, m.currency, rate_of(m.currency, coalesce(as_month, m.month)) AS rate
      FROM statement_months m WHERE m.statement_id = of_statement AND m.unmatched_sums > 0
  )
  INSERT INTO waiting_items AS known (item_id, sums, eur)
  SELECT i.id, sign * w.sums, sign * w.eur
    FROM (
      SELECT s.item, count(*) AS sums, sum(coalesce(round(s.amount / r.rate, 12), 0)) AS eur
        FROM rated r JOIN statement_sums s ON s.statement_id = of_statement AND s.month = r.month AND s.currency = r.currency
       WHERE s.track_id IS NULL GROUP BY s.item
    ) w
    JOIN income_items i ON i.key = w.item ORDER BY i.id
  ON CONFLICT (item_id) DO UPDATE SET sums = known.sums + excluded.sums, eur = known.eur + excluded.eur;
  DELETE FROM waiting_items WHERE sums = 0;
END $$;
REVOKE EXECUTE ON FUNCTION weigh_statement FROM PUBLIC;

CREATE FUNCTION statements_weighed() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('match_items'));
  IF OLD.status IN ('loaded', 'checked') THEN PERFORM weigh_statement(NEW.id, OLD.accounting_month, -1); END IF;
  IF NEW.status IN ('loaded', 'checked') THEN PERFORM weigh_statement(NEW.id, NEW.accounting_month, 1); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER statements_weighed AFTER UPDATE OF status, accounting_month ON statements
  FOR EACH ROW WHEN ((OLD.status IN ('loaded', 'checked')) <> (NEW.status IN ('loaded', 'checked'))
                     OR (NEW.status IN ('loaded', 'checked') AND OLD.accounting_month IS DISTINCT FROM NEW.accounting_month))
  EXECUTE FUNCTION statements_weighed();

-- A rate is that of its month and of those that follow, until the next.
CREATE FUNCTION exchange_rates_weighed() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  of record := coalesce(NEW, OLD);
  earlier numeric := rate_of(of.currency, (of.month - interval '1 month')::date);
  before_it numeric := coalesce(OLD.rate, earlier);
  after_it numeric := coalesce(NEW.rate, earlier);
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('match_items'));
  UPDATE waiting_items w SET eur = w.eur + d.eur
    FROM (
      SELECT i.id, sum(coalesce(round(s.amount / after_it, 12), 0) - coalesce(round(s.amount / before_it, 12), 0)) AS eur
        FROM statements st
        JOIN statement_months m ON m.statement_id = st.id AND m.currency = of.currency AND m.unmatched_sums > 0
         AND coalesce(st.accounting_month, m.month) >= of.month
         AND coalesce(st.accounting_month, m.month) < coalesce(
               (SELECT min(e.month) FROM exchange_rates e WHERE e.currency = of.currency AND e.month > of.month), 'infinity')
        JOIN statement_sums s ON s.statement_id = st.id AND s.month = m.month AND s.currency = m.currency AND s.track_id IS NULL
        JOIN income_items i ON i.key = s.item
       WHERE st.status IN ('loaded', 'checked') GROUP BY i.id
    ) d
   WHERE d.id = w.item_id AND d.eur <> 0;
  RETURN NULL;
END $$;
CREATE TRIGGER exchange_rates_weighed_changed AFTER UPDATE OF rate ON exchange_rates
  FOR EACH ROW WHEN (OLD.rate <> NEW.rate) EXECUTE FUNCTION exchange_rates_weighed();
CREATE TRIGGER exchange_rates_weighed AFTER INSERT OR DELETE ON exchange_rates
  FOR EACH ROW EXECUTE FUNCTION exchange_rates_weighed();

-- As in 042, and what is posted is told import by import; items gain and lose what waits without a track.
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
      SELECT m.statement_id, m.month, m.currency, rate_of(m.currency, coalesce(st.accounting_month, m.month)) AS rate
        FROM (SELECT DISTINCT statement_id, month, currency FROM changed) m
        JOIN statements st ON st.id = m.statement_id AND st.status IN ('loaded', 'checked')
    )
    INSERT INTO waiting_items AS known (item_id, sums, eur)
    SELECT i.id, d.sums, d.eur
      FROM (
        SELECT c.item, sum(c.sign) AS sums, sum(c.sign * coalesce(round(c.amount / r.rate, 12), 0)) AS eur
          FROM changed c JOIN rated r USING (statement_id, month, currency)
         GROUP BY c.item HAVING sum(c.sign) <> 0 OR sum(c.sign * c.amount) <> 0
      ) d
      JOIN income_items i ON i.key = d.item ORDER BY i.id
    ON CONFLICT (item_id) DO UPDATE SET sums = known.sums + excluded.sums, eur = known.eur + excluded.eur;
    DELETE FROM waiting_items WHERE sums = 0;
  END IF;
  RETURN NULL;
END $$;

DO $$
DECLARE
  statement record;
BEGIN
  FOR statement IN SELECT id, accounting_month FROM statements WHERE status IN ('loaded', 'checked') LOOP
    PERFORM weigh_statement(statement.id, statement.accounting_month, 1);
  END LOOP;
END $$;

-- As in 042, with the months of what changes its track marked (048), and alone with what items mean: whoever changes that now would find its sums still posted, and these would go
-- back to what it meant before.
CREATE OR REPLACE FUNCTION release_sums(of_import bigint, of_track bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('match_items'));
  INSERT INTO insight_marks (month)
  SELECT DISTINCT coalesce(st.accounting_month, s.month)
    FROM statement_sums s JOIN income_items i ON i.key = s.item JOIN statements st ON st.id = s.statement_id
   WHERE s.import_id = of_import AND (of_track IS NULL OR s.track_id = of_track) AND s.track_id IS DISTINCT FROM i.track_id;
  UPDATE statement_sums s SET import_id = NULL, track_id = i.track_id
    FROM income_items i
   WHERE s.import_id = of_import AND (of_track IS NULL OR s.track_id = of_track) AND i.key = s.item;
END $$;

-- Of several tracks of one account with the same ISRC the oldest delivered one is meant: also once another is delivered.
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
CREATE TRIGGER releases_match_items AFTER UPDATE ON releases
  REFERENCING OLD TABLE AS before_it NEW TABLE AS after_it FOR EACH STATEMENT EXECUTE FUNCTION releases_match_items();
