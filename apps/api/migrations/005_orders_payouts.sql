-- What customers order and pay, and what they are paid.

CREATE TABLE promo_codes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name citext NOT NULL CHECK (length(name) BETWEEN 2 AND 100),
  description text CHECK (length(description) <= 1000),
  type text NOT NULL DEFAULT 'percent' CHECK (type = 'percent'),
  percent numeric(5, 2) NOT NULL CHECK (percent BETWEEN 0 AND 100),
  due_date date NOT NULL,
  created_by bigint REFERENCES admins (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz
);
CREATE UNIQUE INDEX promo_codes_name_key ON promo_codes (name) WHERE deleted_at IS NULL;

CREATE TABLE orders (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts (id),
  release_id bigint REFERENCES releases (id),
  plan text NOT NULL CHECK (plan IN ('single', 'ep', 'album', 'label')),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'paid', 'cancelled')),
  currency text COLLATE "C" NOT NULL DEFAULT 'EUR' CHECK (currency ~ '^[A-Z]{3}$'),
  plan_price numeric(12, 2) NOT NULL CHECK (plan_price >= 0),
  label_fees numeric(12, 2) NOT NULL DEFAULT 0 CHECK (label_fees >= 0),
  express_price numeric(12, 2) NOT NULL DEFAULT 0 CHECK (express_price >= 0),
  discount numeric(12, 2) NOT NULL DEFAULT 0 CHECK (discount >= 0),
  total numeric(12, 2) GENERATED ALWAYS AS (plan_price + label_fees + express_price - discount) STORED CHECK (total >= 0),
  vat_percent numeric(5, 2) NOT NULL DEFAULT 20 CHECK (vat_percent BETWEEN 0 AND 100),
  promo_code_id bigint REFERENCES promo_codes (id),
  due_date date,
  invoice_year smallint,
  invoice_number integer,
  issued_at timestamptz,
  card_transaction_id text CHECK (length(card_transaction_id) <= 200),
  receipt_email text CHECK (length(receipt_email) <= 254),
  payment_reference text CHECK (length(payment_reference) <= 200),
  paid_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint REFERENCES admins (id),
  CHECK ((invoice_year IS NULL) = (invoice_number IS NULL)),
  CHECK ((status = 'paid') = (paid_at IS NOT NULL)),
  UNIQUE (invoice_year, invoice_number)
);
CREATE INDEX orders_account_idx ON orders (account_id, id);
CREATE INDEX orders_release_idx ON orders (release_id);
CREATE INDEX orders_label_idx ON orders (account_id, due_date) WHERE plan = 'label' AND status = 'paid';
COMMENT ON COLUMN orders.due_date IS 'until when a label subscription runs, inclusive';
COMMENT ON COLUMN orders.total IS 'VAT included';

-- Invoice numbers have no gaps: the counter moves in the transaction that issues.
CREATE TABLE invoice_counters (
  year smallint PRIMARY KEY,
  last_number integer NOT NULL CHECK (last_number >= 0)
);

CREATE TABLE billing_accounts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts (id),
  type text NOT NULL CHECK (type IN ('bank', 'paypal')),
  email citext CHECK (length(email) <= 254),
  owner text NOT NULL CHECK (length(owner) BETWEEN 2 AND 140),
  holder_address text NOT NULL CHECK (length(holder_address) <= 140),
  holder_address2 text CHECK (length(holder_address2) <= 140),
  holder_city text NOT NULL CHECK (length(holder_city) <= 80),
  holder_country text NOT NULL CHECK (length(holder_country) <= 80),
  holder_postcode text NOT NULL CHECK (length(holder_postcode) <= 20),
  bank_name text CHECK (length(bank_name) <= 140),
  bank_country text CHECK (length(bank_country) <= 80),
  bank_address text CHECK (length(bank_address) <= 140),
  bank_address2 text CHECK (length(bank_address2) <= 140),
  bank_city text CHECK (length(bank_city) <= 80),
  bank_zip_code text CHECK (length(bank_zip_code) <= 20),
  iban text COLLATE "C" CHECK (length(iban) <= 40),
  swift text COLLATE "C" CHECK (length(swift) <= 11),
  created_at timestamptz NOT NULL DEFAULT now(),
  changed_at timestamptz,
  changed_by bigint REFERENCES admins (id),
  confirmed_by bigint REFERENCES admins (id),
  deleted_at timestamptz,
  UNIQUE (id, account_id),
  CHECK (type <> 'paypal' OR email IS NOT NULL),
  CHECK (type <> 'bank' OR (iban IS NOT NULL AND bank_name IS NOT NULL))
);
CREATE INDEX billing_accounts_account_idx ON billing_accounts (account_id);
CREATE INDEX billing_accounts_iban_idx ON billing_accounts (iban) WHERE iban IS NOT NULL;
COMMENT ON COLUMN billing_accounts.changed_at IS 'last change of details, not the first entry: payouts wait 72 h unless confirmed';

CREATE TABLE payout_batches (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  state text NOT NULL DEFAULT 'draft' CHECK (state IN ('draft', 'approved', 'exported', 'paid', 'void')),
  message_id text COLLATE "C" NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint NOT NULL REFERENCES admins (id),
  approved_at timestamptz,
  approved_by bigint REFERENCES admins (id),
  exported_at timestamptz,
  exported_by bigint REFERENCES admins (id),
  paid_at timestamptz,
  paid_by bigint REFERENCES admins (id),
  CHECK (approved_by IS NULL OR approved_by <> created_by)
);

CREATE TABLE payouts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts (id),
  billing_account_id bigint NOT NULL,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'paid', 'cancelled')),
  amount_eur numeric(14, 2) NOT NULL CHECK (amount_eur >= 0.1),
  fee_eur numeric(14, 2) NOT NULL CHECK (fee_eur >= 0),
  batch_id bigint REFERENCES payout_batches (id),
  beneficiary jsonb,
  approved_by bigint REFERENCES admins (id),
  approved_at timestamptz,
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
  FOREIGN KEY (billing_account_id, account_id) REFERENCES billing_accounts (id, account_id),
  CHECK ((state = 'paid') = (paid_at IS NOT NULL)),
  CHECK ((state = 'cancelled') = (cancelled_at IS NOT NULL)),
  CHECK (state <> 'paid' OR amount_eur - fee_eur >= 0.01)
);
CREATE INDEX payouts_state_idx ON payouts (state, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX payouts_account_idx ON payouts (account_id, id);
CREATE INDEX payouts_batch_idx ON payouts (batch_id) WHERE batch_id IS NOT NULL;
COMMENT ON COLUMN payouts.beneficiary IS 'the bank or PayPal details as they were exported';
COMMENT ON COLUMN payouts.fee_eur IS 'frozen at the request; what is transferred is amount minus fee';
