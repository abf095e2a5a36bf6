-- Exchange rates, imports of income files and the reports they post.

CREATE TABLE exchange_rates (
  month date NOT NULL CHECK (is_first_of_month(month)),
  currency text COLLATE "C" NOT NULL CHECK (currency ~ '^[A-Z]{3}$' AND currency <> 'EUR'),
  rate numeric(20, 10) NOT NULL CHECK (rate > 0),
  updated_at timestamptz NOT NULL DEFAULT now(),
  updated_by bigint REFERENCES admins (id),
  PRIMARY KEY (currency, month)
);
REVOKE INSERT, UPDATE, DELETE ON exchange_rates FROM regie_app;
COMMENT ON COLUMN exchange_rates.rate IS 'units of the currency per euro; holds until a later month has its own';

-- Of the European Central Bank, US dollars per euro.
INSERT INTO exchange_rates (month, currency, rate) VALUES
  ('2020-01-01', 'USD', 1.1422),
  ('2021-01-01', 'USD', 1.1827),
  ('2022-01-01', 'USD', 1.0530),
  ('2023-01-01', 'USD', 1.0813),
  ('2024-01-01', 'USD', 1.0824),
  ('2025-01-01', 'USD', 1.1300);

-- Posted sums stay; deleted_usd holds single reports reversed since. A file of several batches is posted with its last
-- one (docs/decisions/360).
CREATE TABLE imports (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('csv', 'single', 'automatic')),
  type text NOT NULL CHECK (type IN ('platform', 'youtube')),
  month date NOT NULL CHECK (is_first_of_month(month) AND month >= '2020-01-01'),
  to_date date NOT NULL,
  file_key text COLLATE "C" CHECK (length(file_key) <= 100),
  file_name text CHECK (length(file_name) <= 255),
  rate numeric(20, 10) NOT NULL CHECK (rate > 0),
  terms_version bigint NOT NULL,
  batches integer NOT NULL DEFAULT 0,
  batches_expected integer,
  rows bigint NOT NULL DEFAULT 0,
  saved bigint NOT NULL DEFAULT 0,
  unsaved bigint NOT NULL DEFAULT 0,
  reports bigint NOT NULL DEFAULT 0,
  gross_usd numeric(28, 10) NOT NULL DEFAULT 0,
  gross_eur numeric(24, 6) NOT NULL DEFAULT 0,
  accounts_eur numeric(24, 6) NOT NULL DEFAULT 0,
  referrals_eur numeric(24, 6) NOT NULL DEFAULT 0,
  platform_eur numeric(24, 6) NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint REFERENCES admins (id),
  reversed_at timestamptz,
  reversed_by bigint REFERENCES admins (id),
  deleted_usd numeric(28, 10) NOT NULL DEFAULT 0,
  posted_at timestamptz DEFAULT now(),
  CHECK (to_date > month),
  CHECK (rows = saved + unsaved),
  CHECK (gross_eur = accounts_eur + referrals_eur + platform_eur),
  CONSTRAINT imports_posted_check
    CHECK (posted_at IS NOT NULL OR (reports = 0 AND gross_usd = 0 AND accounts_eur = 0 AND referrals_eur = 0 AND platform_eur = 0))
);
-- A file and month is one import, whoever sends it, unless it was reversed.
CREATE UNIQUE INDEX imports_file_key ON imports (month, file_key) WHERE reversed_at IS NULL;
CREATE INDEX imports_created_idx ON imports (created_at, id);
CREATE INDEX imports_month_idx ON imports (month, type) WHERE reversed_at IS NULL;
-- Rate and terms are frozen; the application updates counts, posting and reversal.
REVOKE UPDATE, DELETE ON imports FROM regie_app;
GRANT UPDATE (batches, rows, saved, unsaved, reports, gross_usd, gross_eur, accounts_eur, referrals_eur, platform_eur,
              reversed_at, reversed_by, deleted_usd, posted_at) ON imports TO regie_app;
COMMENT ON COLUMN imports.to_date IS 'last day covered, exclusive: the first day after';
COMMENT ON COLUMN imports.rate IS 'US dollars per euro, frozen at the first batch';
COMMENT ON COLUMN imports.terms_version IS 'percentages and referrals are seen as they stood at this number';
COMMENT ON COLUMN imports.gross_usd IS 'what was posted; single deletions later do not change it';
COMMENT ON COLUMN imports.deleted_usd IS 'gross income of its reports that were deleted one by one';
COMMENT ON COLUMN imports.posted_at IS 'end of the last posting; null while all its rows are staged, and for ever when they were removed instead';
COMMENT ON COLUMN imports.batches IS 'received; rows, saved and unsaved count those of staged batches too, reports and sums only what is posted';

CREATE TABLE import_rates (
  import_id bigint NOT NULL REFERENCES imports (id),
  currency text COLLATE "C" NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  rate numeric(20, 10) NOT NULL CHECK (rate > 0),
  PRIMARY KEY (import_id, currency)
);
REVOKE UPDATE, DELETE ON import_rates FROM regie_app;
COMMENT ON TABLE import_rates IS 'units per euro of every currency that an automatic import has posted, as it used them';

CREATE TABLE import_batches (
  import_id bigint NOT NULL REFERENCES imports (id),
  batch integer NOT NULL CHECK (batch >= 0),
  body_hash bytea NOT NULL,
  first_row bigint NOT NULL,
  rows integer NOT NULL,
  saved integer NOT NULL,
  gross_usd numeric(28, 10) NOT NULL,
  accounts_eur numeric(24, 6) NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  staged_by bigint REFERENCES admins (id),
  -- Reports have sums: only these tell that another file brings the same rows.
  row_hashes bigint[] STORAGE EXTERNAL,
  PRIMARY KEY (import_id, batch)
);
REVOKE UPDATE, DELETE ON import_batches FROM regie_app;
COMMENT ON COLUMN import_batches.staged_by IS 'who sent a batch that was staged; null for one that was posted as it came';
COMMENT ON COLUMN import_batches.row_hashes IS 'of ISRC and figures of its readable rows; null in batches of before';

-- One row per batch, which is written, read and removed as a whole. Uncompressed: compressing takes longer than the
-- rest.
CREATE TABLE import_staged_rows (
  import_id bigint NOT NULL,
  batch integer NOT NULL,
  row bigint[] STORAGE EXTERNAL NOT NULL,
  isrc text[] STORAGE EXTERNAL COLLATE "C" NOT NULL,
  streams bigint[] STORAGE EXTERNAL NOT NULL,
  income_streams numeric[] STORAGE EXTERNAL NOT NULL,
  downloads bigint[] STORAGE EXTERNAL NOT NULL,
  income_downloads numeric[] STORAGE EXTERNAL NOT NULL,
  youtube bigint[] STORAGE EXTERNAL NOT NULL,
  income_youtube numeric[] STORAGE EXTERNAL NOT NULL,
  PRIMARY KEY (import_id, batch),
  FOREIGN KEY (import_id, batch) REFERENCES import_batches (import_id, batch)
);
REVOKE UPDATE ON import_staged_rows FROM regie_app;
COMMENT ON TABLE import_staged_rows IS 'rows that had a track when they came; matched again when they are posted, and removed with that';

CREATE TABLE import_unsaved_rows (
  import_id bigint NOT NULL,
  batch integer NOT NULL,
  row bigint NOT NULL CHECK (row >= 1),
  isrc text NOT NULL CHECK (length(isrc) <= 100),
  reason text NOT NULL,
  given jsonb,
  PRIMARY KEY (import_id, batch, row),
  FOREIGN KEY (import_id, batch) REFERENCES import_batches (import_id, batch)
);
-- Setting an ISRC looks up files that named it (docs/decisions/280).
CREATE INDEX import_unsaved_rows_isrc_idx ON import_unsaved_rows (isrc);
REVOKE UPDATE, DELETE ON import_unsaved_rows FROM regie_app;
COMMENT ON COLUMN import_unsaved_rows.given IS 'its counts and incomes by their names on the wire, as text; null in imports of 0.1 and for rows that are no object';

CREATE TABLE reports (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  type text NOT NULL CHECK (type IN ('platform', 'youtube')),
  month date NOT NULL CHECK (is_first_of_month(month) AND month >= '2020-01-01'),
  import_id bigint NOT NULL REFERENCES imports (id),
  track_id bigint REFERENCES tracks (id),
  account_id bigint NOT NULL REFERENCES accounts (id),
  num_streams bigint NOT NULL DEFAULT 0,
  income_streams_usd numeric(24, 10) NOT NULL DEFAULT 0,
  num_downloads bigint NOT NULL DEFAULT 0,
  income_downloads_usd numeric(24, 10) NOT NULL DEFAULT 0,
  num_youtube bigint NOT NULL DEFAULT 0,
  income_youtube_usd numeric(24, 10) NOT NULL DEFAULT 0,
  gross_usd numeric(24, 10) GENERATED ALWAYS AS (income_streams_usd + income_downloads_usd + income_youtube_usd) STORED,
  percentile numeric(5, 2) NOT NULL,
  gross_eur numeric(20, 6) NOT NULL,
  account_eur numeric(20, 6) NOT NULL,
  referrals_eur numeric(20, 6) NOT NULL,
  platform_eur numeric(20, 6) NOT NULL,
  -- Of the report itself: an ISRC set while a file is being posted comes before.
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  reversed_at timestamptz,
  CHECK (type = 'youtube' OR track_id IS NOT NULL),
  CHECK (gross_eur = account_eur + referrals_eur + platform_eur)
);
CREATE UNIQUE INDEX reports_import_track_key ON reports (import_id, track_id) WHERE reversed_at IS NULL;
CREATE INDEX reports_type_month_idx ON reports (type, month, id) WHERE reversed_at IS NULL;
CREATE INDEX reports_month_idx ON reports (month, id) WHERE reversed_at IS NULL;
CREATE INDEX reports_account_idx ON reports (account_id, month, id) WHERE reversed_at IS NULL;
CREATE INDEX reports_track_idx ON reports (track_id, month, id) WHERE reversed_at IS NULL;
-- Reports explain a ledger posting, reversed ones too.
CREATE INDEX reports_reversed_idx ON reports (import_id, account_id) WHERE reversed_at IS NOT NULL;
-- Account and percentages never change; the application adds to sums and reverses.
REVOKE UPDATE, DELETE ON reports FROM regie_app;
GRANT UPDATE (num_streams, income_streams_usd, num_downloads, income_downloads_usd, num_youtube, income_youtube_usd,
              gross_eur, account_eur, referrals_eur, platform_eur, reversed_at) ON reports TO regie_app;
COMMENT ON COLUMN reports.percentile IS 'of the account, as the import saw it';
COMMENT ON COLUMN reports.account_eur IS 'rounded once per report; postings are sums of these, so a reversal is exact';

CREATE TABLE report_referral_shares (
  report_id bigint NOT NULL REFERENCES reports (id),
  referral_id bigint NOT NULL REFERENCES referrals (id),
  referrer_id bigint NOT NULL REFERENCES accounts (id),
  percentile numeric(5, 2) NOT NULL,
  amount_eur numeric(20, 6) NOT NULL,
  PRIMARY KEY (report_id, referral_id)
);
CREATE INDEX report_referral_shares_referral_idx ON report_referral_shares (referral_id);
REVOKE UPDATE, DELETE ON report_referral_shares FROM regie_app;
GRANT UPDATE (amount_eur) ON report_referral_shares TO regie_app;
