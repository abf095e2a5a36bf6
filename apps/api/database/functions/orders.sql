-- Only another invoice after a credit note changes seller and buyer; after ten years the buyer may be removed.
CREATE OR REPLACE FUNCTION orders_keep_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.account_id, NEW.plan, NEW.currency, NEW.plan_price, NEW.label_fees, NEW.express_price, NEW.discount,
      NEW.vat_percent)
    IS DISTINCT FROM (OLD.account_id, OLD.plan, OLD.currency, OLD.plan_price, OLD.label_fees, OLD.express_price,
      OLD.discount, OLD.vat_percent)
    OR (NEW.invoice_year, NEW.invoice_number, NEW.issued_at)
      IS DISTINCT FROM (OLD.invoice_year, OLD.invoice_number, OLD.issued_at)
      AND (NEW.invoice_number IS NULL OR NOT is_credited(OLD.invoice_year, OLD.invoice_number))
    OR OLD.seller IS NOT NULL AND NEW.seller IS DISTINCT FROM OLD.seller AND NOT is_credited(OLD.invoice_year, OLD.invoice_number)
    OR OLD.buyer IS NOT NULL AND NEW.buyer IS DISTINCT FROM OLD.buyer
      AND NOT is_credited(OLD.invoice_year, OLD.invoice_number)
      AND (NEW.buyer IS NOT NULL OR OLD.issued_at > now() - interval '10 years') THEN
    RAISE EXCEPTION 'order % has an invoice: it is frozen', OLD.id;
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION buyer_of(account_id bigint) RETURNS jsonb LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT jsonb_build_object('first_name', a.first_name, 'last_name', a.last_name, 'company', a.company, 'address', a.address,
                            'address2', a.address2, 'city', a.city, 'postcode', a.postcode, 'country', a.country,
                            'vat_number', a.vat_number, 'siren', a.siren, 'electronic_address', a.electronic_address,
                            'email', CASE WHEN a.electronic_address IS NULL THEN a.email END)
    FROM accounts a WHERE a.id = buyer_of.account_id
$$;

-- Of an invoice issued with fewer fields: completed by an account that still says all of them.
CREATE OR REPLACE FUNCTION buyer_on_invoice(account_id bigint, frozen jsonb) RETURNS jsonb LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT CASE WHEN frozen IS NULL OR current @> frozen THEN current ELSE frozen END FROM buyer_of(account_id) AS current
$$;

-- By a credit note.
CREATE OR REPLACE FUNCTION is_credited(of_year smallint, of_number integer) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM credit_notes c WHERE c.invoice_year = of_year AND c.invoice_number = of_number)
$$;
