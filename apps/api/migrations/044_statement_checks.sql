-- What staff says of a statement, and what goes when one is taken away (042).

ALTER TABLE statements ADD COLUMN check_note text CHECK (length(check_note) BETWEEN 1 AND 1000);
GRANT UPDATE (check_note) ON statements TO regie_app;
COMMENT ON COLUMN statements.check_note IS 'why it was checked although its lines do not add up to the declared amount';

-- Of a statement that was replaced or removed, everything that is summed; its lines go by a job. What was posted meanwhile
-- keeps the statement as it is.
CREATE FUNCTION drop_statement_sums(of_statement bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM statements WHERE id = of_statement AND status IN ('replaced', 'removed')) THEN
    RAISE EXCEPTION 'statement % is live', of_statement;
  END IF;
  DELETE FROM statement_sums WHERE statement_id = of_statement AND import_id IS NULL;
  IF EXISTS (SELECT FROM statement_sums WHERE statement_id = of_statement) THEN
    RAISE EXCEPTION 'lines of statement % are posted', of_statement USING ERRCODE = 'serialization_failure';
  END IF;
  DELETE FROM statement_months WHERE statement_id = of_statement;
  DELETE FROM statement_rollups WHERE statement_id = of_statement;
END $$;
REVOKE EXECUTE ON FUNCTION drop_statement_sums FROM PUBLIC;
GRANT EXECUTE ON FUNCTION drop_statement_sums TO regie_app;
