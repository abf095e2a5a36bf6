-- A credited payment no longer pays the order: it moves to the credit note, and the order paid again has another one.
ALTER TABLE credit_notes
  ADD card_transaction_id text CHECK (length(card_transaction_id) <= 200),
  ADD payment_reference text CHECK (length(payment_reference) <= 200);

UPDATE credit_notes c SET card_transaction_id = o.card_transaction_id, payment_reference = o.payment_reference
  FROM orders o WHERE (o.invoice_year, o.invoice_number) = (c.invoice_year, c.invoice_number);
UPDATE orders o
   SET payment_intent_id = CASE WHEN card_transaction_id IS NULL THEN payment_intent_id END,
       card_transaction_id = NULL, payment_reference = NULL, receipt_email = NULL
 WHERE is_credited(o);
