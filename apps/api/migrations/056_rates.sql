-- Rates that staff has confirmed, and many rates set at once (docs/decisions/250).

ALTER TABLE statements ADD COLUMN confirmed_rates jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(confirmed_rates) = 'array');
GRANT UPDATE (confirmed_rates) ON statements TO regie_app;
COMMENT ON COLUMN statements.confirmed_rates IS
  'old rates and months in the future that staff has confirmed: [{month, currency, rateMonth, rate}], dates and decimals as text';

-- One row at a time: the triggers of 052 add up what one rate changes, from the rate before it. The newest month of a currency
-- comes first, so that each new rate only changes its own month and not all that follow.
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
