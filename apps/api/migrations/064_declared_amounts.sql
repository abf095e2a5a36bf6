-- What a store's summary says it owes by currency, and what the bank account receives (docs/decisions/200).

ALTER TABLE statements
  DROP CONSTRAINT statements_status_check,
  ADD CONSTRAINT statements_status_check CHECK (status IN (
    'received', 'reading', 'unrecognised', 'ambiguous', 'refused', 'unpacked', 'summary', 'loaded', 'checked', 'replaced', 'removed'));

-- Rows of one currency and month that have the same bank account and rate, added up. Written only by the load.
CREATE TABLE declared_amounts (
  statement_id bigint NOT NULL REFERENCES statements (id),
  source text NOT NULL CHECK (length(source) BETWEEN 1 AND 100),
  month date NOT NULL CHECK (is_first_of_month(month)),
  currency text COLLATE "C" NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  earned numeric NOT NULL,
  rounding numeric NOT NULL CHECK (rounding >= 0),
  owed numeric NOT NULL,
  bank_rate numeric CHECK (bank_rate > 0),
  bank_currency text COLLATE "C" CHECK (bank_currency ~ '^[A-Z]{3}$'),
  proceeds numeric,
  UNIQUE NULLS NOT DISTINCT (statement_id, month, currency, bank_currency, bank_rate),
  CHECK ((proceeds IS NULL) = (bank_currency IS NULL)),
  CHECK (proceeds IS NOT NULL OR bank_rate IS NULL)
);
CREATE INDEX declared_amounts_source_idx ON declared_amounts (source, month, currency);
REVOKE INSERT, UPDATE, DELETE ON declared_amounts FROM regie_app;
COMMENT ON COLUMN declared_amounts.earned IS 'before taxes and adjustments: what the lines of the statements add up to';
COMMENT ON COLUMN declared_amounts.rounding IS 'how far earned may be from the sum of lines because each of its rows is rounded';
COMMENT ON COLUMN declared_amounts.bank_rate IS 'units of bank_currency per unit of currency; null where nothing was converted';
COMMENT ON COLUMN declared_amounts.proceeds IS 'in bank_currency; null where the amount is carried forward to a later payment';

-- A summary that is removed or read anew declares nothing.
CREATE FUNCTION statements_drop_declared() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM declared_amounts WHERE statement_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER statements_drop_declared AFTER UPDATE OF status ON statements
  FOR EACH ROW WHEN (OLD.status = 'summary' AND NEW.status <> 'summary') EXECUTE FUNCTION statements_drop_declared();
