-- Double entry, append-only: the only source of balances (decisions §3).
-- Sign: what is owed to the named account is positive. EUR unless said otherwise.

CREATE TABLE exchange_rates (
  month date NOT NULL CHECK (is_first_of_month(month)),
  currency text COLLATE "C" NOT NULL CHECK (currency ~ '^[A-Z]{3}$' AND currency <> 'EUR'),
  rate numeric(20, 10) NOT NULL CHECK (rate > 0),
  updated_at timestamptz NOT NULL DEFAULT now(),
  updated_by bigint REFERENCES admins (id),
  PRIMARY KEY (currency, month)
);
COMMENT ON COLUMN exchange_rates.rate IS 'units of the currency per euro; holds until a later month has its own';

-- Yearly averages of the European Central Bank, US dollars per euro.
INSERT INTO exchange_rates (month, currency, rate) VALUES
  ('2020-01-01', 'USD', 1.1422),
  ('2021-01-01', 'USD', 1.1827),
  ('2022-01-01', 'USD', 1.0530),
  ('2023-01-01', 'USD', 1.0813),
  ('2024-01-01', 'USD', 1.0824),
  ('2025-01-01', 'USD', 1.1300);

-- A share of an income in EUR. The quotient is taken to 24 decimals before it is rounded to 6, so that it is the
-- exact quotient that is rounded and never one already rounded at the sixteenth digit.
CREATE FUNCTION share_eur(usd numeric, percent numeric, rate numeric) RETURNS numeric
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN round((usd * percent)::numeric(60, 24) / (100 * rate), 6);

CREATE TABLE imports (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('csv', 'single', 'automatic')),
  type text NOT NULL CHECK (type IN ('platform', 'youtube')),
  month date NOT NULL CHECK (is_first_of_month(month) AND month >= '2020-01-01'),
  to_date date NOT NULL,
  file_key text COLLATE "C" CHECK (length(file_key) <= 100),
  file_name text CHECK (length(file_name) <= 255),
  rate numeric(20, 10) NOT NULL CHECK (rate > 0),
  terms_version bigint NOT NULL,
  batches integer NOT NULL DEFAULT 0,
  batches_expected integer,
  rows bigint NOT NULL DEFAULT 0,
  saved bigint NOT NULL DEFAULT 0,
  unsaved bigint NOT NULL DEFAULT 0,
  reports bigint NOT NULL DEFAULT 0,
  gross_usd numeric(28, 10) NOT NULL DEFAULT 0,
  gross_eur numeric(24, 6) NOT NULL DEFAULT 0,
  accounts_eur numeric(24, 6) NOT NULL DEFAULT 0,
  referrals_eur numeric(24, 6) NOT NULL DEFAULT 0,
  platform_eur numeric(24, 6) NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint REFERENCES admins (id),
  reversed_at timestamptz,
  reversed_by bigint REFERENCES admins (id),
  CHECK (to_date > month),
  CHECK (rows = saved + unsaved),
  CHECK (gross_eur = accounts_eur + referrals_eur + platform_eur)
);
-- The same file for the same month is the same import, whoever sends it, until it is reversed.
CREATE UNIQUE INDEX imports_file_key ON imports (month, file_key) WHERE reversed_at IS NULL;
CREATE INDEX imports_month_idx ON imports (month, type) WHERE reversed_at IS NULL;
REVOKE DELETE ON imports FROM regie_app;
COMMENT ON COLUMN imports.to_date IS 'last day covered, exclusive: the first day after';
COMMENT ON COLUMN imports.rate IS 'US dollars per euro, frozen at the first batch';
COMMENT ON COLUMN imports.terms_version IS 'percentages and referrals are seen as they stood at this number';
COMMENT ON COLUMN imports.gross_usd IS 'what was posted; single deletions later do not change it';

CREATE TABLE import_batches (
  import_id bigint NOT NULL REFERENCES imports (id),
  batch integer NOT NULL CHECK (batch >= 0),
  body_hash bytea NOT NULL,
  first_row bigint NOT NULL,
  rows integer NOT NULL,
  saved integer NOT NULL,
  gross_usd numeric(28, 10) NOT NULL,
  accounts_eur numeric(24, 6) NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (import_id, batch)
);
REVOKE UPDATE, DELETE ON import_batches FROM regie_app;

CREATE TABLE import_unsaved_rows (
  import_id bigint NOT NULL,
  batch integer NOT NULL,
  row bigint NOT NULL CHECK (row >= 1),
  isrc text NOT NULL CHECK (length(isrc) <= 100),
  reason text NOT NULL,
  PRIMARY KEY (import_id, batch, row),
  FOREIGN KEY (import_id, batch) REFERENCES import_batches (import_id, batch)
);
REVOKE UPDATE, DELETE ON import_unsaved_rows FROM regie_app;

CREATE TABLE ledger_transactions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('report', 'adjustment', 'payout', 'reversal')),
  occurred_at timestamptz NOT NULL DEFAULT now(),
  import_id bigint REFERENCES imports (id),
  import_batch integer,
  account_id bigint REFERENCES accounts (id),
  reverses bigint REFERENCES ledger_transactions (id),
  admin_id bigint REFERENCES admins (id),
  memo text NOT NULL DEFAULT '' CHECK (length(memo) <= 1000),
  CHECK ((kind = 'reversal') = (reverses IS NOT NULL)),
  CHECK (kind <> 'report' OR (import_id IS NOT NULL AND account_id IS NOT NULL))
);
CREATE INDEX ledger_transactions_import_idx ON ledger_transactions (import_id, account_id) WHERE import_id IS NOT NULL;
CREATE INDEX ledger_transactions_reverses_idx ON ledger_transactions (reverses) WHERE reverses IS NOT NULL;
COMMENT ON COLUMN ledger_transactions.account_id IS 'whose income, adjustment or payout it is; referrers have postings in it';

CREATE TABLE ledger_postings (
  transaction_id bigint NOT NULL REFERENCES ledger_transactions (id),
  account text COLLATE "C" NOT NULL
    CHECK (account IN ('store', 'paid', 'platform', 'adjustment') OR account ~ '^(account|payout):[1-9][0-9]*$'),
  currency text COLLATE "C" NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  amount numeric(20, 6) NOT NULL CHECK (amount <> 0),
  PRIMARY KEY (transaction_id, account, currency)
);
CREATE INDEX ledger_postings_account_idx ON ledger_postings (account, transaction_id);

CREATE TABLE ledger_balances (
  account text COLLATE "C" NOT NULL,
  currency text COLLATE "C" NOT NULL,
  amount numeric(20, 6) NOT NULL,
  account_id bigint GENERATED ALWAYS AS (
    CASE WHEN account LIKE 'account:%' THEN substr(account, 9)::bigint END
  ) STORED REFERENCES accounts (id),
  PRIMARY KEY (account, currency)
) WITH (fillfactor = 70);
CREATE INDEX ledger_balances_account_id_idx ON ledger_balances (account_id) WHERE account_id IS NOT NULL;
COMMENT ON TABLE ledger_balances IS 'always the sum of the postings; written only by the trigger below';

-- One statement inserts whole transactions: each must balance by itself, and the balances follow at once.
-- Locks are taken in the order of the account's name, so that two imports cannot wait for each other.
CREATE FUNCTION ledger_postings_inserted() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  bad record;
BEGIN
  SELECT transaction_id, currency, sum(amount) AS total INTO bad
    FROM inserted GROUP BY transaction_id, currency HAVING sum(amount) <> 0 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'postings of transaction % sum to % %', bad.transaction_id, bad.total, bad.currency
      USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_postings_sum_to_zero', TABLE = 'ledger_postings';
  END IF;
  INSERT INTO ledger_balances AS balance (account, currency, amount)
    SELECT account, currency, sum(amount) FROM inserted GROUP BY account, currency ORDER BY account, currency
    ON CONFLICT (account, currency) DO UPDATE SET amount = balance.amount + excluded.amount;
  RETURN NULL;
END $$;
CREATE TRIGGER ledger_postings_inserted AFTER INSERT ON ledger_postings
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION ledger_postings_inserted();

REVOKE UPDATE, DELETE ON ledger_transactions, ledger_postings FROM regie_app;
REVOKE INSERT, UPDATE, DELETE ON ledger_balances FROM regie_app;

CREATE TABLE reports (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  type text NOT NULL CHECK (type IN ('platform', 'youtube')),
  month date NOT NULL CHECK (is_first_of_month(month) AND month >= '2020-01-01'),
  import_id bigint NOT NULL REFERENCES imports (id),
  track_id bigint REFERENCES tracks (id),
  account_id bigint NOT NULL REFERENCES accounts (id),
  num_streams bigint NOT NULL DEFAULT 0,
  income_streams_usd numeric(24, 10) NOT NULL DEFAULT 0,
  num_downloads bigint NOT NULL DEFAULT 0,
  income_downloads_usd numeric(24, 10) NOT NULL DEFAULT 0,
  num_youtube bigint NOT NULL DEFAULT 0,
  income_youtube_usd numeric(24, 10) NOT NULL DEFAULT 0,
  gross_usd numeric(24, 10) GENERATED ALWAYS AS (income_streams_usd + income_downloads_usd + income_youtube_usd) STORED,
  percentile numeric(5, 2) NOT NULL,
  gross_eur numeric(20, 6) NOT NULL,
  account_eur numeric(20, 6) NOT NULL,
  referrals_eur numeric(20, 6) NOT NULL,
  platform_eur numeric(20, 6) NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  reversed_at timestamptz,
  CHECK (type = 'youtube' OR track_id IS NOT NULL),
  CHECK (gross_eur = account_eur + referrals_eur + platform_eur)
);
CREATE UNIQUE INDEX reports_import_track_key ON reports (import_id, track_id) WHERE reversed_at IS NULL;
CREATE INDEX reports_type_month_idx ON reports (type, month, id) WHERE reversed_at IS NULL;
CREATE INDEX reports_month_idx ON reports (month, id) WHERE reversed_at IS NULL;
CREATE INDEX reports_account_idx ON reports (account_id, month, id) WHERE reversed_at IS NULL;
CREATE INDEX reports_track_idx ON reports (track_id, month, id) WHERE reversed_at IS NULL;
REVOKE DELETE ON reports FROM regie_app;
COMMENT ON COLUMN reports.percentile IS 'of the account, as the import saw it';
COMMENT ON COLUMN reports.account_eur IS 'rounded once per report; postings are sums of these, so a reversal is exact';

CREATE TABLE report_referral_shares (
  report_id bigint NOT NULL REFERENCES reports (id),
  referral_id bigint NOT NULL REFERENCES referrals (id),
  referrer_id bigint NOT NULL REFERENCES accounts (id),
  percentile numeric(5, 2) NOT NULL,
  amount_eur numeric(20, 6) NOT NULL,
  PRIMARY KEY (report_id, referral_id)
);
CREATE INDEX report_referral_shares_referral_idx ON report_referral_shares (referral_id);
REVOKE DELETE ON report_referral_shares FROM regie_app;
