CREATE OR REPLACE FUNCTION lock_terms() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7243, 1);
  RETURN nextval('terms_versions');
END $$;
COMMENT ON FUNCTION lock_terms IS 'Number of a change to percentages or referrals; held until the transaction ends';

CREATE OR REPLACE FUNCTION freeze_terms() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(7243, 1);
  RETURN nextval('terms_versions');
END $$;
COMMENT ON FUNCTION freeze_terms IS 'Number at which an import sees percentages and referrals';

CREATE OR REPLACE FUNCTION accounts_number_terms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- One row of a bulk load locks for all; a new account is in no import yet.
  IF TG_OP = 'INSERT' OR (NEW.library_percentile, NEW.youtube_percentile)
    IS DISTINCT FROM (OLD.library_percentile, OLD.youtube_percentile) THEN
    NEW.terms_version := lock_terms();
  ELSE
    NEW.terms_version := OLD.terms_version;
  END IF;
  RETURN NEW;
END $$;
