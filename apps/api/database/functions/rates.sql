-- Units per euro: the rate of the month, or of the latest month before it.
CREATE FUNCTION rate_of(wanted text, of_month date) RETURNS numeric
  LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN wanted = 'EUR' THEN 1 ELSE (
    SELECT e.rate FROM exchange_rates e WHERE e.currency = wanted AND e.month <= of_month ORDER BY e.month DESC LIMIT 1) END
$$;

-- One row at a time, because exchange_rates_unmatched_totals() computes what one rate changes from the rate before it. The
-- newest month of a currency comes first, so that each new rate only changes its own month and not all later ones.
CREATE FUNCTION set_exchange_rates(months date[], currencies text[], rates numeric[], by_admin bigint) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  given record;
BEGIN
  FOR given IN
    SELECT g.month, g.currency, g.rate FROM unnest(months, currencies, rates) AS g (month, currency, rate)
     ORDER BY g.currency, g.month DESC
  LOOP
    INSERT INTO exchange_rates (month, currency, rate, updated_by) VALUES (given.month, given.currency, given.rate, by_admin)
    ON CONFLICT (currency, month) DO UPDATE SET rate = excluded.rate, updated_by = excluded.updated_by, updated_at = now();
  END LOOP;
END $$;
