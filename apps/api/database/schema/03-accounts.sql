-- Customers: percentages, referrals, bank details and contracts.

-- An import sees percentages and referrals as at its first batch. A change takes a number of this sequence under an
-- exclusive lock, an import under the shared one: earlier changes have smaller numbers.
CREATE SEQUENCE terms_versions;

-- Without defaults: the service takes them from the settings.
CREATE TABLE accounts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  first_name text NOT NULL DEFAULT '' CHECK (length(first_name) <= 50),
  last_name text NOT NULL DEFAULT '' CHECK (length(last_name) <= 50),
  email citext CHECK (length(email) <= 254),
  company text CHECK (length(company) <= 120),
  address text CHECK (length(address) <= 120),
  address2 text CHECK (length(address2) <= 120),
  city text CHECK (length(city) <= 50),
  postcode text CHECK (length(postcode) <= 20),
  country text CHECK (length(country) <= 80),
  vat_number text CHECK (length(vat_number) <= 40),
  timezone text CHECK (length(timezone) <= 40),
  role text NOT NULL DEFAULT 'customer' CHECK (role IN ('customer', 'label')),
  state text NOT NULL DEFAULT 'enabled' CHECK (state IN ('enabled', 'hold', 'disabled')),
  library_percentile numeric(5, 2) NOT NULL CHECK (library_percentile BETWEEN 0 AND 100),
  youtube_percentile numeric(5, 2) NOT NULL CHECK (youtube_percentile BETWEEN 0 AND 100),
  terms_version bigint NOT NULL DEFAULT 0,
  memo text CHECK (length(memo) <= 5000),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  search text GENERATED ALWAYS AS (
    fold(first_name || ' ' || last_name || ' ' || coalesce(company, '') || ' ' || coalesce(email::text, ''))
  ) STORED,
  erased_at timestamptz
);
REVOKE DELETE ON accounts FROM regie_app;
CREATE INDEX accounts_name_idx ON accounts (last_name, id);
CREATE INDEX accounts_search_idx ON accounts USING gin (search gin_trgm_ops);
-- The list of accounts, filtered by role or state.
CREATE INDEX accounts_label_idx ON accounts (last_name, id) WHERE role = 'label';
CREATE INDEX accounts_stopped_idx ON accounts (last_name, id) WHERE state <> 'enabled';
COMMENT ON COLUMN accounts.library_percentile IS 'percent of every income of a platform report that the account keeps';
COMMENT ON COLUMN accounts.youtube_percentile IS 'the same for video-platform reports';
COMMENT ON COLUMN accounts.terms_version IS 'from terms_versions: since when the two percentages hold';
COMMENT ON COLUMN accounts.erased_at IS 'when the personal data was erased; the account cannot be used any more';
CREATE TRIGGER accounts_number_terms BEFORE INSERT OR UPDATE ON accounts
  FOR EACH ROW EXECUTE FUNCTION accounts_number_terms();

-- Written by a trigger, the present ones included.
CREATE TABLE account_terms (
  account_id bigint NOT NULL REFERENCES accounts (id),
  version bigint NOT NULL,
  library_percentile numeric(5, 2) NOT NULL,
  youtube_percentile numeric(5, 2) NOT NULL,
  PRIMARY KEY (account_id, version)
);
REVOKE INSERT, UPDATE, DELETE ON account_terms FROM regie_app;

-- A percentage of the referred account's net income, out of the platform's share.
CREATE TABLE referrals (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  referrer_id bigint NOT NULL REFERENCES accounts (id),
  referred_id bigint NOT NULL REFERENCES accounts (id),
  percentile numeric(5, 2) NOT NULL CHECK (percentile BETWEEN 0 AND 100),
  created_version bigint NOT NULL DEFAULT lock_terms(),
  deleted_version bigint,
  created_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz,
  CHECK (referrer_id <> referred_id),
  CHECK ((deleted_version IS NULL) = (deleted_at IS NULL))
);
CREATE UNIQUE INDEX referrals_pair_key ON referrals (referrer_id, referred_id) WHERE deleted_at IS NULL;
CREATE INDEX referrals_referred_idx ON referrals (referred_id);
CREATE INDEX referrals_referrer_idx ON referrals (referrer_id) WHERE deleted_at IS NULL;
-- Only ended: posted imports depend on the rest.
REVOKE UPDATE, DELETE ON referrals FROM regie_app;
GRANT UPDATE (deleted_version, deleted_at) ON referrals TO regie_app;
COMMENT ON COLUMN referrals.created_version IS 'imports with a later terms_version see this referral, until deleted_version';

CREATE TABLE billing_accounts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts (id),
  type text NOT NULL CHECK (type IN ('bank', 'paypal')),
  email citext CHECK (length(email) <= 254),
  owner text NOT NULL CHECK (length(owner) BETWEEN 2 AND 140),
  holder_address text NOT NULL CHECK (length(holder_address) <= 140),
  holder_address2 text CHECK (length(holder_address2) <= 140),
  holder_city text NOT NULL CHECK (length(holder_city) <= 80),
  holder_country text NOT NULL CHECK (length(holder_country) <= 80),
  holder_postcode text NOT NULL CHECK (length(holder_postcode) <= 20),
  bank_name text CHECK (length(bank_name) <= 140),
  bank_country text CHECK (length(bank_country) <= 80),
  bank_address text CHECK (length(bank_address) <= 140),
  bank_address2 text CHECK (length(bank_address2) <= 140),
  bank_city text CHECK (length(bank_city) <= 80),
  bank_zip_code text CHECK (length(bank_zip_code) <= 20),
  iban text COLLATE "C" CHECK (length(iban) <= 40),
  swift text COLLATE "C" CHECK (length(swift) <= 11),
  created_at timestamptz NOT NULL DEFAULT now(),
  changed_at timestamptz,
  changed_by bigint REFERENCES admins (id),
  deleted_at timestamptz,
  UNIQUE (id, account_id),
  CHECK (type <> 'paypal' OR email IS NOT NULL),
  CHECK (type <> 'bank' OR (iban IS NOT NULL AND bank_name IS NOT NULL))
);
CREATE INDEX billing_accounts_account_idx ON billing_accounts (account_id);
CREATE INDEX billing_accounts_iban_idx ON billing_accounts (iban) WHERE iban IS NOT NULL;
COMMENT ON COLUMN billing_accounts.changed_at IS 'last change of details, not the first entry: payouts wait 72 h unless confirmed';

-- Immutable: text and values of the day it was made.
CREATE TABLE custom_contracts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts (id),
  kind text NOT NULL CHECK (length(kind) BETWEEN 1 AND 40),
  title text NOT NULL CHECK (length(title) BETWEEN 2 AND 200),
  template text NOT NULL CHECK (length(template) BETWEEN 1 AND 40000),
  field_values jsonb NOT NULL CHECK (jsonb_typeof(field_values) = 'object'),
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint REFERENCES admins (id),
  deleted_at timestamptz,
  deleted_by bigint REFERENCES admins (id)
);
CREATE INDEX custom_contracts_account_idx ON custom_contracts (account_id, id) WHERE deleted_at IS NULL;
REVOKE UPDATE, DELETE ON custom_contracts FROM regie_app;
GRANT UPDATE (deleted_at, deleted_by) ON custom_contracts TO regie_app;
COMMENT ON COLUMN custom_contracts.field_values IS 'what each field of the text stood for, house and account among them';
