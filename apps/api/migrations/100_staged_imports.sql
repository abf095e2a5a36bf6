-- A file of several batches is posted once, when its last batch has come: until then its rows wait here (docs/decisions/360).

ALTER TABLE imports ADD COLUMN posted_at timestamptz DEFAULT now();
UPDATE imports SET posted_at = created_at;
ALTER TABLE imports ADD CONSTRAINT imports_posted_check
  CHECK (posted_at IS NOT NULL OR (reports = 0 AND gross_usd = 0 AND accounts_eur = 0 AND referrals_eur = 0 AND platform_eur = 0));
GRANT UPDATE (posted_at) ON imports TO regie_app;
COMMENT ON COLUMN imports.posted_at IS 'first posting; null while all its rows are staged, and for ever when they were removed instead';
COMMENT ON COLUMN imports.batches IS 'received; rows, saved and unsaved count those of staged batches too, reports and sums only what is posted';

ALTER TABLE import_batches ADD COLUMN staged_by bigint REFERENCES admins (id);
COMMENT ON COLUMN import_batches.staged_by IS 'who sent a batch that was staged; null for one that was posted as it came';

-- One row per batch, not per row of the file: what is written, read and removed together lies together. Compressing it would
-- take longer than all else that a batch is.
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
