-- Second factors of admins, what a sign-in or a confirmation waits for, and what the page "Sécurité" shows of sessions.

-- An authenticator app or a passkey. The row stays when the factor is removed: signatures name its key.
CREATE TABLE second_factors (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  admin_id bigint NOT NULL REFERENCES admins (id),
  kind text NOT NULL CHECK (kind IN ('totp', 'passkey')),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
  totp_secret bytea,
  last_step bigint,
  credential_id text COLLATE "C" UNIQUE CHECK (length(credential_id) BETWEEN 1 AND 1400),
  public_key bytea,
  sign_count bigint NOT NULL DEFAULT 0 CHECK (sign_count >= 0),
  transports text[] NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  removed_at timestamptz,
  CHECK ((kind = 'totp') = (totp_secret IS NOT NULL)),
  CHECK ((kind = 'passkey') = (credential_id IS NOT NULL)),
  CHECK ((kind = 'passkey') = (public_key IS NOT NULL))
);
CREATE INDEX second_factors_admin_idx ON second_factors (admin_id) WHERE removed_at IS NULL;
COMMENT ON COLUMN second_factors.totp_secret IS 'encrypted with a key derived from SESSION_SECRET';
COMMENT ON COLUMN second_factors.last_step IS 'the last 30-second step whose code was used: a code is accepted once';
COMMENT ON COLUMN second_factors.public_key IS 'COSE key of the credential';
REVOKE UPDATE, DELETE ON second_factors FROM regie_app;
GRANT UPDATE (last_step, sign_count, last_used_at, removed_at) ON second_factors TO regie_app;

CREATE TABLE recovery_codes (
  code_hash bytea PRIMARY KEY CHECK (length(code_hash) = 32),
  admin_id bigint NOT NULL REFERENCES admins (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  used_at timestamptz
);
CREATE INDEX recovery_codes_admin_idx ON recovery_codes (admin_id);
COMMENT ON COLUMN recovery_codes.code_hash IS 'SHA-256 of 120 random bits';

-- What was begun and not ended: a sign-in whose password was right, a factor being added, a confirmation.
CREATE TABLE auth_challenges (
  token_hash bytea PRIMARY KEY CHECK (length(token_hash) = 32),
  admin_id bigint NOT NULL REFERENCES admins (id),
  purpose text NOT NULL CHECK (purpose IN ('sign_in', 'step_up', 'add_totp', 'add_passkey', 'mail_code', 'approve_batch')),
  challenge text COLLATE "C",
  totp_secret bytea,
  expires_at timestamptz NOT NULL
);
CREATE INDEX auth_challenges_admin_idx ON auth_challenges (admin_id);
CREATE INDEX auth_challenges_expires_idx ON auth_challenges (expires_at);
COMMENT ON COLUMN auth_challenges.challenge IS 'base64url, what a passkey is asked to sign';

ALTER TABLE sessions
  ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  ADD COLUMN factor_at timestamptz,
  ADD COLUMN device text,
  ADD COLUMN address text;
COMMENT ON COLUMN sessions.factor_at IS 'when a second factor was last used in it';
COMMENT ON COLUMN sessions.device IS 'browser and system as the user agent names them';

-- A new installation asks for a second factor wherever money moves; one that is in use decides itself.
INSERT INTO settings (key, value) SELECT 'secondFactor', '"optional"' WHERE EXISTS (SELECT FROM admins);
