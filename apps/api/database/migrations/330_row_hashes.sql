-- Reports keep sums per track: only hashes of the rows tell that another file brings the same ones.
ALTER TABLE import_batches ADD COLUMN row_hashes bigint[];
ALTER TABLE import_batches ALTER COLUMN row_hashes SET STORAGE EXTERNAL;
COMMENT ON COLUMN import_batches.row_hashes IS 'of ISRC and figures of its readable rows; null in batches of before';
