-- Who may sign, what waits, what was signed, what that covers, and payments (docs/decisions/280).

-- A row ends when its admin leaves the set; coming back adds another.
CREATE TABLE signatories (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  admin_id bigint NOT NULL REFERENCES admins (id),
  added_at timestamptz NOT NULL DEFAULT now(),
  added_by bigint REFERENCES admins (id),
  removed_at timestamptz,
  removed_by bigint REFERENCES admins (id)
);
CREATE UNIQUE INDEX signatories_present_key ON signatories (admin_id) WHERE removed_at IS NULL;
REVOKE UPDATE, DELETE ON signatories FROM regie_app;
GRANT UPDATE (removed_at, removed_by) ON signatories TO regie_app;
COMMENT ON COLUMN signatories.added_by IS 'who proposed it; null on the server (npm run signatory) and for the first of a new house';

-- Changes that wait for signatures: an adjustment of a balance, a guarded setting, the access of an admin, the set.
CREATE TABLE proposals (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('adjustment', 'setting', 'access', 'set')),
  target text COLLATE "C" NOT NULL,
  value jsonb NOT NULL,
  entry_id bigint NOT NULL,
  proposed_by bigint NOT NULL REFERENCES admins (id),
  proposed_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  ended_by bigint REFERENCES admins (id),
  is_done boolean,
  CHECK ((ended_at IS NULL) = (is_done IS NULL))
);
CREATE UNIQUE INDEX proposals_open_key ON proposals (kind, target) WHERE ended_at IS NULL;
REVOKE UPDATE, DELETE ON proposals FROM regie_app;
GRANT UPDATE (value, ended_at, ended_by, is_done) ON proposals TO regie_app;
COMMENT ON COLUMN proposals.entry_id IS 'the journal''s entry that shows it';
COMMENT ON COLUMN proposals.target IS 'the number of the account or admin, or the name of the setting';

-- The digest of one act's signatures. Append-only: ledger:verify checks each.
CREATE TABLE signature_assertions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  admin_id bigint NOT NULL REFERENCES admins (id),
  at timestamptz NOT NULL DEFAULT now(),
  digest bytea NOT NULL CHECK (length(digest) = 32),
  nonce text COLLATE "C" NOT NULL,
  origin text NOT NULL,
  relying_party text NOT NULL,
  credential_id text COLLATE "C" NOT NULL,
  public_key bytea NOT NULL,
  client_data text COLLATE "C" NOT NULL,
  authenticator_data text COLLATE "C" NOT NULL,
  signature text COLLATE "C" NOT NULL
);
REVOKE UPDATE, DELETE ON signature_assertions FROM regie_app;
COMMENT ON COLUMN signature_assertions.nonce IS 'the challenge is SHA-256 of nonce and digest';
COMMENT ON COLUMN signature_assertions.client_data IS 'base64url, like authenticator_data and signature';

CREATE TABLE signatures (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  subject text NOT NULL CHECK (subject IN ('payout', 'import', 'billing', 'proposal')),
  subject_id bigint NOT NULL,
  version text COLLATE "C" NOT NULL,
  unsigned_eur numeric(14, 2) NOT NULL DEFAULT 0 CHECK (unsigned_eur >= 0),
  admin_id bigint NOT NULL REFERENCES admins (id),
  at timestamptz NOT NULL DEFAULT now(),
  is_sole boolean NOT NULL DEFAULT false,
  assertion_id bigint REFERENCES signature_assertions (id),
  withdrawn_at timestamptz,
  used_at timestamptz
);
-- One open signature per admin and subject: a newer version replaces it.
CREATE UNIQUE INDEX signatures_open_key ON signatures (subject, subject_id, admin_id) WHERE withdrawn_at IS NULL AND used_at IS NULL;
CREATE INDEX signatures_subject_idx ON signatures (subject, subject_id);
CREATE INDEX signatures_assertion_idx ON signatures (assertion_id) WHERE assertion_id IS NOT NULL;
REVOKE UPDATE, DELETE ON signatures FROM regie_app;
GRANT UPDATE (is_sole, withdrawn_at, used_at) ON signatures TO regie_app;
COMMENT ON COLUMN signatures.version IS 'what was shown: of a payout amount, fee and destination; of an import its last transaction; of details their last change';
COMMENT ON COLUMN signatures.unsigned_eur IS 'of a payout: the unsigned part that was shown';
COMMENT ON COLUMN signatures.is_sole IS 'used alone, in a set of one signatory';
COMMENT ON COLUMN signatures.used_at IS 'when it served, with the others that were needed';

-- What used signatures cover: money, or a destination. Signed money is their sum less what left since (signed_money).
CREATE TABLE signed_parts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts (id),
  subject text NOT NULL CHECK (subject IN ('opening', 'import', 'adjustment', 'payout', 'billing')),
  subject_id bigint,
  amount_eur numeric(20, 6) NOT NULL DEFAULT 0 CHECK (amount_eur >= 0),
  destination bytea CHECK (length(destination) = 32),
  at timestamptz NOT NULL DEFAULT now(),
  voided_at timestamptz
);
CREATE INDEX signed_parts_account_idx ON signed_parts (account_id) WHERE voided_at IS NULL;
CREATE INDEX signed_parts_subject_idx ON signed_parts (subject, subject_id);
REVOKE UPDATE, DELETE ON signed_parts FROM regie_app;
COMMENT ON COLUMN signed_parts.subject IS 'opening: what had left the account when the rule began or a backup was restored';
COMMENT ON COLUMN signed_parts.destination IS 'SHA-256 of the IBAN, of the number and the BIC, or of the PayPal address';

-- When a payout is exported, or paid without a file.
CREATE TABLE payout_moves (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payout_id bigint NOT NULL REFERENCES payouts (id),
  account_id bigint NOT NULL REFERENCES accounts (id),
  admin_id bigint NOT NULL REFERENCES admins (id),
  at timestamptz NOT NULL DEFAULT now(),
  amount_eur numeric(14, 2) NOT NULL,
  unsigned_eur numeric(14, 2) NOT NULL CHECK (unsigned_eur BETWEEN 0 AND amount_eur),
  is_new_destination boolean NOT NULL,
  destination bytea NOT NULL CHECK (length(destination) = 32),
  signed_at timestamptz
);
CREATE INDEX payout_moves_account_idx ON payout_moves (account_id);
CREATE INDEX payout_moves_payout_idx ON payout_moves (payout_id);
CREATE INDEX payout_moves_unsigned_idx ON payout_moves (at) WHERE signed_at IS NULL;
REVOKE UPDATE, DELETE ON payout_moves FROM regie_app;
GRANT UPDATE (signed_at) ON payout_moves TO regie_app;
COMMENT ON COLUMN payout_moves.signed_at IS 'when two signatures covered it, then or later';
