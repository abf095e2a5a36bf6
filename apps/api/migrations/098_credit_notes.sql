-- A numbered invoice that is cancelled is taken back by a credit note, numbered without gaps like the invoices.
CREATE TABLE credit_note_counters (
  year smallint PRIMARY KEY,
  last_number integer NOT NULL CHECK (last_number >= 0)
);
CREATE TABLE credit_notes (
  year smallint NOT NULL,
  number integer NOT NULL,
  order_id bigint NOT NULL REFERENCES orders (id),
  invoice_year smallint NOT NULL,
  invoice_number integer NOT NULL,
  invoice_issued_at timestamptz,
  issued_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  created_by bigint REFERENCES admins (id),
  PRIMARY KEY (year, number),
  UNIQUE (invoice_year, invoice_number)
);
CREATE INDEX credit_notes_order_idx ON credit_notes (order_id);
COMMENT ON TABLE credit_notes IS 'amounts are those of the order, which are frozen; a credited order that is paid again gets another invoice';
REVOKE UPDATE, DELETE ON credit_notes FROM regie_app;

ALTER TABLE orders ADD COLUMN cancelled_at timestamptz;
UPDATE orders o SET cancelled_at = coalesce((
  SELECT max(l.at) FROM audit_log l
   WHERE l.entity = 'order' AND l.entity_id = o.id::text AND l.after ->> 'status' = 'CANCEL'), o.created_at)
 WHERE status = 'cancelled';

CREATE FUNCTION is_credited(o orders) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM credit_notes c WHERE c.invoice_year = o.invoice_year AND c.invoice_number = o.invoice_number)
$$;

-- An invoice that was issued says what it says; an order whose invoice was credited may get another number.
CREATE OR REPLACE FUNCTION orders_keep_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.account_id, NEW.plan, NEW.currency, NEW.plan_price, NEW.label_fees, NEW.express_price, NEW.discount,
      NEW.vat_percent)
    IS DISTINCT FROM (OLD.account_id, OLD.plan, OLD.currency, OLD.plan_price, OLD.label_fees, OLD.express_price,
      OLD.discount, OLD.vat_percent)
    OR (NEW.invoice_year, NEW.invoice_number, NEW.issued_at)
      IS DISTINCT FROM (OLD.invoice_year, OLD.invoice_number, OLD.issued_at)
      AND (NEW.invoice_number IS NULL OR NOT is_credited(OLD)) THEN
    RAISE EXCEPTION 'order % has an invoice: it is frozen', OLD.id;
  END IF;
  RETURN NEW;
END $$;

-- Invoices cancelled before get theirs now.
WITH issued AS (
  INSERT INTO credit_notes (year, number, order_id, invoice_year, invoice_number, invoice_issued_at)
  SELECT extract(year FROM now() AT TIME ZONE 'Europe/Paris')::smallint, row_number() OVER (ORDER BY cancelled_at, id),
         id, invoice_year, invoice_number, issued_at
    FROM orders WHERE status = 'cancelled' AND invoice_number IS NOT NULL
  RETURNING year, number)
INSERT INTO credit_note_counters (year, last_number) SELECT year, max(number) FROM issued GROUP BY year;
