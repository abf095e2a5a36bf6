-- Units per euro, of the month or the latest before it.
CREATE OR REPLACE FUNCTION rate_of(wanted text, of_month date) RETURNS numeric
  LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN wanted = 'EUR' THEN 1 ELSE (
    SELECT e.rate FROM exchange_rates e WHERE e.currency = wanted AND e.month <= of_month ORDER BY e.month DESC LIMIT 1) END
$$;

-- A rate changes statistics and unmatched totals until a month with its own. Newest month first, so that each only
-- changes its own.
CREATE OR REPLACE FUNCTION set_exchange_rates(months date[], currencies text[], rates numeric[], by_admin bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  given record;
  former numeric;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('match_items'));
  FOR given IN
    SELECT g.month, g.currency, g.rate FROM unnest(months, currencies, rates) AS g (month, currency, rate)
     ORDER BY g.currency, g.month DESC
  LOOP
    former := rate_of(given.currency, given.month);
    INSERT INTO exchange_rates (month, currency, rate, updated_by) VALUES (given.month, given.currency, given.rate, by_admin)
    ON CONFLICT (currency, month) DO UPDATE SET rate = excluded.rate, updated_by = excluded.updated_by, updated_at = now();
    CONTINUE WHEN former = given.rate;
    INSERT INTO analytics_marks (month)
    SELECT DISTINCT coalesce(st.accounting_month, m.month)
      FROM statement_months m JOIN statements st ON st.id = m.statement_id
     WHERE m.currency = given.currency AND coalesce(st.accounting_month, m.month) >= given.month;
    UPDATE unmatched_totals w SET eur = w.eur + d.eur
      FROM (
        SELECT coalesce(c.source, '') AS source, coalesce(c.month, '-infinity') AS month, i.id, sum(c.eur) AS eur
          FROM (
            SELECT st.source, coalesce(st.accounting_month, m.month) AS month, s.item,
                   sum(round(s.amount / given.rate, 12) - coalesce(round(s.amount / former, 12), 0)) AS eur
              FROM statements st
              JOIN statement_months m ON m.statement_id = st.id AND m.currency = given.currency AND m.unmatched_sums > 0
               AND coalesce(st.accounting_month, m.month) >= given.month
               AND coalesce(st.accounting_month, m.month) < coalesce(
                     (SELECT min(e.month) FROM exchange_rates e WHERE e.currency = given.currency AND e.month > given.month), 'infinity')
              JOIN statement_sums s ON s.statement_id = st.id AND s.month = m.month AND s.currency = m.currency AND s.track_id IS NULL
             WHERE st.status IN ('loaded', 'checked') GROUP BY 1, 2, 3
          ) c
          JOIN income_items i ON i.key = c.item
         GROUP BY GROUPING SETS ((i.id), (i.id, c.source), (i.id, c.month), (i.id, c.source, c.month))
      ) d
     WHERE d.source = w.source AND d.month = w.month AND d.id = w.item_id AND d.eur <> 0;
  END LOOP;
END $$;
