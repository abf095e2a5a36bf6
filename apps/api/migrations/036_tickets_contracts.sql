-- Claim tickets are found by their words; contracts written for an account are kept with it.

-- A link opens in the browser of whoever handles the ticket. Those that are there already are left alone.
ALTER TABLE tickets ADD CONSTRAINT tickets_url_https CHECK (url LIKE 'https://%') NOT VALID;
ALTER TABLE tickets ADD COLUMN search text GENERATED ALWAYS AS (fold(title || ' ' || url)) STORED;
CREATE INDEX tickets_search_idx ON tickets USING gin (search gin_trgm_ops);
CREATE INDEX tickets_track_idx ON tickets (track_id) WHERE track_id IS NOT NULL;

-- What was agreed does not change: the text and the values that filled it are those of the day it was made.
CREATE TABLE custom_contracts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts (id),
  kind text NOT NULL CHECK (length(kind) BETWEEN 1 AND 40),
  title text NOT NULL CHECK (length(title) BETWEEN 2 AND 200),
  template text NOT NULL CHECK (length(template) BETWEEN 1 AND 40000),
  field_values jsonb NOT NULL CHECK (jsonb_typeof(field_values) = 'object'),
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint REFERENCES admins (id),
  deleted_at timestamptz,
  deleted_by bigint REFERENCES admins (id)
);
CREATE INDEX custom_contracts_account_idx ON custom_contracts (account_id, id) WHERE deleted_at IS NULL;
REVOKE UPDATE, DELETE ON custom_contracts FROM regie_app;
GRANT UPDATE (deleted_at, deleted_by) ON custom_contracts TO regie_app;
COMMENT ON COLUMN custom_contracts.field_values IS 'what each field of the text stood for, house and account among them';
