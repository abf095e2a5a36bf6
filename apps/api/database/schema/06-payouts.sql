-- Payouts and their batches (product §33.19).

CREATE TABLE payout_batches (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  state text NOT NULL DEFAULT 'draft' CHECK (state IN ('draft', 'exported', 'paid', 'void')),
  message_id text COLLATE "C" NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint NOT NULL REFERENCES admins (id),
  exported_at timestamptz,
  exported_by bigint REFERENCES admins (id),
  paid_at timestamptz,
  paid_by bigint REFERENCES admins (id),
  debtor jsonb,
  payouts_count integer NOT NULL DEFAULT 0 CHECK (payouts_count >= 0),
  total_eur numeric(16, 2) NOT NULL DEFAULT 0 CHECK (total_eur >= 0),
  voided_at timestamptz,
  voided_by bigint REFERENCES admins (id),
  CHECK (message_id ~ '^[A-Z0-9-]{1,20}$'),
  CHECK ((state IN ('exported', 'paid')) = (exported_at IS NOT NULL)),
  CHECK ((state IN ('exported', 'paid')) = (debtor IS NOT NULL)),
  CHECK ((state = 'paid') = (paid_at IS NOT NULL)),
  CHECK ((state = 'void') = (voided_at IS NOT NULL))
);
REVOKE UPDATE, DELETE ON payout_batches FROM regie_app;
GRANT UPDATE (state, exported_at, exported_by, paid_at, paid_by, debtor, payouts_count, total_eur, voided_at, voided_by) ON payout_batches TO regie_app;
COMMENT ON COLUMN payout_batches.debtor IS 'the house as its files name it, frozen when they were exported';
COMMENT ON COLUMN payout_batches.total_eur IS 'sum of the payouts'' amounts, fees included';

CREATE TABLE payouts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts (id),
  billing_account_id bigint NOT NULL,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'paid', 'cancelled')),
  amount_eur numeric(14, 2) NOT NULL CHECK (amount_eur >= 0.1),
  fee_eur numeric(14, 2) NOT NULL CHECK (fee_eur >= 0),
  batch_id bigint REFERENCES payout_batches (id),
  beneficiary jsonb,
  exported_at timestamptz,
  downloaded_at timestamptz,
  paid_at timestamptz,
  paid_by bigint REFERENCES admins (id),
  cancelled_at timestamptz,
  cancelled_by bigint REFERENCES admins (id),
  cancel_reason text CHECK (length(cancel_reason) <= 1000),
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint REFERENCES admins (id),
  deleted_at timestamptz,
  returned_at timestamptz,
  FOREIGN KEY (billing_account_id, account_id) REFERENCES billing_accounts (id, account_id),
  CHECK ((state = 'paid') = (paid_at IS NOT NULL)),
  CHECK ((state = 'cancelled') = (cancelled_at IS NOT NULL)),
  CHECK (state <> 'paid' OR amount_eur - fee_eur >= 0.01),
  CHECK (exported_at IS NULL OR (beneficiary IS NOT NULL AND batch_id IS NOT NULL)),
  CHECK (deleted_at IS NULL OR exported_at IS NULL),
  CHECK (returned_at IS NULL OR state = 'cancelled')
);
CREATE INDEX payouts_state_idx ON payouts (state, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX payouts_account_idx ON payouts (account_id, id);
CREATE INDEX payouts_batch_idx ON payouts (batch_id) WHERE batch_id IS NOT NULL;
CREATE INDEX payouts_state_amount_idx ON payouts (state, amount_eur, id) WHERE deleted_at IS NULL;
CREATE INDEX payouts_billing_idx ON payouts (billing_account_id) WHERE state = 'pending' AND deleted_at IS NULL;
-- For searching payouts by amount.
CREATE INDEX payouts_amount_idx ON payouts (amount_eur) WHERE deleted_at IS NULL;
-- Account, beneficiary and amounts never change, and payouts are never deleted.
REVOKE UPDATE, DELETE ON payouts FROM regie_app;
GRANT UPDATE (state, batch_id, beneficiary, exported_at, downloaded_at, paid_at, paid_by, cancelled_at, cancelled_by,
              cancel_reason, deleted_at, returned_at) ON payouts TO regie_app;
COMMENT ON COLUMN payouts.beneficiary IS 'the bank or PayPal details as they were exported';
COMMENT ON COLUMN payouts.fee_eur IS 'frozen at the request; what is transferred is amount minus fee';
COMMENT ON COLUMN payouts.returned_at IS 'when a paid one became cancelled: the bank gave the money back';
