-- A role's own temporary tables are searched before any schema that a search_path names, unless it names pg_temp
-- itself, and last: these functions run with the owner's rights and must mean the real tables.
ALTER FUNCTION ledger_postings_inserted() SET search_path = public, pg_temp;
ALTER FUNCTION accounts_keep_terms() SET search_path = public, pg_temp;
ALTER FUNCTION enqueue_job(text, json, timestamptz, text) SET search_path = public, pg_temp;

-- The list of delivered tracks and the track picker stand in the order of titles.
CREATE INDEX tracks_title_idx ON tracks (title, id);
