-- Payouts: what leaves the house, who moved it, who approved it (decisions §3).

-- What the request settled never changes, and no payout goes away.
REVOKE UPDATE, DELETE ON payouts, payout_batches FROM regie_app;
GRANT UPDATE (state, batch_id, beneficiary, approved_by, approved_at, exported_at, downloaded_at, paid_at, paid_by,
              cancelled_at, cancelled_by, cancel_reason, deleted_at) ON payouts TO regie_app;

ALTER TABLE payout_batches
  ADD COLUMN debtor jsonb,
  ADD COLUMN payouts_count integer NOT NULL DEFAULT 0 CHECK (payouts_count >= 0),
  ADD COLUMN total_eur numeric(16, 2) NOT NULL DEFAULT 0 CHECK (total_eur >= 0),
  ADD COLUMN voided_at timestamptz,
  ADD COLUMN voided_by bigint REFERENCES admins (id),
  ADD CHECK (message_id ~ '^[A-Z0-9-]{1,20}$'),
  ADD CHECK ((state IN ('exported', 'paid')) = (exported_at IS NOT NULL)),
  ADD CHECK ((state IN ('exported', 'paid')) = (debtor IS NOT NULL)),
  ADD CHECK ((state = 'paid') = (paid_at IS NOT NULL)),
  ADD CHECK ((state = 'void') = (voided_at IS NOT NULL)),
  ADD CHECK (state <> 'approved' OR approved_by IS NOT NULL);
GRANT UPDATE (state, approved_at, approved_by, exported_at, exported_by, paid_at, paid_by, debtor, payouts_count,
              total_eur, voided_at, voided_by) ON payout_batches TO regie_app;
COMMENT ON COLUMN payout_batches.debtor IS 'the house as its files name it, frozen when they were exported';
COMMENT ON COLUMN payout_batches.total_eur IS 'sum of the payouts'' amounts, fees included';

ALTER TABLE payouts
  ADD CHECK (exported_at IS NULL OR (beneficiary IS NOT NULL AND batch_id IS NOT NULL)),
  ADD CHECK (deleted_at IS NULL OR exported_at IS NULL),
  ADD CHECK ((approved_by IS NULL) = (approved_at IS NULL));
CREATE INDEX payouts_state_amount_idx ON payouts (state, amount_eur, id) WHERE deleted_at IS NULL;
CREATE INDEX payouts_billing_idx ON payouts (billing_account_id) WHERE state = 'pending' AND deleted_at IS NULL;

-- Every time an admin sent money on its way: what the sum of their last 24 hours is made of.
CREATE TABLE payout_moves (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  admin_id bigint NOT NULL REFERENCES admins (id),
  payout_id bigint NOT NULL REFERENCES payouts (id),
  kind text NOT NULL CHECK (kind IN ('paid', 'exported')),
  amount_eur numeric(14, 2) NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX payout_moves_admin_idx ON payout_moves (admin_id, at);
CREATE INDEX payout_moves_payout_idx ON payout_moves (payout_id);
REVOKE UPDATE, DELETE ON payout_moves FROM regie_app;

-- Which payout a ledger transaction is about.
ALTER TABLE ledger_transactions ADD COLUMN payout_id bigint REFERENCES payouts (id);
UPDATE ledger_transactions t
   SET payout_id = substr(p.account, 8)::bigint
  FROM ledger_postings p WHERE p.transaction_id = t.id AND p.account LIKE 'payout:%';
CREATE INDEX ledger_transactions_payout_idx ON ledger_transactions (payout_id) WHERE payout_id IS NOT NULL;
ALTER TABLE ledger_transactions ADD CHECK (kind <> 'payout' OR payout_id IS NOT NULL);

-- The accounts that have something to be paid, by what they are owed.
CREATE INDEX ledger_balances_owed_idx ON ledger_balances (amount, account_id)
  WHERE account_id IS NOT NULL AND currency = 'EUR' AND amount >= 0.1;

-- Locks balances in the order of their names, as every posting does, and gives them. The application may not lock what
-- it may not update.
CREATE FUNCTION lock_balances(account_ids bigint[]) RETURNS TABLE (account_id bigint, amount numeric)
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT b.account_id, b.amount FROM ledger_balances b
   WHERE b.account_id = ANY (account_ids) AND b.currency = 'EUR'
   ORDER BY b.account, b.currency FOR UPDATE
$$;

-- Whoever changes a beneficiary voids the approvals given to the payouts that go there, and to their batches.
CREATE FUNCTION billing_accounts_void_approvals() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM 1 FROM payouts
    WHERE billing_account_id = NEW.id AND state = 'pending' AND deleted_at IS NULL ORDER BY id FOR UPDATE;
  UPDATE payouts SET approved_by = NULL, approved_at = NULL
   WHERE billing_account_id = NEW.id AND state = 'pending' AND deleted_at IS NULL AND approved_by IS NOT NULL;
  UPDATE payout_batches SET state = 'draft', approved_by = NULL, approved_at = NULL
   WHERE state = 'approved'
     AND id IN (SELECT batch_id FROM payouts WHERE billing_account_id = NEW.id AND state = 'pending' AND deleted_at IS NULL);
  RETURN NULL;
END $$;
CREATE TRIGGER billing_accounts_void_approvals AFTER UPDATE ON billing_accounts
  FOR EACH ROW WHEN (
    (OLD.type, OLD.email, OLD.owner, OLD.holder_address, OLD.holder_address2, OLD.holder_city, OLD.holder_country,
     OLD.holder_postcode, OLD.bank_name, OLD.bank_country, OLD.bank_address, OLD.bank_address2, OLD.bank_city,
     OLD.bank_zip_code, OLD.iban, OLD.swift, OLD.deleted_at)
    IS DISTINCT FROM
    (NEW.type, NEW.email, NEW.owner, NEW.holder_address, NEW.holder_address2, NEW.holder_city, NEW.holder_country,
     NEW.holder_postcode, NEW.bank_name, NEW.bank_country, NEW.bank_address, NEW.bank_address2, NEW.bank_city,
     NEW.bank_zip_code, NEW.iban, NEW.swift, NEW.deleted_at))
  EXECUTE FUNCTION billing_accounts_void_approvals();

-- Settings whose change waits for a second admin.
CREATE TABLE setting_proposals (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text NOT NULL,
  value jsonb NOT NULL,
  proposed_by bigint NOT NULL REFERENCES admins (id),
  proposed_at timestamptz NOT NULL DEFAULT now(),
  decided_by bigint REFERENCES admins (id),
  decided_at timestamptz,
  is_approved boolean,
  CHECK ((decided_at IS NULL) = (is_approved IS NULL)),
  CHECK (is_approved IS NOT TRUE OR decided_by <> proposed_by)
);
CREATE UNIQUE INDEX setting_proposals_open_key ON setting_proposals (key) WHERE decided_at IS NULL;
REVOKE UPDATE, DELETE ON setting_proposals FROM regie_app;
GRANT UPDATE (decided_by, decided_at, is_approved) ON setting_proposals TO regie_app;
