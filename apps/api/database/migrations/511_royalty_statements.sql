-- What each account earned and received in a period, as it was published: written once, never changed (decision 540).
CREATE TABLE royalty_runs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  month date NOT NULL UNIQUE CHECK (is_first_of_month(month)),
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint REFERENCES admins (id),
  failed_at timestamptz,
  published_at timestamptz,
  through_id bigint CHECK (through_id >= 0),
  lines bigint NOT NULL DEFAULT 0 CHECK (lines >= 0),
  file_id bigint UNIQUE REFERENCES files (id),
  CHECK ((published_at IS NULL) = (through_id IS NULL))
);
-- One at a time: each begins where the former one ended.
CREATE UNIQUE INDEX royalty_runs_open_key ON royalty_runs ((true)) WHERE published_at IS NULL;
REVOKE UPDATE, DELETE ON royalty_runs FROM regie_app;
GRANT UPDATE (failed_at) ON royalty_runs TO regie_app;
COMMENT ON COLUMN royalty_runs.month IS 'the last month of its statements';
COMMENT ON COLUMN royalty_runs.through_id IS 'the last ledger transaction that its statements include';
COMMENT ON COLUMN royalty_runs.file_id IS 'the lines of all its statements as Parquet, sorted by account; null without lines';

CREATE TABLE royalty_statements (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id bigint NOT NULL REFERENCES royalty_runs (id),
  account_id bigint NOT NULL REFERENCES accounts (id),
  number integer NOT NULL CHECK (number >= 1),
  from_month date NOT NULL CHECK (is_first_of_month(from_month)),
  opening_eur numeric(20, 6) NOT NULL,
  closing_eur numeric(20, 6) NOT NULL,
  income_eur numeric(20, 6) NOT NULL,
  lines bigint NOT NULL CHECK (lines >= 0),
  record jsonb NOT NULL,
  sha256 bytea NOT NULL CHECK (length(sha256) = 32),
  UNIQUE (account_id, number),
  UNIQUE (run_id, account_id)
);
REVOKE INSERT, UPDATE, DELETE ON royalty_statements FROM regie_app;
COMMENT ON COLUMN royalty_statements.number IS 'of the account, from 1';
COMMENT ON COLUMN royalty_statements.sha256 IS 'of the record''s text';

ALTER TABLE accounts ADD COLUMN statement_period text CHECK (statement_period IN ('month', 'quarter', 'half_year', 'year'));
COMMENT ON COLUMN accounts.statement_period IS 'null: every month';

INSERT INTO admin_capabilities (admin_id, capability)
  SELECT admin_id, CASE capability WHEN 'read_reports' THEN 'read_statements_out' ELSE 'send_statements' END
    FROM admin_capabilities WHERE capability IN ('read_reports', 'edit_reports')
  UNION
  SELECT admin_id, 'read_statements_out' FROM admin_capabilities WHERE capability = 'edit_reports';
