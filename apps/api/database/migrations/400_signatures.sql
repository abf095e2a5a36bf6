-- Signatures (docs/decisions/280): who may sign, what waits for two signatures, what was signed, and what that covers.

-- The set. A row ends when its admin leaves the set; the same admin may come back with another one.
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

-- What a passkey signed: the digest of the signatures given in one act. Append-only: ledger:verify checks every one.
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
-- One open signature of an admin for each subject: a newer version replaces it.
CREATE UNIQUE INDEX signatures_open_key ON signatures (subject, subject_id, admin_id) WHERE withdrawn_at IS NULL AND used_at IS NULL;
CREATE INDEX signatures_subject_idx ON signatures (subject, subject_id);
CREATE INDEX signatures_assertion_idx ON signatures (assertion_id) WHERE assertion_id IS NOT NULL;
REVOKE UPDATE, DELETE ON signatures FROM regie_app;
GRANT UPDATE (is_sole, withdrawn_at, used_at) ON signatures TO regie_app;
COMMENT ON COLUMN signatures.version IS 'what was shown: of a payout amount, fee and destination; of an import its last transaction; of details their last change';
COMMENT ON COLUMN signatures.unsigned_eur IS 'of a payout: the unsigned part that was shown';
COMMENT ON COLUMN signatures.is_sole IS 'used alone, in a set of one signatory';
COMMENT ON COLUMN signatures.used_at IS 'when it served, with the others that were needed';

-- What used signatures cover, by account: money, or a destination. Signed money is the sum of these rows less what left the
-- account since (signed_money).
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

-- One row for each payment of a payout: when it is exported, or when it is marked as paid without a file.
DROP TABLE payout_moves;
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

-- Marks sessions in which a second factor of Régie, not the provider's, was used.
ALTER TABLE sessions ADD COLUMN own_factor_at timestamptz;
COMMENT ON COLUMN sessions.own_factor_at IS 'when a second factor of Régie was last used in it: only that signs';

ALTER TABLE auth_challenges DROP CONSTRAINT auth_challenges_purpose_check;
DELETE FROM auth_challenges WHERE purpose = 'approve_batch';
ALTER TABLE auth_challenges ADD CONSTRAINT auth_challenges_purpose_check
  CHECK (purpose IN ('sign_in', 'step_up', 'add_totp', 'add_passkey', 'mail_code', 'sign'));

-- The key of a destination: without an IBAN, an account number is unique only per bank.
CREATE FUNCTION destination_hash(kind text, iban text, swift text, email text) RETURNS bytea
  LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = public, pg_temp AS $$
  SELECT sha256(convert_to(CASE WHEN kind = 'paypal' THEN 'paypal ' || lower(coalesce(email, ''))
    WHEN iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{8,}$' THEN 'bank ' || iban
    ELSE 'bank ' || coalesce(iban, '') || ' ' || rpad(coalesce(swift, ''), 11, 'X') END, 'UTF8'))
$$;

-- EUR of accounts that are signed and have not left them: what signatures cover, less payments and other debits. Negative where
-- they exceeded it. A payment that came back still counts: its return is an unsigned credit.
CREATE FUNCTION signed_money(ids bigint[]) RETURNS TABLE (account_id bigint, eur numeric)
  LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT a.id,
         coalesce((SELECT sum(s.amount_eur) FROM signed_parts s WHERE s.account_id = a.id AND s.voided_at IS NULL), 0)
         - coalesce((SELECT sum(m.amount_eur) FROM payout_moves m WHERE m.account_id = a.id), 0)
         + coalesce((
           SELECT sum(p.amount) FROM ledger_postings p JOIN ledger_transactions t ON t.id = p.transaction_id
            WHERE p.account = 'account:' || a.id AND p.currency = 'EUR' AND p.amount < 0 AND t.payout_id IS NULL), 0)
         + coalesce((
           SELECT sum(c.amount - c.credited) FROM ledger_carried c
            WHERE c.account = 'account:' || a.id AND c.currency = 'EUR' AND c.of_kind <> 'payout'), 0)
    FROM unnest(ids) AS a (id)
$$;

-- Leaves nothing signed, present balances and destinations included, and the set empty: for an upgrade to signatures, and
-- after a restore. What waits ends.
CREATE FUNCTION forget_signatures() RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE signatures SET withdrawn_at = now() WHERE withdrawn_at IS NULL AND used_at IS NULL;
  UPDATE signatories SET removed_at = now() WHERE removed_at IS NULL;
  UPDATE proposals SET ended_at = now(), is_done = false, value = '{}' WHERE ended_at IS NULL;
  UPDATE signed_parts SET voided_at = now() WHERE voided_at IS NULL;
  INSERT INTO signed_parts (account_id, subject, amount_eur)
    SELECT account_id, 'opening', -eur FROM signed_money(ARRAY(SELECT id FROM accounts)) WHERE eur < 0;
END $$;
REVOKE EXECUTE ON FUNCTION forget_signatures FROM PUBLIC;

-- What waited for a second person ends, with a line in the journal.
INSERT INTO audit_log (action, entity, entity_id, before)
  SELECT 'settings.withdraw', 'settings', NULL, jsonb_build_object(key, '…') FROM setting_proposals WHERE decided_at IS NULL
  UNION ALL
  SELECT 'account.withdraw_adjustment', 'account', account_id::text, jsonb_build_object('amount', amount_eur, 'reason', reason)
    FROM balance_adjustments WHERE decided_at IS NULL
  UNION ALL
  SELECT 'admin.cancel_factor_lift', 'admin', admin_id::text, NULL FROM factor_lifts WHERE ended_at IS NULL;
DROP TABLE setting_proposals;
DROP TABLE balance_adjustments;
DROP TABLE admin_vouches;
DROP TABLE factor_lifts;

-- A signature names what it saw: a change of details needs no trigger to void it.
DROP TRIGGER billing_accounts_void_approvals ON billing_accounts;
DROP FUNCTION billing_accounts_void_approvals();
ALTER TABLE billing_accounts DROP COLUMN confirmed_by;
ALTER TABLE payouts DROP COLUMN approved_by, DROP COLUMN approved_at;
UPDATE payout_batches SET state = 'draft' WHERE state = 'approved';
ALTER TABLE payout_batches DROP COLUMN approved_at, DROP COLUMN approved_by,
  DROP CONSTRAINT payout_batches_state_check,
  ADD CONSTRAINT payout_batches_state_check CHECK (state IN ('draft', 'exported', 'paid', 'void'));
-- Earlier signatures of batches stay as proofs of what was approved then.
INSERT INTO signature_assertions (admin_id, at, digest, nonce, origin, relying_party, credential_id, public_key, client_data,
                                  authenticator_data, signature)
  SELECT admin_id, signed_at, digest, nonce, origin, relying_party, credential_id, public_key, client_data,
         authenticator_data, signature FROM payout_batch_signatures ORDER BY id;
DROP TABLE payout_batch_signatures;
CREATE OR REPLACE FUNCTION erase_admin_access(admin_id bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM admins a WHERE a.id = erase_admin_access.admin_id AND a.deleted_at IS NOT NULL) THEN
    RAISE EXCEPTION 'admin % has not left', erase_admin_access.admin_id;
  END IF;
  DELETE FROM admin_identities i WHERE i.admin_id = erase_admin_access.admin_id;
  DELETE FROM second_factors f
   WHERE f.admin_id = erase_admin_access.admin_id
     AND NOT EXISTS (SELECT FROM signature_assertions s WHERE s.admin_id = f.admin_id AND s.credential_id = f.credential_id);
  UPDATE second_factors f SET name = 'clé supprimée', removed_at = coalesce(f.removed_at, now())
   WHERE f.admin_id = erase_admin_access.admin_id;
END $$;
DELETE FROM settings WHERE key = 'payoutHouseApprovalEur';

SELECT forget_signatures();
