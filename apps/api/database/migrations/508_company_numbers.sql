-- What an electronic invoice says of its buyer.
ALTER TABLE accounts
  ADD COLUMN siren text COLLATE "C" CHECK (siren ~ '^[0-9]{9}$'),
  ADD COLUMN electronic_address text COLLATE "C" CHECK (length(electronic_address) <= 125),
  ADD COLUMN vat_regime text CHECK (vat_regime IN ('franchise', 'simplified', 'normal'));
COMMENT ON COLUMN accounts.electronic_address IS 'in the directory of electronic invoices (scheme 0225): the SIREN, or the SIREN with a suffix';
