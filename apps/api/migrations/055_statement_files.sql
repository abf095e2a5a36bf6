-- What staff says of one file and no other, archives of several files, and files that stop whoever reads them (042).

ALTER TABLE statements
  ADD COLUMN choices jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  ADD COLUMN unpacked_from bigint REFERENCES statements (id),
  ALTER COLUMN declared_amount TYPE numeric,
  DROP CONSTRAINT statements_status_check,
  ADD CONSTRAINT statements_status_check CHECK (status IN (
    'received', 'reading', 'unrecognised', 'ambiguous', 'refused', 'unpacked', 'loaded', 'checked', 'replaced', 'removed'));
CREATE INDEX statements_unpacked_idx ON statements (unpacked_from) WHERE unpacked_from IS NOT NULL;
CREATE INDEX statements_currency_idx ON statements (preset, id) WHERE choices ? 'currency';
GRANT UPDATE (choices, attempts, rows, counted_rows, lines, loaded_at) ON statements TO regie_app;
COMMENT ON COLUMN statements.choices IS 'currency, sheets and charset of a file that does not say them, as staff told';
COMMENT ON COLUMN statements.attempts IS 'readings that began and had no end: whoever read the file was killed';

-- A form is verified once it has read a file whole.
ALTER TABLE statement_presets ADD COLUMN verified_at timestamptz;
UPDATE statement_presets p SET verified_at = s.loaded_at
  FROM (SELECT preset, min(loaded_at) AS loaded_at FROM statements WHERE loaded_at IS NOT NULL GROUP BY preset) s
 WHERE s.preset = 'custom:' || p.id;

-- A currency that the file does not name was part of the preset; now it is said of each file.
UPDATE statements
   SET choices = jsonb_build_object('currency', upper(right(preset, 3))),
       preset = CASE WHEN preset LIKE 'sonosuite-%' THEN 'sonosuite-paid' ELSE left(preset, -4) END
 WHERE preset ~ '^(sddigital|sdphysical|kontor|cargo-physical|pretzel|sonosuite|fuga-extended)-(usd|eur|gbp|cad|aud)$';

-- What was added up of a statement goes, unless some of it is posted.
CREATE FUNCTION delete_statement_sums(of_statement bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM statement_sums WHERE statement_id = of_statement AND import_id IS NULL;
  IF EXISTS (SELECT FROM statement_sums WHERE statement_id = of_statement) THEN
    RAISE EXCEPTION 'lines of statement % are posted', of_statement USING ERRCODE = 'serialization_failure';
  END IF;
  DELETE FROM statement_months WHERE statement_id = of_statement;
  DELETE FROM statement_rollups WHERE statement_id = of_statement;
END $$;
REVOKE EXECUTE ON FUNCTION delete_statement_sums FROM PUBLIC;

CREATE OR REPLACE FUNCTION drop_statement_sums(of_statement bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM statements WHERE id = of_statement AND status IN ('replaced', 'removed')) THEN
    RAISE EXCEPTION 'statement % is live', of_statement;
  END IF;
  PERFORM delete_statement_sums(of_statement);
END $$;

-- Of a loaded statement that is read anew; its lines go with the next reading.
CREATE FUNCTION reset_statement(of_statement bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM statements WHERE id = of_statement AND status = 'received') THEN
    RAISE EXCEPTION 'statement % is not to be read', of_statement;
  END IF;
  PERFORM delete_statement_sums(of_statement);
END $$;
REVOKE EXECUTE ON FUNCTION reset_statement FROM PUBLIC;
GRANT EXECUTE ON FUNCTION reset_statement TO regie_app;
