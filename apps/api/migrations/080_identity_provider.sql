-- Signing in at an OpenID Connect provider (docs/decisions/310).

-- Whoever came in by the provider has no password here, and was made by nobody of this house.
ALTER TABLE admins
  ALTER COLUMN password_hash DROP NOT NULL,
  ADD COLUMN is_from_provider boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN admins.is_from_provider IS 'created at a first sign-in by the provider; such a person is a newcomer at first, as if somebody had added them';

-- Who an admin is at a provider. The row stays when the admin is deleted: that person is not taken for a new one.
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

ALTER TABLE sessions
  ADD COLUMN is_from_provider boolean NOT NULL DEFAULT false,
  ADD COLUMN has_provider_factor boolean NOT NULL DEFAULT false,
  ADD COLUMN provider_confirmed_at timestamptz;
COMMENT ON COLUMN sessions.has_provider_factor IS 'the provider said that a second factor was used to sign in';
COMMENT ON COLUMN sessions.provider_confirmed_at IS 'when its owner last signed in again at the provider to confirm that it is them';
