-- Orders, payments, invoices and credit notes.

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
  payment_intent_id text COLLATE "C" UNIQUE CHECK (length(payment_intent_id) <= 200),
  cancelled_at timestamptz,
  buyer jsonb CHECK (jsonb_typeof(buyer) = 'object'),
  CHECK ((invoice_year IS NULL) = (invoice_number IS NULL)),
  CHECK ((status = 'paid') = (paid_at IS NOT NULL)),
  UNIQUE (invoice_year, invoice_number)
);
CREATE INDEX orders_account_idx ON orders (account_id, id);
CREATE INDEX orders_release_idx ON orders (release_id);
CREATE INDEX orders_label_idx ON orders (account_id, due_date) WHERE plan = 'label' AND status = 'paid';
-- At most one pending order of a release.
CREATE UNIQUE INDEX orders_waiting_release_key ON orders (release_id) WHERE status = 'pending';
REVOKE DELETE ON orders FROM regie_app;
COMMENT ON COLUMN orders.due_date IS 'until when a label subscription runs, inclusive';
COMMENT ON COLUMN orders.total IS 'VAT included';
COMMENT ON COLUMN orders.buyer IS 'name, address and VAT number of the account when the invoice was issued; null without an invoice, and after its legal term';
CREATE TRIGGER orders_keep_invoice BEFORE UPDATE ON orders
  FOR EACH ROW WHEN (OLD.invoice_number IS NOT NULL) EXECUTE FUNCTION orders_keep_invoice();

-- Without gaps: the counter moves in the issuing transaction.
CREATE TABLE invoice_counters (
  year smallint PRIMARY KEY,
  last_number integer NOT NULL CHECK (last_number >= 0)
);

-- Each takes effect once.
CREATE TABLE stripe_events (
  id text COLLATE "C" PRIMARY KEY CHECK (length(id) <= 200),
  type text NOT NULL,
  order_id bigint REFERENCES orders (id),
  received_at timestamptz NOT NULL DEFAULT now()
);
REVOKE UPDATE, DELETE ON stripe_events FROM regie_app;

CREATE TABLE credit_note_counters (
  year smallint PRIMARY KEY,
  last_number integer NOT NULL CHECK (last_number >= 0)
);

-- Reverses a cancelled invoice; numbered without gaps.
CREATE TABLE credit_notes (
  year smallint NOT NULL,
  number integer NOT NULL,
  order_id bigint NOT NULL REFERENCES orders (id),
  invoice_year smallint NOT NULL,
  invoice_number integer NOT NULL,
  invoice_issued_at timestamptz,
  issued_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  created_by bigint REFERENCES admins (id),
  -- Of the credited invoice: it no longer pays the order.
  card_transaction_id text CHECK (length(card_transaction_id) <= 200),
  payment_reference text CHECK (length(payment_reference) <= 200),
  PRIMARY KEY (year, number),
  UNIQUE (invoice_year, invoice_number)
);
CREATE INDEX credit_notes_order_idx ON credit_notes (order_id);
REVOKE UPDATE, DELETE ON credit_notes FROM regie_app;
COMMENT ON TABLE credit_notes IS 'amounts are those of the order, which are frozen; a credited order that is paid again gets another invoice';
