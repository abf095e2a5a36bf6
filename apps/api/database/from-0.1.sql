-- Turns a database of version 0.1, with all its single migrations, into the baseline; the functions have been replaced before, and
-- the triggers of schema/15-changes.sql come after.
DROP TRIGGER accounts_keep_terms_on_insert ON accounts;
DROP TRIGGER accounts_keep_terms_on_update ON accounts;
DROP TRIGGER imports_release_sums ON imports;
DROP TRIGGER ledger_transactions_dated ON ledger_transactions;
DROP TRIGGER ledger_postings_moved ON ledger_postings;
DROP TRIGGER statements_drop_declared ON statements;
DROP TRIGGER income_items_alias_changed ON income_items;
DROP TRIGGER unmatched_totals_counted_inserted ON unmatched_totals;
DROP TRIGGER unmatched_totals_counted_deleted ON unmatched_totals;
DROP TRIGGER releases_match_items ON releases;
DROP TRIGGER tracks_match_items_inserted ON tracks;
DROP TRIGGER tracks_match_items_updated ON tracks;
DROP TRIGGER exchange_rates_unmatched_totals_changed ON exchange_rates;
DROP TRIGGER exchange_rates_unmatched_totals ON exchange_rates;
DROP TRIGGER statements_unmatched_totals ON statements;
DROP TRIGGER tracks_marked ON tracks;
DROP TRIGGER exchange_rates_marked ON exchange_rates;
DROP TRIGGER statements_marked ON statements;
DROP TRIGGER statement_months_marked_inserted ON statement_months;
DROP TRIGGER statement_months_marked_deleted ON statement_months;
DROP TRIGGER statement_months_marked_updated ON statement_months;
DROP TRIGGER releases_add_doubles ON releases;
DROP TRIGGER releases_change_doubles ON releases;
DROP TRIGGER releases_drop_doubles ON releases;
DROP TRIGGER tracks_add_doubles ON tracks;
DROP TRIGGER tracks_change_doubles ON tracks;
DROP TRIGGER tracks_drop_doubles ON tracks;
DROP TRIGGER track_credits_add_doubles ON track_credits;
DROP TRIGGER track_credits_change_doubles ON track_credits;
DROP TRIGGER track_credits_drop_doubles ON track_credits;
DROP TRIGGER accounts_change_words ON accounts;
DROP TRIGGER accounts_add_own_words ON accounts;
DROP TRIGGER accounts_change_own_words ON accounts;
DROP TRIGGER accounts_drop_own_words ON accounts;
DROP TRIGGER releases_add_words ON releases;
DROP TRIGGER releases_change_words ON releases;
DROP TRIGGER releases_drop_words ON releases;
DROP TRIGGER tracks_add_words ON tracks;
DROP TRIGGER tracks_change_words ON tracks;
DROP TRIGGER tracks_drop_words ON tracks;
DROP TRIGGER people_add_words ON people;
DROP TRIGGER people_change_words ON people;
DROP TRIGGER people_drop_words ON people;
DROP TRIGGER track_credits_add_words ON track_credits;
DROP TRIGGER track_credits_change_words ON track_credits;
DROP TRIGGER track_credits_drop_words ON track_credits;
DROP FUNCTION accounts_add_own_words();
DROP FUNCTION accounts_change_own_words();
DROP FUNCTION accounts_change_words();
DROP FUNCTION accounts_drop_own_words();
DROP FUNCTION accounts_keep_terms();
DROP FUNCTION credits_add_doubles();
DROP FUNCTION credits_add_words();
DROP FUNCTION credits_change_doubles();
DROP FUNCTION credits_change_words();
DROP FUNCTION credits_drop_doubles();
DROP FUNCTION credits_drop_words();
DROP FUNCTION exchange_rates_marked();
DROP FUNCTION exchange_rates_unmatched_totals();
DROP FUNCTION imports_release_sums();
DROP FUNCTION income_items_alias_changed();
DROP FUNCTION ledger_postings_follow();
DROP FUNCTION ledger_postings_moved();
DROP FUNCTION people_add_words();
DROP FUNCTION people_change_words();
DROP FUNCTION people_drop_words();
DROP FUNCTION releases_add_doubles();
DROP FUNCTION releases_add_words();
DROP FUNCTION releases_change_doubles();
DROP FUNCTION releases_change_words();
DROP FUNCTION releases_drop_doubles();
DROP FUNCTION releases_drop_words();
DROP FUNCTION releases_match_items();
DROP FUNCTION statement_months_marked();
DROP FUNCTION statement_months_remarked();
DROP FUNCTION statements_drop_declared();
DROP FUNCTION statements_marked();
DROP FUNCTION statements_unmatched_totals();
DROP FUNCTION tracks_add_doubles();
DROP FUNCTION tracks_add_words();
DROP FUNCTION tracks_change_doubles();
DROP FUNCTION tracks_change_words();
DROP FUNCTION tracks_drop_doubles();
DROP FUNCTION tracks_drop_words();
DROP FUNCTION tracks_marked();
DROP FUNCTION tracks_match_items();
DROP FUNCTION unmatched_totals_counted();
DROP FUNCTION write_doubles(text, text[], bigint[]);
DROP FUNCTION recount_doubles();
DROP FUNCTION fill_doubles();

ALTER TABLE doubles RENAME TO duplicate_groups;
ALTER INDEX doubles_rank_idx RENAME TO duplicate_groups_rank_idx;
ALTER INDEX doubles_similar_idx RENAME TO duplicate_groups_similar_idx;
ALTER INDEX doubles_similar_rank_idx RENAME TO duplicate_groups_similar_rank_idx;
ALTER INDEX doubles_account_idx RENAME TO duplicate_groups_account_idx;
ALTER INDEX doubles_account_rank_idx RENAME TO duplicate_groups_account_rank_idx;
ALTER TABLE duplicate_groups RENAME CONSTRAINT doubles_pkey TO duplicate_groups_pkey;
ALTER TABLE duplicate_groups RENAME CONSTRAINT doubles_scope_check TO duplicate_groups_scope_check;
ALTER TABLE duplicate_groups RENAME CONSTRAINT doubles_size_check TO duplicate_groups_size_check;
ALTER TABLE duplicate_groups RENAME CONSTRAINT doubles_scope_not_null TO duplicate_groups_scope_not_null;
ALTER TABLE duplicate_groups RENAME CONSTRAINT doubles_key_not_null TO duplicate_groups_key_not_null;
ALTER TABLE duplicate_groups RENAME CONSTRAINT doubles_is_similar_not_null TO duplicate_groups_is_similar_not_null;
ALTER TABLE duplicate_groups RENAME CONSTRAINT doubles_size_not_null TO duplicate_groups_size_not_null;
ALTER TABLE duplicate_groups RENAME CONSTRAINT doubles_rank_not_null TO duplicate_groups_rank_not_null;
ALTER TABLE duplicate_groups RENAME CONSTRAINT doubles_of_account_not_null TO duplicate_groups_of_account_not_null;
COMMENT ON COLUMN tracks.isrc IS 'normalised: upper case, no prefix word, hyphens or spaces; not unique, the tools page finds duplicates';

ALTER TABLE import_unsaved_rows ADD COLUMN given jsonb;
COMMENT ON COLUMN import_unsaved_rows.given IS 'its counts and incomes by their names on the wire, as text; null in imports of 0.1 and for rows that are no object';
COMMENT ON COLUMN imports.posted_at IS 'end of the last posting; null while all its rows are staged, and for ever when they were removed instead';
COMMENT ON COLUMN ledger_postings.occurred_at IS 'the transaction''s own';
ALTER TABLE reports ALTER COLUMN created_at SET DEFAULT clock_timestamp();
CREATE INDEX imports_created_idx ON imports (created_at, id);
ALTER TABLE credit_notes
  ADD card_transaction_id text CHECK (length(card_transaction_id) <= 200),
  ADD payment_reference text CHECK (length(payment_reference) <= 200);
ALTER TABLE audit_log
  ADD COLUMN fields text[] GENERATED ALWAYS AS (journal_fields(before, after)) STORED,
  ADD COLUMN search text GENERATED ALWAYS AS (journal_search(entity, entity_id, before, after)) STORED;
COMMENT ON COLUMN audit_log.fields IS 'the fields that differ between the two states, by path';
COMMENT ON COLUMN audit_log.search IS 'the folded words that the journal shows of the entry and that no other table or the contract knows';

-- Uploads under way begin again. The table is created anew, so that its columns have the order of a new database.
DROP TABLE statement_uploads, uploads;
CREATE TABLE uploads (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  admin_id bigint NOT NULL REFERENCES admins (id),
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('audio', 'statement')),
  track_id bigint REFERENCES tracks (id),
  replaces bigint,
  file_name text NOT NULL CHECK (length(file_name) BETWEEN 1 AND 255),
  size_bytes bigint NOT NULL CHECK (size_bytes > 0),
  received bigint NOT NULL DEFAULT 0 CHECK (received >= 0 AND received < size_bytes),
  spool_name text COLLATE "C" NOT NULL UNIQUE,
  started_at timestamptz NOT NULL DEFAULT now(),
  touched_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((kind = 'audio') = (track_id IS NOT NULL)),
  CHECK (kind = 'statement' OR replaces IS NULL),
  UNIQUE NULLS NOT DISTINCT (admin_id, file_name, size_bytes, kind, track_id)
);
CREATE INDEX uploads_touched_idx ON uploads (touched_at);
COMMENT ON COLUMN uploads.replaces IS 'the statement that this one corrects';
COMMENT ON COLUMN uploads.received IS 'bytes that the spool file is known to hold; it may hold more, which count for nothing';
COMMENT ON COLUMN uploads.spool_name IS 'name in the folder of uploads; another one each time an upload begins anew';
REVOKE DELETE ON accounts, releases, tracks, people FROM regie_app;
