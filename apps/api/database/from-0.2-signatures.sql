-- Adds signatures to a database of version 0.2, after schema/16-signatures.sql.
ALTER TABLE sessions ADD COLUMN own_factor_at timestamptz;
COMMENT ON COLUMN sessions.own_factor_at IS 'when a second factor of Régie was last used in it: only that signs';

ALTER TABLE auth_challenges DROP CONSTRAINT auth_challenges_purpose_check;
DELETE FROM auth_challenges WHERE purpose = 'approve_batch';
ALTER TABLE auth_challenges ADD CONSTRAINT auth_challenges_purpose_check
  CHECK (purpose IN ('sign_in', 'step_up', 'add_totp', 'add_passkey', 'mail_code', 'sign'));

-- What waited for a second person ends, journalled.
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
-- Earlier signatures of batches stay as proofs.
INSERT INTO signature_assertions (admin_id, at, digest, nonce, origin, relying_party, credential_id, public_key, client_data,
                                  authenticator_data, signature)
  SELECT admin_id, signed_at, digest, nonce, origin, relying_party, credential_id, public_key, client_data,
         authenticator_data, signature FROM payout_batch_signatures ORDER BY id;
DROP TABLE payout_batch_signatures;
DELETE FROM settings WHERE key = 'payoutHouseApprovalEur';

SELECT forget_signatures();
