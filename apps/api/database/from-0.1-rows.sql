-- What rows of version 0.1 need, in a database that is taken over and in one restored from a backup.
UPDATE credit_notes c SET card_transaction_id = o.card_transaction_id, payment_reference = o.payment_reference
  FROM orders o WHERE (o.invoice_year, o.invoice_number) = (c.invoice_year, c.invoice_number);
UPDATE orders o
   SET payment_intent_id = CASE WHEN card_transaction_id IS NULL THEN payment_intent_id END,
       card_transaction_id = NULL, payment_reference = NULL, receipt_email = NULL,
       due_date = CASE WHEN status <> 'pending' THEN due_date END
 WHERE is_credited(o);
-- Only a card payment sends a receipt; 0.1 named the customer's address for others too.
UPDATE orders SET receipt_email = NULL WHERE card_transaction_id IS NULL;
