-- Of an admin who left. A passkey that has signed stays, without its name.
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

-- Without an IBAN, an account number is unique only per bank.
CREATE OR REPLACE FUNCTION destination_hash(kind text, iban text, swift text, email text) RETURNS bytea
  LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = public, pg_temp AS $$
  SELECT sha256(convert_to(CASE WHEN kind = 'paypal' THEN 'paypal ' || lower(coalesce(email, ''))
    WHEN iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{8,}$' THEN 'bank ' || iban
    ELSE 'bank ' || coalesce(iban, '') || ' ' || rpad(coalesce(swift, ''), 11, 'X') END, 'UTF8'))
$$;

-- EUR signed and not left: what signatures cover, less payments and other debits; negative where exceeded. A returned
-- payment still counts: its return is an unsigned credit.
CREATE OR REPLACE FUNCTION signed_money(ids bigint[]) RETURNS TABLE (account_id bigint, eur numeric)
  LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT a.id,
         coalesce((SELECT sum(s.amount_eur) FROM signed_parts s WHERE s.account_id = a.id AND s.voided_at IS NULL), 0)
         - coalesce((SELECT sum(m.amount_eur) FROM payout_moves m WHERE m.account_id = a.id), 0)
         + coalesce((
           SELECT sum(p.amount) FROM ledger_postings p JOIN ledger_transactions t ON t.id = p.transaction_id
            WHERE p.account = 'account:' || a.id AND p.currency = 'EUR' AND p.amount < 0 AND t.payout_id IS NULL), 0)
    FROM unnest(ids) AS a (id)
$$;

-- For an upgrade and after a restore: nothing is signed, balances and destinations included, the set is empty, and what
-- waits ends.
CREATE OR REPLACE FUNCTION forget_signatures() RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE signatures SET withdrawn_at = now() WHERE withdrawn_at IS NULL AND used_at IS NULL;
  UPDATE signatories SET removed_at = now() WHERE removed_at IS NULL;
  UPDATE proposals SET ended_at = now(), is_done = false, value = '{}' WHERE ended_at IS NULL;
  UPDATE signed_parts SET voided_at = now() WHERE voided_at IS NULL;
  INSERT INTO signed_parts (account_id, subject, amount_eur)
    SELECT account_id, 'opening', -eur FROM signed_money(ARRAY(SELECT id FROM accounts)) WHERE eur < 0;
END $$;
REVOKE EXECUTE ON FUNCTION forget_signatures FROM PUBLIC;
