-- One statement inserts whole transactions: each balances, balances follow, and no payout gives out more than it
-- reserved. Balances are locked by name, then months, so that imports cannot deadlock: who changes a month's sum
-- already holds `store`, `platform`, `paid` or `adjustment`, and a requested payout changes none.
CREATE OR REPLACE FUNCTION ledger_postings_inserted() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  -- A few thousand transactions out of millions: look-ups by key.
  SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  bad record;
BEGIN
  SELECT transaction_id, currency, sum(amount) AS total INTO bad
    FROM inserted GROUP BY transaction_id, currency HAVING sum(amount) <> 0 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'postings of transaction % sum to % %', bad.transaction_id, bad.total, bad.currency
      USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_postings_sum_to_zero', TABLE = 'ledger_postings';
  END IF;
  WITH posted AS MATERIALIZED (
    SELECT p.account, p.currency, p.amount, p.occurred_at, i.type, i.month,
           p.account LIKE 'account:%' AND p.currency = 'EUR' AS is_owed,
           p.account LIKE 'payout:%' AND p.currency = 'EUR' AS is_reserved
      FROM inserted p
      JOIN ledger_transactions t ON t.id = p.transaction_id
      LEFT JOIN imports i ON i.id = t.import_id
  ),
  incomes AS (
    INSERT INTO income_months AS known (type, month, credited_eur)
    SELECT type, month, sum(amount) FROM posted WHERE is_owed AND type IS NOT NULL GROUP BY type, month ORDER BY type, month
    ON CONFLICT (type, month) DO UPDATE SET credited_eur = known.credited_eur + excluded.credited_eur
  ),
  flows AS (
    INSERT INTO ledger_months AS known (month, owed_eur, paid_eur)
    SELECT month_in_paris(occurred_at), coalesce(sum(amount) FILTER (WHERE is_owed OR is_reserved), 0),
           coalesce(sum(amount) FILTER (WHERE account = 'paid' AND currency = 'EUR'), 0)
      FROM posted GROUP BY 1
    HAVING coalesce(sum(amount) FILTER (WHERE is_owed OR is_reserved), 0) <> 0
        OR coalesce(sum(amount) FILTER (WHERE account = 'paid' AND currency = 'EUR'), 0) <> 0
     ORDER BY 1
    ON CONFLICT (month) DO UPDATE
      SET owed_eur = known.owed_eur + excluded.owed_eur, paid_eur = known.paid_eur + excluded.paid_eur
  )
  INSERT INTO ledger_balances AS balance (account, currency, amount, platform_income, youtube_income)
    SELECT account, currency, sum(amount),
           coalesce(sum(amount) FILTER (WHERE is_owed AND type = 'platform'), 0),
           coalesce(sum(amount) FILTER (WHERE is_owed AND type = 'youtube'), 0)
      FROM posted GROUP BY account, currency ORDER BY account, currency
    ON CONFLICT (account, currency) DO UPDATE
      SET amount = balance.amount + excluded.amount,
          platform_income = balance.platform_income + excluded.platform_income,
          youtube_income = balance.youtube_income + excluded.youtube_income;
  -- Not a CHECK: it would see the row an upsert proposes, before it is added to the existing one.
  SELECT p.account INTO bad FROM inserted p
   WHERE p.account LIKE 'payout:%'
     AND (SELECT b.amount FROM ledger_balances b WHERE b.account = p.account AND b.currency = p.currency) < 0 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION '% would give out more than it reserved', bad.account
      USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_balances_payout_covered', TABLE = 'ledger_balances';
  END IF;
  RETURN NULL;
END $$;

-- For the demo; sums move to other months.
CREATE OR REPLACE FUNCTION backdate_transactions(ids bigint[], times timestamptz[]) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  WITH wanted AS MATERIALIZED (SELECT * FROM unnest(ids, times) AS w (id, at)),
  moved AS MATERIALIZED (
    SELECT month_in_paris(v.at) AS month, p.account, v.sign * p.amount AS amount
      FROM wanted w JOIN ledger_postings p ON p.transaction_id = w.id AND p.currency = 'EUR'
     CROSS JOIN LATERAL (VALUES (w.at, 1), (p.occurred_at, -1)) AS v (at, sign)
  )
  INSERT INTO ledger_months AS known (month, owed_eur, paid_eur)
    SELECT month, coalesce(sum(amount) FILTER (WHERE account LIKE 'account:%' OR account LIKE 'payout:%'), 0),
           coalesce(sum(amount) FILTER (WHERE account = 'paid'), 0)
      FROM moved GROUP BY month ORDER BY month
    ON CONFLICT (month) DO UPDATE
      SET owed_eur = known.owed_eur + excluded.owed_eur, paid_eur = known.paid_eur + excluded.paid_eur;
  UPDATE ledger_transactions t SET occurred_at = w.at FROM unnest(ids, times) AS w (id, at) WHERE t.id = w.id;
  UPDATE ledger_postings p SET occurred_at = w.at FROM unnest(ids, times) AS w (id, at) WHERE p.transaction_id = w.id;
END $$;
REVOKE EXECUTE ON FUNCTION backdate_transactions FROM PUBLIC;

-- By name, as every posting does. The application cannot: locking needs the right to update.
CREATE OR REPLACE FUNCTION lock_balances(account_ids bigint[]) RETURNS TABLE (account_id bigint, amount numeric)
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT b.account_id, b.amount FROM ledger_balances b
   WHERE b.account_id = ANY (account_ids) AND b.currency = 'EUR'
   ORDER BY b.account, b.currency FOR UPDATE
$$;
