-- A payment that came back is told from a payout that was given up by more than its reason.

ALTER TABLE payouts
  ADD COLUMN returned_at timestamptz,
  ADD CHECK (returned_at IS NULL OR state = 'cancelled');
COMMENT ON COLUMN payouts.returned_at IS 'when a paid one became cancelled: the bank gave the money back';
GRANT UPDATE (returned_at) ON payouts TO regie_app;

-- Its payment was reversed at the moment it was cancelled; one set back to pending first was reversed before.
UPDATE payouts p SET returned_at = p.cancelled_at
 WHERE p.state = 'cancelled' AND EXISTS (
   SELECT FROM ledger_transactions r JOIN ledger_postings q ON q.transaction_id = r.reverses AND q.account = 'paid'
    WHERE r.payout_id = p.id AND r.occurred_at = p.cancelled_at);
