-- Double entry, append-only: the only source of balances (product §33.5). Positive: owed to the account. EUR unless
-- stated.

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
  payout_id bigint REFERENCES payouts (id),
  CHECK ((kind = 'reversal') = (reverses IS NOT NULL)),
  CHECK (kind <> 'report' OR (import_id IS NOT NULL AND account_id IS NOT NULL)),
  CHECK (kind <> 'payout' OR payout_id IS NOT NULL)
);
CREATE INDEX ledger_transactions_import_idx ON ledger_transactions (import_id, account_id) WHERE import_id IS NOT NULL;
CREATE INDEX ledger_transactions_reverses_idx ON ledger_transactions (reverses) WHERE reverses IS NOT NULL;
CREATE INDEX ledger_transactions_payout_idx ON ledger_transactions (payout_id) WHERE payout_id IS NOT NULL;
-- A payout's transaction can be reversed once.
CREATE UNIQUE INDEX ledger_transactions_payout_reversal_key ON ledger_transactions (reverses)
  WHERE reverses IS NOT NULL AND payout_id IS NOT NULL;
REVOKE UPDATE, DELETE ON ledger_transactions FROM regie_app;
COMMENT ON COLUMN ledger_transactions.account_id IS 'whose income, adjustment or payout it is; referrers have postings in it';

-- With its transaction's time, one index holds a statement in order. Both default to the same now().
CREATE TABLE ledger_postings (
  transaction_id bigint NOT NULL REFERENCES ledger_transactions (id),
  account text COLLATE "C" NOT NULL
    CHECK (account IN ('store', 'paid', 'platform', 'adjustment') OR account ~ '^(account|payout):[1-9][0-9]*$'),
  currency text COLLATE "C" NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  amount numeric(20, 6) NOT NULL CHECK (amount <> 0),
  occurred_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (transaction_id, account, currency)
);
CREATE INDEX ledger_postings_statement_idx ON ledger_postings (account, occurred_at, transaction_id) INCLUDE (currency, amount);
REVOKE UPDATE, DELETE ON ledger_postings FROM regie_app;
COMMENT ON COLUMN ledger_postings.occurred_at IS 'the transaction''s own';
CREATE TRIGGER ledger_postings_inserted AFTER INSERT ON ledger_postings
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION ledger_postings_inserted();

-- Sums over the whole ledger for the accounting pages, kept by ledger_postings_inserted(): balances with each type's
-- income, and months.
CREATE TABLE ledger_balances (
  account text COLLATE "C" NOT NULL,
  currency text COLLATE "C" NOT NULL,
  amount numeric(20, 6) NOT NULL,
  account_id bigint GENERATED ALWAYS AS (
    CASE WHEN account LIKE 'account:%' THEN substr(account, 9)::bigint END
  ) STORED REFERENCES accounts (id),
  platform_income numeric(20, 6) NOT NULL DEFAULT 0,
  youtube_income numeric(20, 6) NOT NULL DEFAULT 0,
  PRIMARY KEY (account, currency)
) WITH (fillfactor = 70);
CREATE INDEX ledger_balances_account_id_idx ON ledger_balances (account_id) WHERE account_id IS NOT NULL;
-- Payable balances by amount.
CREATE INDEX ledger_balances_owed_idx ON ledger_balances (amount, account_id)
  WHERE account_id IS NOT NULL AND currency = 'EUR' AND amount >= 0.1;
REVOKE INSERT, UPDATE, DELETE ON ledger_balances FROM regie_app;
COMMENT ON TABLE ledger_balances IS 'always the sum of the postings; written only by the trigger below';
COMMENT ON COLUMN ledger_balances.platform_income IS 'what platform reports have posted to it, reversals deducted; accounts only';

CREATE TABLE income_months (
  type text NOT NULL CHECK (type IN ('platform', 'youtube')),
  month date NOT NULL,
  credited_eur numeric(24, 6) NOT NULL,
  PRIMARY KEY (type, month)
);
REVOKE INSERT, UPDATE, DELETE ON income_months FROM regie_app;
COMMENT ON TABLE income_months IS 'what reports of a month have posted to accounts, referrers among them; written only by the trigger below';

CREATE TABLE ledger_months (
  month date PRIMARY KEY,
  owed_eur numeric(24, 6) NOT NULL,
  paid_eur numeric(24, 6) NOT NULL
);
REVOKE INSERT, UPDATE, DELETE ON ledger_months FROM regie_app;
COMMENT ON TABLE ledger_months IS 'by the month of Paris in which it was posted: the change of what is owed (accounts and reserved payouts), and what left the house';
