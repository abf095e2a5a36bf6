-- One statement inserts whole transactions: each must balance by itself, and the balances follow at once. Balances are
-- locked in the order of their names, so that two imports cannot deadlock; then the months. Whoever changes a month's sum
-- already holds `store`, `platform`, `paid` or `adjustment`, and a payout that is only requested changes none.
CREATE FUNCTION ledger_postings_inserted() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  -- A few thousand transactions out of millions are looked up by their key, never read through.
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
  RETURN NULL;
END $$;

CREATE FUNCTION ledger_postings_follow() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE ledger_postings p SET occurred_at = t.occurred_at
    FROM changed t WHERE p.transaction_id = t.id AND p.occurred_at <> t.occurred_at;
  RETURN NULL;
END $$;

-- Handles postings that the owner's demo backdates: their sums change months.
CREATE FUNCTION ledger_postings_moved() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO ledger_months AS known (month, owed_eur, paid_eur)
    SELECT month_in_paris(occurred_at),
           coalesce(sum(amount) FILTER (WHERE account LIKE 'account:%' OR account LIKE 'payout:%'), 0),
           coalesce(sum(amount) FILTER (WHERE account = 'paid'), 0)
      FROM (SELECT occurred_at, account, amount FROM after_it WHERE currency = 'EUR'
            UNION ALL SELECT occurred_at, account, -amount FROM before_it WHERE currency = 'EUR') moved
     GROUP BY 1 ORDER BY 1
    ON CONFLICT (month) DO UPDATE
      SET owed_eur = known.owed_eur + excluded.owed_eur, paid_eur = known.paid_eur + excluded.paid_eur;
  RETURN NULL;
END $$;

CREATE FUNCTION ledger_balances_refuse_overdraft() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% would give out more than it reserved', NEW.account
    USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_balances_payout_covered', TABLE = 'ledger_balances';
END $$;

-- Locks balances in the order of their names, as every posting does, and returns them. The application cannot: locking needs
-- the right to update.
CREATE FUNCTION lock_balances(account_ids bigint[]) RETURNS TABLE (account_id bigint, amount numeric)
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT b.account_id, b.amount FROM ledger_balances b
   WHERE b.account_id = ANY (account_ids) AND b.currency = 'EUR'
   ORDER BY b.account, b.currency FOR UPDATE
$$;
