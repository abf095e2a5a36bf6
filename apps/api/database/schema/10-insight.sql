-- Live statements by month, quarter and year, and by store, country, track, release and account, in euros. Pages read
-- one row per line shown. A change marks its months; a job adds them up from scratch, so nothing drifts
-- (docs/decisions/240).

CREATE TABLE insight_sums (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  dimension text COLLATE "C" NOT NULL CHECK (dimension IN ('total', 'store', 'country', 'track', 'release', 'account')),
  value text COLLATE "C" NOT NULL,
  span text COLLATE "C" NOT NULL CHECK (span IN ('month', 'quarter', 'year')),
  starts date NOT NULL,
  streams numeric NOT NULL,
  downloads numeric NOT NULL,
  videos numeric NOT NULL,
  streams_eur numeric NOT NULL,
  downloads_eur numeric NOT NULL,
  videos_eur numeric NOT NULL,
  quantity numeric NOT NULL GENERATED ALWAYS AS (streams + downloads + videos) STORED,
  amount_eur numeric NOT NULL GENERATED ALWAYS AS (streams_eur + downloads_eur + videos_eur) STORED,
  UNIQUE (dimension, value, span, starts)
);
CREATE INDEX insight_sums_amount_idx ON insight_sums (dimension, span, starts, amount_eur, id);
CREATE INDEX insight_sums_quantity_idx ON insight_sums (dimension, span, starts, quantity, id);
REVOKE INSERT, UPDATE, DELETE ON insight_sums FROM regie_app;
COMMENT ON COLUMN insight_sums.value IS 'a name, a country, an id; empty for what has no track, and for the total';
COMMENT ON COLUMN insight_sums.amount_eur IS 'at the rates of the months; what has no rate is in the quantities only';

-- Only inserted and deleted: marking never waits for a lock.
CREATE TABLE insight_marks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  month date NOT NULL CHECK (is_first_of_month(month))
);
REVOKE INSERT, UPDATE, DELETE ON insight_marks FROM regie_app;

-- Differences of two months of a source. Valid while neither is marked.
CREATE TABLE track_differences (
  source text COLLATE "C" NOT NULL,
  month date NOT NULL,
  -- The statement that the shown one corrects; 0 for none.
  without bigint NOT NULL,
  found jsonb NOT NULL,
  PRIMARY KEY (source, month, without)
);
REVOKE INSERT, UPDATE, DELETE ON track_differences FROM regie_app;
COMMENT ON COLUMN track_differences.month IS 'compared with the one before it';
COMMENT ON COLUMN track_differences.found IS 'the largest difference first: value, amountEur, formerEur';
