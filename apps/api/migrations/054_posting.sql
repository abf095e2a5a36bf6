-- Posting a month writes the number of its import into each of its sums. Where nothing that is indexed changes and the page has
-- room, that is all PostgreSQL has to write: no index may hold the import's number, and a page is left half empty for it.
ALTER TABLE statement_sums SET (fillfactor = 45);
DROP INDEX statement_sums_import_idx;
-- The sums of a statement lie together and are posted together; this index only tells where.
CREATE INDEX statement_sums_import_idx ON statement_sums USING brin (import_id) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX statement_sums_track_idx ON statement_sums (track_id) WHERE track_id IS NOT NULL;
