-- The time of the report itself, as of the journal's acts (115): whoever gives a track its ISRC while a file is being posted did so before.
ALTER TABLE reports ALTER COLUMN created_at SET DEFAULT clock_timestamp();
COMMENT ON COLUMN imports.posted_at IS 'end of the last posting; null while all its rows are staged, and for ever when they were removed instead';
