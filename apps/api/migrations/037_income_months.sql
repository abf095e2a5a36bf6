-- The accounting pages add up the whole ledger. Its sums are kept beside the balances, by the trigger that moves those:
-- what reports of each type have credited to an account, what they credited month by month, and what was owed and paid.

ALTER TABLE ledger_balances
  ADD COLUMN platform_income numeric(20, 6) NOT NULL DEFAULT 0,
  ADD COLUMN youtube_income numeric(20, 6) NOT NULL DEFAULT 0;
COMMENT ON COLUMN ledger_balances.platform_income IS 'what platform reports have posted to it, reversals deducted; accounts only';

CREATE TABLE income_months (
  type text NOT NULL CHECK (type IN ('platform', 'youtube')),
  month date NOT NULL,
  credited_eur numeric(24, 6) NOT NULL,
  PRIMARY KEY (type, month)
);
COMMENT ON TABLE income_months IS 'what reports of a month have posted to accounts, referrers among them; written only by the trigger below';

CREATE TABLE ledger_months (
  month date PRIMARY KEY,
  owed_eur numeric(24, 6) NOT NULL,
  paid_eur numeric(24, 6) NOT NULL
);
COMMENT ON TABLE ledger_months IS 'by the month of Paris in which it was posted: the change of what is owed (accounts and reserved payouts), and what left the house';
REVOKE INSERT, UPDATE, DELETE ON income_months, ledger_months FROM regie_app;

CREATE FUNCTION month_in_paris(at timestamptz) RETURNS date LANGUAGE sql STABLE STRICT PARALLEL SAFE
  RETURN date_trunc('month', at AT TIME ZONE 'Europe/Paris')::date;

-- Balances first, in the order of the account's name, then the months: whoever moves a month's sum holds `store`,
-- `platform`, `paid` or `adjustment` already, and a payout that is only requested moves none.
CREATE OR REPLACE FUNCTION ledger_postings_inserted() RETURNS trigger
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

-- The owner's demo dates its postings afterwards: their sums change months.
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
CREATE TRIGGER ledger_postings_moved AFTER UPDATE ON ledger_postings
  REFERENCING OLD TABLE AS before_it NEW TABLE AS after_it FOR EACH STATEMENT EXECUTE FUNCTION ledger_postings_moved();

WITH incomes AS (
  SELECT p.account, coalesce(sum(p.amount) FILTER (WHERE i.type = 'platform'), 0) AS platform,
         coalesce(sum(p.amount) FILTER (WHERE i.type = 'youtube'), 0) AS youtube
    FROM ledger_postings p JOIN ledger_transactions t ON t.id = p.transaction_id JOIN imports i ON i.id = t.import_id
   WHERE p.account LIKE 'account:%' AND p.currency = 'EUR' GROUP BY p.account
)
UPDATE ledger_balances b SET platform_income = i.platform, youtube_income = i.youtube
  FROM incomes i WHERE i.account = b.account AND b.currency = 'EUR';
INSERT INTO income_months (type, month, credited_eur)
  SELECT i.type, i.month, sum(p.amount)
    FROM ledger_postings p JOIN ledger_transactions t ON t.id = p.transaction_id JOIN imports i ON i.id = t.import_id
   WHERE p.account LIKE 'account:%' AND p.currency = 'EUR' GROUP BY 1, 2;
INSERT INTO ledger_months (month, owed_eur, paid_eur)
  SELECT month_in_paris(occurred_at),
         coalesce(sum(amount) FILTER (WHERE account LIKE 'account:%' OR account LIKE 'payout:%'), 0),
         coalesce(sum(amount) FILTER (WHERE account = 'paid'), 0)
    FROM ledger_postings WHERE currency = 'EUR' GROUP BY 1;
