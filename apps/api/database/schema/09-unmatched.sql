-- Income items, their tracks, and the totals of unmatched income.

-- An item is an ISRC, which is then its key, or a barcode and title where a file has no ISRC.
CREATE TABLE income_items (
  key text COLLATE "C" PRIMARY KEY CHECK (length(key) BETWEEN 1 AND 64),
  isrc text COLLATE "C" CHECK (isrc = key),
  upc text COLLATE "C",
  title text NOT NULL,
  artist text NOT NULL,
  alias_track_id bigint REFERENCES tracks (id),
  alias_by bigint REFERENCES admins (id),
  alias_at timestamptz,
  track_id bigint,
  -- Why no track is known; null when there is one.
  unmatched text CHECK (unmatched IN ('unknown', 'doubled', 'no_isrc')),
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE,
  CHECK ((track_id IS NULL) = (unmatched IS NOT NULL))
);
CREATE INDEX income_items_alias_idx ON income_items (alias_track_id) WHERE alias_track_id IS NOT NULL;
CREATE INDEX income_items_unmatched_title_idx ON income_items (title, id) WHERE unmatched IS NOT NULL;
CREATE INDEX income_items_unmatched_idx ON income_items (unmatched, id) WHERE unmatched IS NOT NULL;
REVOKE INSERT, UPDATE, DELETE ON income_items FROM regie_app;
GRANT UPDATE (alias_track_id, alias_by, alias_at) ON income_items TO regie_app;
CREATE TRIGGER income_items_alias_changed AFTER UPDATE OF alias_track_id ON income_items
  FOR EACH ROW WHEN (OLD.alias_track_id IS DISTINCT FROM NEW.alias_track_id) EXECUTE FUNCTION income_items_alias_changed();

-- The inbox's order for each filter by source and month, so that a page is a range of an index. Each sum counts in four rows
-- of its item: source '' means all sources, month '-infinity' all months.
CREATE TABLE unmatched_totals (
  source text COLLATE "C" NOT NULL,
  month date NOT NULL,
  item_id bigint NOT NULL,
  sums bigint NOT NULL,
  eur numeric NOT NULL,
  PRIMARY KEY (source, month, item_id)
);
CREATE INDEX unmatched_totals_eur_idx ON unmatched_totals (source, month, eur, item_id);
CREATE INDEX unmatched_totals_empty_idx ON unmatched_totals (item_id) WHERE sums = 0;
REVOKE INSERT, UPDATE, DELETE ON unmatched_totals FROM regie_app;
COMMENT ON TABLE unmatched_totals IS 'items with sums without a track in live statements; written under the lock of match_items only';
COMMENT ON COLUMN unmatched_totals.month IS 'to which the sums would be posted';
COMMENT ON COLUMN unmatched_totals.eur IS 'each sum rounded to twelve decimals, so that what is added is what is taken away again';
-- The trigger of an INSERT … ON CONFLICT DO UPDATE sees only the new rows.
CREATE TRIGGER unmatched_totals_counted_inserted AFTER INSERT ON unmatched_totals
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION unmatched_totals_counted();
CREATE TRIGGER unmatched_totals_counted_deleted AFTER DELETE ON unmatched_totals
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION unmatched_totals_counted();

-- How many items the inbox has for each filter. Rows are only added, so that matches that share the lock do not wait for each
-- other; whoever holds the lock alone merges them.
CREATE TABLE unmatched_counts (
  source text COLLATE "C" NOT NULL,
  month date NOT NULL,
  items bigint NOT NULL
);
CREATE INDEX unmatched_counts_idx ON unmatched_counts (source, month);
REVOKE INSERT, UPDATE, DELETE ON unmatched_counts FROM regie_app;
COMMENT ON TABLE unmatched_counts IS 'added up by source and month, the number of rows of unmatched_totals';

-- Changes that give income another track, or change the unmatched totals.
CREATE TRIGGER releases_match_items AFTER UPDATE ON releases
  REFERENCING OLD TABLE AS before_it NEW TABLE AS after_it FOR EACH STATEMENT EXECUTE FUNCTION releases_match_items();
CREATE TRIGGER tracks_match_items_inserted AFTER INSERT ON tracks
  REFERENCING NEW TABLE AS after_it FOR EACH STATEMENT EXECUTE FUNCTION tracks_match_items();
CREATE TRIGGER tracks_match_items_updated AFTER UPDATE ON tracks
  REFERENCING OLD TABLE AS before_it NEW TABLE AS after_it FOR EACH STATEMENT EXECUTE FUNCTION tracks_match_items();
CREATE TRIGGER exchange_rates_unmatched_totals_changed AFTER UPDATE OF rate ON exchange_rates
  FOR EACH ROW WHEN (OLD.rate <> NEW.rate) EXECUTE FUNCTION exchange_rates_unmatched_totals();
CREATE TRIGGER exchange_rates_unmatched_totals AFTER INSERT OR DELETE ON exchange_rates
  FOR EACH ROW EXECUTE FUNCTION exchange_rates_unmatched_totals();
CREATE TRIGGER statements_unmatched_totals AFTER UPDATE OF status, source, accounting_month ON statements
  FOR EACH ROW WHEN ((OLD.status IN ('loaded', 'checked')) <> (NEW.status IN ('loaded', 'checked'))
                     OR (NEW.status IN ('loaded', 'checked')
                         AND (OLD.source, OLD.accounting_month) IS DISTINCT FROM (NEW.source, NEW.accounting_month)))
  EXECUTE FUNCTION statements_unmatched_totals();
