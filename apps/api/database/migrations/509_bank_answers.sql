-- What the bank answers to an exported batch: the verification of the payees, and what it executes.
CREATE TABLE bank_reports (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  batch_id bigint NOT NULL REFERENCES payout_batches (id),
  message_id text COLLATE "C" CHECK (length(message_id) <= 35),
  status text COLLATE "C" CHECK (length(status) <= 4),
  sha256 bytea CHECK (length(sha256) = 32),
  at timestamptz NOT NULL DEFAULT now(),
  admin_id bigint NOT NULL REFERENCES admins (id),
  UNIQUE (batch_id, sha256)
);
REVOKE UPDATE, DELETE ON bank_reports FROM regie_app;
COMMENT ON COLUMN bank_reports.sha256 IS 'of the pain.002 file; null for answers typed by hand';
COMMENT ON COLUMN bank_reports.status IS 'of the whole file (GrpSts), as the bank writes it';

CREATE TABLE bank_answers (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  report_id bigint NOT NULL REFERENCES bank_reports (id),
  payout_id bigint NOT NULL REFERENCES payouts (id),
  account_id bigint NOT NULL REFERENCES accounts (id),
  verdict text CHECK (verdict IN ('match', 'near', 'none', 'unverified')),
  outcome text CHECK (outcome IN ('accepted', 'rejected', 'unexecuted')),
  code text COLLATE "C" CHECK (length(code) <= 35),
  said text CHECK (length(said) <= 1000),
  beneficiary jsonb NOT NULL,
  destination bytea NOT NULL CHECK (length(destination) = 32),
  left_batch boolean NOT NULL DEFAULT false,
  CHECK (verdict IS NOT NULL OR outcome IS NOT NULL)
);
CREATE INDEX bank_answers_report_idx ON bank_answers (report_id);
CREATE INDEX bank_answers_payout_idx ON bank_answers (payout_id);
CREATE INDEX bank_answers_account_idx ON bank_answers (account_id);
REVOKE UPDATE, DELETE ON bank_answers FROM regie_app;
COMMENT ON COLUMN bank_answers.said IS 'the bank''s words: of a near match the name it knows, else an explanation';
COMMENT ON COLUMN bank_answers.beneficiary IS 'as the file named it: the files of a batch whose payout left it are made from it';
COMMENT ON COLUMN bank_answers.left_batch IS 'the payout became pending again by this answer, out of the exported batch';

-- An exported batch of which nothing was executed ends as void.
ALTER TABLE payout_batches DROP CONSTRAINT payout_batches_check, DROP CONSTRAINT payout_batches_check1,
  ADD CHECK (state = 'void' OR (state <> 'draft') = (exported_at IS NOT NULL)),
  ADD CHECK (state = 'void' OR (state <> 'draft') = (debtor IS NOT NULL));
ALTER TABLE proposals DROP CONSTRAINT proposals_kind_check,
  ADD CHECK (kind IN ('adjustment', 'setting', 'access', 'set', 'batch'));
