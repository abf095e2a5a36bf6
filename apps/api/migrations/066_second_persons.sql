-- Who may be the second person to an act of somebody else, and what waits for one (docs/decisions/280).

-- Somebody answers for an admin being a person of their own: from then on they no longer depend on who made them before.
CREATE TABLE admin_vouches (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  admin_id bigint NOT NULL REFERENCES admins (id),
  vouched_by bigint REFERENCES admins (id),
  at timestamptz NOT NULL DEFAULT now(),
  CHECK (vouched_by <> admin_id)
);
CREATE INDEX admin_vouches_admin_idx ON admin_vouches (admin_id);
REVOKE UPDATE, DELETE ON admin_vouches FROM regie_app;
COMMENT ON COLUMN admin_vouches.vouched_by IS 'null on the server: npm run admin:vouch';

-- The second person to a move; null where none was needed, or none was there.
ALTER TABLE payout_moves ADD COLUMN approved_by bigint REFERENCES admins (id);
CREATE INDEX payout_moves_at_idx ON payout_moves (at) WHERE approved_by IS NULL;

-- What a balance is to change by once somebody else has approved it.
CREATE TABLE balance_adjustments (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts (id),
  amount_eur numeric(20, 6) NOT NULL CHECK (amount_eur <> 0),
  reason text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
  proposed_by bigint NOT NULL REFERENCES admins (id),
  proposed_at timestamptz NOT NULL DEFAULT now(),
  decided_by bigint REFERENCES admins (id),
  decided_at timestamptz,
  is_approved boolean,
  CHECK ((decided_at IS NULL) = (is_approved IS NULL)),
  CHECK (is_approved IS NOT TRUE OR decided_by <> proposed_by)
);
CREATE UNIQUE INDEX balance_adjustments_open_key ON balance_adjustments (account_id) WHERE decided_at IS NULL;
REVOKE UPDATE, DELETE ON balance_adjustments FROM regie_app;
GRANT UPDATE (decided_by, decided_at, is_approved) ON balance_adjustments TO regie_app;

-- Acts that nobody checked and those to look at, for the home page.
CREATE INDEX audit_log_unchecked_idx ON audit_log (at) WHERE after ? 'unchecked';
CREATE INDEX audit_log_alert_idx ON audit_log (at) WHERE after ? 'alert';
