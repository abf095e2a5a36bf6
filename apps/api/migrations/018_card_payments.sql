-- Card payments: the payment that Stripe holds for an order, and the events it has told us, each of one effect.
ALTER TABLE orders ADD COLUMN payment_intent_id text COLLATE "C" UNIQUE CHECK (length(payment_intent_id) <= 200);

CREATE TABLE stripe_events (
  id text COLLATE "C" PRIMARY KEY CHECK (length(id) <= 200),
  type text NOT NULL,
  order_id bigint REFERENCES orders (id),
  received_at timestamptz NOT NULL DEFAULT now()
);
REVOKE UPDATE, DELETE ON stripe_events FROM regie_app;

-- A release has one order that waits; what was paid or cancelled before stays beside it.
CREATE UNIQUE INDEX orders_waiting_release_key ON orders (release_id) WHERE status = 'pending';

-- An invoice that was issued says what it says: neither its number nor its amounts move, and it does not go away.
CREATE FUNCTION orders_keep_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.account_id, NEW.plan, NEW.currency, NEW.plan_price, NEW.label_fees, NEW.express_price, NEW.discount,
      NEW.vat_percent, NEW.invoice_year, NEW.invoice_number, NEW.issued_at)
    IS DISTINCT FROM (OLD.account_id, OLD.plan, OLD.currency, OLD.plan_price, OLD.label_fees, OLD.express_price,
      OLD.discount, OLD.vat_percent, OLD.invoice_year, OLD.invoice_number, OLD.issued_at) THEN
    RAISE EXCEPTION 'order % has an invoice: it is frozen', OLD.id;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER orders_keep_invoice BEFORE UPDATE ON orders
  FOR EACH ROW WHEN (OLD.invoice_number IS NOT NULL) EXECUTE FUNCTION orders_keep_invoice();
REVOKE DELETE ON orders FROM regie_app;
