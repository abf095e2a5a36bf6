-- Who sells and who buys, as an invoice said when it was issued; a credit note says what its invoice said.
ALTER TABLE orders ADD COLUMN seller jsonb CHECK (jsonb_typeof(seller) = 'object');
ALTER TABLE credit_notes
  ADD COLUMN seller jsonb CHECK (jsonb_typeof(seller) = 'object'),
  ADD COLUMN buyer jsonb CHECK (jsonb_typeof(buyer) = 'object');
COMMENT ON COLUMN orders.seller IS 'the house of the settings when the invoice was issued; null for earlier invoices';
COMMENT ON COLUMN orders.buyer IS 'identity and address of the account when the invoice was issued; null without an invoice, and after its legal term';
