-- The letter of each royalty statement, and the link in it (decision 540).
CREATE TABLE royalty_letters (
  statement_id bigint PRIMARY KEY REFERENCES royalty_statements (id),
  email text,
  queued_at timestamptz NOT NULL DEFAULT now(),
  queued_by bigint REFERENCES admins (id),
  tried_at timestamptz,
  sent_at timestamptz,
  failure text CHECK (failure IN ('no_email', 'suspended', 'refused', 'unreachable', 'given_up')),
  reply integer,
  link integer NOT NULL DEFAULT 1 CHECK (link >= 1),
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  CHECK (sent_at IS NULL OR failure IS NULL),
  CHECK (email IS NOT NULL OR failure = 'no_email' OR sent_at IS NOT NULL)
);
CREATE INDEX royalty_letters_tried_idx ON royalty_letters (tried_at);
CREATE INDEX royalty_letters_waiting_idx ON royalty_letters (statement_id) WHERE sent_at IS NULL;
COMMENT ON COLUMN royalty_letters.failure IS 'why it is not delivered; unreachable: it is being tried again';
COMMENT ON COLUMN royalty_letters.reply IS 'the mail server''s reply code to a refused letter';
COMMENT ON COLUMN royalty_letters.link IS 'part of the signed link: links with earlier numbers are invalid';

COMMENT ON COLUMN accounts.statement_period IS 'null: the setting''s';
