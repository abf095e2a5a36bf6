-- What the application sees to, held by the database too: a payout never gives out more than it reserved, and none of
-- its transactions is taken back twice.

-- No CHECK: that would look at the row an upsert proposes, before it is added to the one that is there.
CREATE FUNCTION ledger_balances_refuse_overdraft() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% would give out more than it reserved', NEW.account
    USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_balances_payout_covered', TABLE = 'ledger_balances';
END $$;
CREATE TRIGGER ledger_balances_payout_covered AFTER INSERT OR UPDATE ON ledger_balances
  FOR EACH ROW WHEN (NEW.amount < 0 AND NEW.account LIKE 'payout:%')
  EXECUTE FUNCTION ledger_balances_refuse_overdraft();

CREATE UNIQUE INDEX ledger_transactions_payout_reversal_key ON ledger_transactions (reverses)
  WHERE reverses IS NOT NULL AND payout_id IS NOT NULL;

-- Two changes of details at once that concern the same batches take them in one order.
CREATE OR REPLACE FUNCTION billing_accounts_void_approvals() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM 1 FROM payouts
    WHERE billing_account_id = NEW.id AND state = 'pending' AND deleted_at IS NULL ORDER BY id FOR UPDATE;
  UPDATE payouts SET approved_by = NULL, approved_at = NULL
   WHERE billing_account_id = NEW.id AND state = 'pending' AND deleted_at IS NULL AND approved_by IS NOT NULL;
  PERFORM 1 FROM payout_batches
    WHERE id IN (SELECT batch_id FROM payouts WHERE billing_account_id = NEW.id AND state = 'pending' AND deleted_at IS NULL)
    ORDER BY id FOR UPDATE;
  UPDATE payout_batches SET state = 'draft', approved_by = NULL, approved_at = NULL
   WHERE state = 'approved'
     AND id IN (SELECT batch_id FROM payouts WHERE billing_account_id = NEW.id AND state = 'pending' AND deleted_at IS NULL);
  RETURN NULL;
END $$;
