-- Staff: accounts, sign-in, settings, and the stored answers of repeated calls.

-- Admins of a provider have neither password nor creator (docs/decisions/310).
CREATE TABLE admins (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  first_name text NOT NULL CHECK (length(first_name) BETWEEN 1 AND 40),
  last_name text NOT NULL CHECK (length(last_name) BETWEEN 1 AND 40),
  email citext NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
  password_hash text,
  created_by bigint REFERENCES admins (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz,
  is_from_provider boolean NOT NULL DEFAULT false,
  erased_at timestamptz,
  CHECK (erased_at IS NULL OR deleted_at IS NOT NULL)
);
-- The journal names deleted admins; their address can be used again.
CREATE UNIQUE INDEX admins_email_key ON admins (email) WHERE deleted_at IS NULL;
COMMENT ON COLUMN admins.is_from_provider IS 'created at a first sign-in by the provider; such a person is a newcomer at first, as if somebody had added them';

CREATE TABLE admin_capabilities (
  admin_id bigint NOT NULL REFERENCES admins (id),
  capability text COLLATE "C" NOT NULL CHECK (capability ~ '^[a-z_]{3,40}$'),
  PRIMARY KEY (admin_id, capability)
);
CREATE INDEX admin_capabilities_capability_idx ON admin_capabilities (capability);

CREATE TABLE sessions (
  token_hash bytea PRIMARY KEY CHECK (length(token_hash) = 32),
  admin_id bigint NOT NULL REFERENCES admins (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  id bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  factor_at timestamptz,
  device text,
  address text,
  is_from_provider boolean NOT NULL DEFAULT false,
  has_provider_factor boolean NOT NULL DEFAULT false,
  provider_confirmed_at timestamptz,
  own_factor_at timestamptz
);
CREATE INDEX sessions_admin_idx ON sessions (admin_id);
COMMENT ON COLUMN sessions.token_hash IS 'SHA-256 of the cookie; the token itself is never stored';
COMMENT ON COLUMN sessions.factor_at IS 'when a second factor was last used in it';
COMMENT ON COLUMN sessions.device IS 'browser and system as the user agent names them';
COMMENT ON COLUMN sessions.has_provider_factor IS 'the provider said that a second factor was used to sign in';
COMMENT ON COLUMN sessions.provider_confirmed_at IS 'when its owner last signed in again at the provider to confirm that it is them';
COMMENT ON COLUMN sessions.own_factor_at IS 'when a second factor of Régie was last used in it: only that signs';

CREATE TABLE password_resets (
  token_hash bytea PRIMARY KEY CHECK (length(token_hash) = 32),
  admin_id bigint NOT NULL REFERENCES admins (id),
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX password_resets_admin_idx ON password_resets (admin_id);

CREATE TABLE invitations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  token_hash bytea NOT NULL UNIQUE CHECK (length(token_hash) = 32),
  email citext NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
  capabilities text[] NOT NULL,
  invited_by bigint NOT NULL REFERENCES admins (id),
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  used_by bigint REFERENCES admins (id),
  withdrawn_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  delivery_failed_at timestamptz
);
CREATE UNIQUE INDEX invitations_open_email_key ON invitations (email) WHERE used_at IS NULL AND withdrawn_at IS NULL;
COMMENT ON COLUMN invitations.delivery_failed_at IS 'when its letter was last refused; null once it was taken';

-- An authenticator app or a passkey. Removed ones stay: signatures name their key.
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
REVOKE UPDATE, DELETE ON second_factors FROM regie_app;
GRANT UPDATE (last_step, sign_count, last_used_at, removed_at) ON second_factors TO regie_app;
COMMENT ON COLUMN second_factors.totp_secret IS 'encrypted with a key derived from SESSION_SECRET';
COMMENT ON COLUMN second_factors.last_step IS 'the last 30-second step whose code was used: a code is accepted once';
COMMENT ON COLUMN second_factors.public_key IS 'COSE key of the credential';

CREATE TABLE recovery_codes (
  code_hash bytea PRIMARY KEY CHECK (length(code_hash) = 32),
  admin_id bigint NOT NULL REFERENCES admins (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  used_at timestamptz
);
CREATE INDEX recovery_codes_admin_idx ON recovery_codes (admin_id);
COMMENT ON COLUMN recovery_codes.code_hash IS 'SHA-256 of 120 random bits';

-- Unfinished steps: a sign-in after the password, a factor being added, a confirmation.
CREATE TABLE auth_challenges (
  token_hash bytea PRIMARY KEY CHECK (length(token_hash) = 32),
  admin_id bigint NOT NULL REFERENCES admins (id),
  purpose text NOT NULL CHECK (purpose IN ('sign_in', 'step_up', 'add_totp', 'add_passkey', 'mail_code', 'sign')),
  challenge text COLLATE "C",
  totp_secret bytea,
  expires_at timestamptz NOT NULL
);
CREATE INDEX auth_challenges_admin_idx ON auth_challenges (admin_id);
CREATE INDEX auth_challenges_expires_idx ON auth_challenges (expires_at);
COMMENT ON COLUMN auth_challenges.challenge IS 'base64url, what a passkey is asked to sign';

-- At a provider. The row of a deleted admin stays: the person is not new.
CREATE TABLE admin_identities (
  issuer text COLLATE "C" NOT NULL CHECK (length(issuer) BETWEEN 1 AND 500),
  subject text COLLATE "C" NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
  admin_id bigint NOT NULL REFERENCES admins (id),
  linked_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (issuer, subject),
  UNIQUE (admin_id, issuer)
);
REVOKE UPDATE, DELETE ON admin_identities FROM regie_app;
GRANT UPDATE (admin_id, linked_at) ON admin_identities TO regie_app;

CREATE TABLE settings (
  key text PRIMARY KEY,
  value jsonb NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  updated_by bigint REFERENCES admins (id)
);

-- For seven days, in the transaction of their effect.
CREATE TABLE idempotency_keys (
  admin_id bigint NOT NULL REFERENCES admins (id),
  scope text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL CHECK (length(key) BETWEEN 1 AND 200),
  body_hash bytea NOT NULL,
  response text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (admin_id, key, scope)
);
CREATE INDEX idempotency_keys_created_idx ON idempotency_keys (created_at);
COMMENT ON COLUMN idempotency_keys.scope IS 'method, path and query of the call';

-- As rate-limiter-flexible expects. Without personal data: keys are HMACs.
CREATE TABLE rate_limits (
  key varchar(255) COLLATE "C" PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
);
CREATE INDEX rate_limits_expire_idx ON rate_limits (expire);
COMMENT ON COLUMN rate_limits.expire IS 'milliseconds since 1970; the counter starts anew after it';

-- Per admin: search, sorting and columns under a name.
CREATE TABLE saved_views (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  admin_id bigint NOT NULL REFERENCES admins (id),
  list text COLLATE "C" NOT NULL CHECK (length(list) BETWEEN 1 AND 100),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
  search text NOT NULL CHECK (length(search) <= 4000),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX saved_views_name_idx ON saved_views (admin_id, list, lower(name));

-- Per admin: pinned addresses and folded sections.
CREATE TABLE sidebars (
  admin_id bigint PRIMARY KEY REFERENCES admins (id),
  favourites text[] NOT NULL CHECK (cardinality(favourites) <= 100),
  folded text[] NOT NULL CHECK (cardinality(folded) <= 100)
);
