-- The list of accounts by role and state, and the statement of an account in the order of time.

CREATE INDEX accounts_label_idx ON accounts (last_name, id) WHERE role = 'label';
CREATE INDEX accounts_stopped_idx ON accounts (last_name, id) WHERE state <> 'enabled';

-- A posting carries the instant of its transaction, so that one index holds a statement as it is read: by account, then
-- by time, with the amount. Both columns default to the same now().
ALTER TABLE ledger_postings ADD COLUMN occurred_at timestamptz NOT NULL DEFAULT now();
UPDATE ledger_postings p SET occurred_at = t.occurred_at FROM ledger_transactions t WHERE t.id = p.transaction_id;
CREATE INDEX ledger_postings_statement_idx ON ledger_postings (account, occurred_at, transaction_id) INCLUDE (currency, amount);
DROP INDEX ledger_postings_account_idx;
COMMENT ON COLUMN ledger_postings.occurred_at IS 'the transaction''s own, kept alike by a trigger';

-- The application cannot update transactions; the owner's demo dates them afterwards.
CREATE FUNCTION ledger_postings_follow() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE ledger_postings p SET occurred_at = t.occurred_at
    FROM changed t WHERE p.transaction_id = t.id AND p.occurred_at <> t.occurred_at;
  RETURN NULL;
END $$;
CREATE TRIGGER ledger_transactions_dated AFTER UPDATE ON ledger_transactions
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ledger_postings_follow();

-- A referrer's earnings are read by referral, a new referral looks for its referrer's own.
CREATE INDEX referrals_referrer_idx ON referrals (referrer_id) WHERE deleted_at IS NULL;

-- A movement is explained by its reports, those taken back since among them.
CREATE INDEX reports_reversed_idx ON reports (import_id, account_id) WHERE reversed_at IS NOT NULL;
