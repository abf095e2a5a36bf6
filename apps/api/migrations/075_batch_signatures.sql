-- What a passkey signed when a batch of payouts was approved. Append-only: ledger:verify checks it for ever.
CREATE TABLE payout_batch_signatures (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  batch_id bigint NOT NULL REFERENCES payout_batches (id),
  admin_id bigint NOT NULL REFERENCES admins (id),
  signed_at timestamptz NOT NULL DEFAULT now(),
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
CREATE INDEX payout_batch_signatures_batch_idx ON payout_batch_signatures (batch_id);
COMMENT ON COLUMN payout_batch_signatures.digest IS 'SHA-256 of the batch: each payout, its amount, its fee and where it goes';
COMMENT ON COLUMN payout_batch_signatures.nonce IS 'the challenge is SHA-256 of nonce and digest';
COMMENT ON COLUMN payout_batch_signatures.client_data IS 'base64url, like authenticator_data and signature';
REVOKE UPDATE, DELETE ON payout_batch_signatures FROM regie_app;
