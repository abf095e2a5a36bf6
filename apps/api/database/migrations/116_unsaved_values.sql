-- What an unsaved row was sent with, so that the import's page gives a file that can be corrected and imported again.
ALTER TABLE import_unsaved_rows ADD COLUMN given jsonb;
COMMENT ON COLUMN import_unsaved_rows.given IS 'its counts and incomes by their names on the wire, as text; null before migration 116 and for rows that are no object';
