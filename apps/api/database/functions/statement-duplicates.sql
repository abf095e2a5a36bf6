-- Compares a statement with those that were loaded before it. A line is a month, store, country, item, kind and currency; a
-- sum is all lines of a month, item, kind and currency. Two are equal if quantity and amount are, and the amount is not 0.
-- Some are equal by chance: late income of a month repeats its stores and tracks, and one play is worth the same twice.
-- Reported are:
--   * equal sums, if they are four fifths of the sums that both statements have, and a fifth of all sums and of the amount
--     that either has in the currency. Files may name stores and countries in different ways, or leave them out;
--   * of the other sums, equal lines, if they are four fifths of the lines that both statements have;
--   * or else equal lines that prove it: more than a hundredth of the lines that both have are equal, worth more than a cent,
--     and have a quantity and amount that no other of these lines has.
-- In the first two cases they are worth more than a cent, or at least five.
-- The lines are outside the database: between `find_equal_sums` and `store_duplicates` the load compares those that the tables
-- `duplicate_left` and `duplicate_places` ask for, and writes what both statements have into `duplicate_common`.

-- formers: earlier statements of the preset that this one contains and adds to. others: statements whose lines are to
-- be compared; null where no sums are of the same titles.
CREATE OR REPLACE FUNCTION find_equal_sums(of_statement bigint, of_preset text, OUT formers bigint[], OUT others bigint[])
  LANGUAGE plpgsql SET search_path = public, pg_temp SET enable_sort = off SET enable_nestloop = on AS $$
DECLARE
  -- One play is worth less in most stores; by itself it says nothing.
  cent CONSTANT numeric := 0.01;
  months date[];
BEGIN
  -- Of two loads at once, the second waits and finds the first.
  PERFORM pg_advisory_xact_lock(hashtext('statement_duplicates'));
  SELECT array_agg(DISTINCT o.id), array_agg(DISTINCT m.month) INTO others, months
    FROM statements s
    JOIN statement_months own ON own.statement_id = s.id
    JOIN statement_months m ON m.month = own.month AND m.currency = own.currency AND m.statement_id <> s.id
    JOIN statements o ON o.id = m.statement_id AND o.status IN ('loaded', 'checked')
     AND (o.loaded_at, o.id) < (coalesce(s.loaded_at, 'infinity'), s.id) AND o.id IS DISTINCT FROM s.replaces
     AND o.replaces IS DISTINCT FROM s.id
   WHERE s.id = of_statement;
  IF others IS NULL THEN RETURN; END IF;

  CREATE TEMPORARY TABLE duplicate_own ON COMMIT DROP AS
    SELECT month, item, kind, currency, quantity, amount, rows FROM statement_sums
     WHERE statement_id = of_statement AND month = ANY (months);
  ANALYZE duplicate_own;
  -- As `matchSums`: many sums all at once.
  IF (SELECT count(*) > 20000 FROM duplicate_own) THEN PERFORM set_config('enable_nestloop', 'off', true); END IF;
  CREATE TEMPORARY TABLE duplicate_sums ON COMMIT DROP AS
    SELECT o.statement_id AS other_id, own.month, own.item, own.kind, own.currency, own.rows, o.rows AS other_rows, own.amount,
           own.quantity = o.quantity AND own.amount = o.amount AND own.amount <> 0 AS is_equal,
           CASE WHEN o.amount < 0 THEN own.amount <= o.amount ELSE own.amount >= o.amount END AS is_kept,
           own.amount <> o.amount AS is_other
      FROM duplicate_own own
      JOIN statement_sums o ON o.item = own.item AND o.month = own.month AND o.kind = own.kind AND o.currency = own.currency
     WHERE o.statement_id = ANY (others) AND o.month = ANY (months);
  IF NOT EXISTS (SELECT FROM duplicate_sums) THEN
    others := NULL;
    RETURN;
  END IF;
  ANALYZE duplicate_sums;
  PERFORM set_config('enable_nestloop', 'off', true);

  -- Contained: at most one in twenty of the former's sums is missing or smaller, one in a hundred smaller; its stores
  -- and countries too, which files of different ones do not share.
  SELECT array_agg(c.other_id ORDER BY c.sums DESC, c.other_id DESC) INTO formers
    FROM (SELECT k.other_id, count(*) AS common, count(*) FILTER (WHERE is_kept) AS kept, bool_or(k.is_other) AS has_grown,
                 (SELECT sum(m.sums) FROM statement_months m WHERE m.statement_id = k.other_id) AS sums
            FROM duplicate_sums k JOIN statements o ON o.id = k.other_id AND o.preset = of_preset
           GROUP BY k.other_id) c
   WHERE c.kept >= 0.95 * c.sums AND c.common - c.kept <= 0.01 * c.sums
     AND (c.has_grown OR (SELECT sum(m.sums) FROM statement_months m WHERE m.statement_id = of_statement) > c.sums)
     AND (SELECT count(*) FILTER (WHERE CASE WHEN r.amount < 0 THEN own.amount <= r.amount ELSE own.amount >= r.amount END)
                 >= 0.95 * count(*)
            FROM statement_rollups r
            LEFT JOIN statement_rollups own ON own.statement_id = of_statement AND own.dimension = r.dimension
                 AND own.value = r.value AND own.month = r.month AND own.kind = r.kind AND own.currency = r.currency
           WHERE r.statement_id = c.other_id);

  CREATE TEMPORARY TABLE duplicate_agreeing ON COMMIT DROP AS
    SELECT k.other_id, k.currency
      FROM (SELECT other_id, currency, count(*) AS common, count(*) FILTER (WHERE is_equal) AS equal,
                   abs(coalesce(sum(amount) FILTER (WHERE is_equal), 0)) AS amount
              FROM duplicate_sums GROUP BY other_id, currency) k
     WHERE k.equal >= 0.8 * k.common AND (k.amount > cent OR k.equal >= 5)
       AND EXISTS (SELECT FROM statement_months m
                    WHERE m.statement_id IN (of_statement, k.other_id) AND m.currency = k.currency
                    GROUP BY m.statement_id HAVING k.equal >= 0.2 * sum(m.sums) AND k.amount >= 0.2 * abs(sum(m.amount)));

  -- Lines of the rest, of statements with a store, month and kind in common.
  CREATE TEMPORARY TABLE duplicate_left ON COMMIT DROP AS
    SELECT other_id, month, item, kind, currency FROM duplicate_sums s
     WHERE NOT (is_equal AND EXISTS (SELECT FROM duplicate_agreeing a WHERE a.other_id = s.other_id AND a.currency = s.currency));
  ANALYZE duplicate_left;
  CREATE TEMPORARY TABLE duplicate_places ON COMMIT DROP AS
    SELECT r.statement_id AS other_id, own.value AS store, own.month, own.kind, own.currency
      FROM statement_rollups own
      JOIN statement_rollups r ON r.dimension = 'store' AND r.value = own.value AND r.month = own.month AND r.kind = own.kind
       AND r.currency = own.currency
     WHERE own.statement_id = of_statement AND own.dimension = 'store' AND r.statement_id IN (SELECT other_id FROM duplicate_left);
  SELECT coalesce(array_agg(DISTINCT other_id), '{}') INTO others FROM duplicate_places;
END $$;
REVOKE EXECUTE ON FUNCTION find_equal_sums FROM PUBLIC;

CREATE OR REPLACE FUNCTION store_duplicates(of_statement bigint) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp SET enable_sort = off SET enable_nestloop = off AS $$
DECLARE
  cent CONSTANT numeric := 0.01;
BEGIN
  WITH counted AS (
    SELECT other_id, count(*) FILTER (WHERE is_equal) >= 0.8 * count(*)
                     AND (max(abs(amount)) FILTER (WHERE is_equal) > cent OR count(*) FILTER (WHERE is_equal) >= 5)
                     OR other_id IN (SELECT other_id FROM duplicate_agreeing) AS agrees
      FROM duplicate_common GROUP BY other_id HAVING bool_or(is_equal)
  ),
  told AS (
    SELECT other_id FROM counted WHERE agrees
    UNION ALL
    SELECT p.other_id
      FROM (SELECT c.other_id, c.is_equal AND abs(c.amount) > cent
                   AND count(*) OVER (PARTITION BY c.other_id, c.currency, c.quantity, c.amount) = 1
                   AND count(*) OVER (PARTITION BY c.other_id, c.currency, c.other_quantity, c.other_amount) = 1 AS proves
              FROM duplicate_common c JOIN counted a ON a.other_id = c.other_id AND NOT a.agrees) p
     GROUP BY p.other_id HAVING count(*) FILTER (WHERE p.proves) > 0.01 * count(*)
  ),
  found AS (
    SELECT other_id, month, currency, sum(rows) AS rows, sum(other_rows) AS other_rows, sum(amount) AS amount,
           min(first_line) AS first_line, min(other_first_line) AS other_first_line
      FROM (SELECT other_id, month, currency, rows, other_rows, amount, first_line, other_first_line
              FROM duplicate_common WHERE is_equal AND other_id IN (SELECT other_id FROM told)
            UNION ALL
            SELECT s.other_id, s.month, s.currency, s.rows, s.other_rows, s.amount, NULL, NULL
              FROM duplicate_sums s JOIN duplicate_agreeing a ON a.other_id = s.other_id AND a.currency = s.currency
             WHERE s.is_equal) e
     GROUP BY other_id, month, currency
  )
  INSERT INTO statement_duplicates (statement_id, other_id, month, currency, rows, amount, first_line)
  SELECT d.statement_id, d.other_id, f.month, f.currency, d.rows, f.amount, d.first_line
    FROM found f
    CROSS JOIN LATERAL (VALUES (of_statement, f.other_id, f.rows, f.first_line),
                               (f.other_id, of_statement, f.other_rows, f.other_first_line)) d (statement_id, other_id, rows, first_line);
END $$;
REVOKE EXECUTE ON FUNCTION store_duplicates FROM PUBLIC;
