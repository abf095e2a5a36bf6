-- A colleague asks to lift the second factors that an admin has lost: after a day, or once a third admin confirms.
CREATE TABLE factor_lifts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  admin_id bigint NOT NULL REFERENCES admins (id),
  asked_by bigint NOT NULL REFERENCES admins (id),
  asked_at timestamptz NOT NULL DEFAULT now(),
  due_at timestamptz NOT NULL,
  ended_at timestamptz,
  ended_by bigint REFERENCES admins (id),
  is_lifted boolean,
  CHECK (asked_by <> admin_id),
  CHECK ((ended_at IS NULL) = (is_lifted IS NULL)),
  CHECK (is_lifted IS NOT TRUE OR ended_by IS NULL OR ended_by NOT IN (admin_id, asked_by))
);
CREATE UNIQUE INDEX factor_lifts_open_key ON factor_lifts (admin_id) WHERE ended_at IS NULL;
COMMENT ON COLUMN factor_lifts.ended_by IS 'who confirmed or cancelled it; null when the day had passed';
REVOKE UPDATE, DELETE ON factor_lifts FROM regie_app;
GRANT UPDATE (ended_at, ended_by, is_lifted) ON factor_lifts TO regie_app;
