-- The text of a compressed file, an object of the storage while its slices are read (docs/decisions/460).
ALTER TABLE statement_slices ADD COLUMN text_key text;
COMMENT ON COLUMN statement_slices.text_key IS 'where the bytes are read; of other files they are those of the file';
