-- Income items, their tracks, and the totals of unmatched income.

-- An ISRC, which is its key, or barcode and title without one.
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
  -- Null with a track.
  unmatched text CHECK (unmatched IN ('unknown', 'doubled', 'no_isrc')),
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE,
  CHECK ((track_id IS NULL) = (unmatched IS NOT NULL))
);
CREATE INDEX income_items_alias_idx ON income_items (alias_track_id) WHERE alias_track_id IS NOT NULL;
CREATE INDEX income_items_unmatched_title_idx ON income_items (title, id) WHERE unmatched IS NOT NULL;
CREATE INDEX income_items_unmatched_idx ON income_items (unmatched, id) WHERE unmatched IS NOT NULL;
REVOKE INSERT, UPDATE, DELETE ON income_items FROM regie_app;
GRANT UPDATE (alias_track_id, alias_by, alias_at) ON income_items TO regie_app;

-- The inbox's order for each filter, so that a page is an index range. A sum counts in four rows: source '' is all,
-- month '-infinity' all.
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

-- Items of each filter. Rows are only added, so that matches sharing the lock do not wait; who holds it alone merges
-- them.
CREATE TABLE unmatched_counts (
  source text COLLATE "C" NOT NULL,
  month date NOT NULL,
  items bigint NOT NULL
);
CREATE INDEX unmatched_counts_idx ON unmatched_counts (source, month);
REVOKE INSERT, UPDATE, DELETE ON unmatched_counts FROM regie_app;
COMMENT ON TABLE unmatched_counts IS 'added up by source and month, the number of rows of unmatched_totals';
