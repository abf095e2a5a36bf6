-- Staff, their sessions and links, and the shared mechanisms that record what they did.

CREATE TABLE admins (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  first_name text NOT NULL CHECK (length(first_name) BETWEEN 1 AND 40),
  last_name text NOT NULL CHECK (length(last_name) BETWEEN 1 AND 40),
  email citext NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
  password_hash text NOT NULL,
  created_by bigint REFERENCES admins (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz
);
-- A deleted admin keeps the row that the journal names; the address is free again.
CREATE UNIQUE INDEX admins_email_key ON admins (email) WHERE deleted_at IS NULL;

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
  last_seen_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sessions_admin_idx ON sessions (admin_id);
COMMENT ON COLUMN sessions.token_hash IS 'SHA-256 of the cookie; the token itself is never stored';

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
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX invitations_open_email_key ON invitations (email) WHERE used_at IS NULL AND withdrawn_at IS NULL;

-- The journal: who did what to which record. Append-only for the application.
CREATE TABLE audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  admin_id bigint REFERENCES admins (id),
  action text NOT NULL CHECK (action ~ '^[a-z_]+\.[a-z_]+$'),
  entity text NOT NULL,
  entity_id text COLLATE "C",
  before jsonb,
  after jsonb,
  request_id text
);
CREATE INDEX audit_log_entity_idx ON audit_log (entity, entity_id, id);
CREATE INDEX audit_log_admin_idx ON audit_log (admin_id, id);
COMMENT ON COLUMN audit_log.admin_id IS 'null when the system itself acted';
REVOKE UPDATE, DELETE ON audit_log FROM regie_app;

-- Answers kept for seven days, recorded in the transaction of the effect they describe.
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

CREATE TABLE settings (
  key text PRIMARY KEY,
  value jsonb NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  updated_by bigint REFERENCES admins (id)
);
