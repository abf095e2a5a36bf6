-- Amounts and number of an issued invoice are frozen; an order whose invoice was credited may get another number.
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
