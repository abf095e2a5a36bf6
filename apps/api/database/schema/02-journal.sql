-- Who did what to which record, from where. Append-only for the application.
CREATE TABLE audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The time of the act, not of the transaction's start: one that waited for a lock comes later.
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  admin_id bigint REFERENCES admins (id),
  action text NOT NULL CHECK (action ~ '^[a-z_]+\.[a-z_]+$'),
  entity text NOT NULL,
  entity_id text COLLATE "C",
  before jsonb,
  after jsonb,
  request_id text,
  address text CHECK (length(address) <= 64),
  agent text CHECK (length(agent) <= 300),
  fields text[] GENERATED ALWAYS AS (journal_fields(before, after)) STORED,
  -- Each word that the journal shows finds the entry.
  search text GENERATED ALWAYS AS (journal_search(entity, entity_id, before, after)) STORED,
  -- Sealed are who did what to which record and when, and a salted digest of the rest, which stays after a redaction.
  -- The salt goes then: the digest confirms no guess. Entries from before 0.2 have neither.
  salt uuid DEFAULT gen_random_uuid(),
  digest bytea CHECK (length(digest) = 32)
);
CREATE INDEX audit_log_entity_idx ON audit_log (entity, entity_id, id);
CREATE INDEX audit_log_admin_idx ON audit_log (admin_id, id);
-- The home page lists unchecked acts and alerts.
CREATE INDEX audit_log_unchecked_idx ON audit_log (at) WHERE after ? 'unchecked';
CREATE INDEX audit_log_alert_idx ON audit_log (at) WHERE after ? 'alert';
-- Every payout looks up who assigned its account's income (docs/decisions/280).
CREATE INDEX audit_log_assigned_track_idx ON audit_log ((after ->> 'trackId'))
 WHERE action IN ('income_item.assign', 'income_item.match');
-- Setting an ISRC looks up which track had it.
CREATE INDEX audit_log_former_isrc_idx ON audit_log ((before ->> 'isrc')) WHERE entity = 'track' AND before ? 'isrc';
-- Finds rare words without reading the journal.
CREATE INDEX audit_log_search_idx ON audit_log USING gin (search gin_trgm_ops);
CREATE INDEX audit_log_fields_idx ON audit_log USING gin (fields);
CREATE INDEX audit_log_action_idx ON audit_log (action);
CREATE INDEX audit_log_entity_id_idx ON audit_log (entity_id);
-- Not the number and time of an entry.
REVOKE INSERT, UPDATE, DELETE ON audit_log FROM regie_app;
GRANT INSERT (admin_id, action, entity, entity_id, before, after, request_id, address, agent) ON audit_log TO regie_app;
COMMENT ON COLUMN audit_log.fields IS 'the fields that differ between the two states, by path';
COMMENT ON COLUMN audit_log.search IS 'the folded words that the journal shows of the entry and that no other table or the contract knows';
COMMENT ON COLUMN audit_log.admin_id IS 'null when the system itself acted';
COMMENT ON COLUMN audit_log.address IS 'the caller''s address, behind a named proxy the one it forwards; null for jobs';
COMMENT ON COLUMN audit_log.agent IS 'User-Agent as the caller sent it, cut; null for jobs';
COMMENT ON COLUMN audit_log.salt IS 'part of the digest, replaced at each redaction; null for entries before it existed';
COMMENT ON COLUMN audit_log.digest IS 'of states, address and browser as they were before the first redaction; null while they are whole';

-- What redactions left. Each is a link of the chain: an entry is as its last redaction left it (docs/decisions/420).
CREATE TABLE journal_redactions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  entry_id bigint NOT NULL REFERENCES audit_log (id),
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  content_hash bytea NOT NULL CHECK (length(content_hash) = 32)
);
CREATE INDEX journal_redactions_entry_idx ON journal_redactions (entry_id, id);
REVOKE INSERT, UPDATE, DELETE ON journal_redactions FROM regie_app;
COMMENT ON COLUMN journal_redactions.content_hash IS 'the digest of the entry as it was left';

-- Journal and ledger as one chain: a hash covers the row and the hash before it, so a row changed, removed or inserted
-- later breaks it (docs/decisions/285).
CREATE TABLE chain_links (
  seq bigint PRIMARY KEY,
  source text COLLATE "C" NOT NULL CHECK (source IN ('journal', 'ledger', 'redaction')),
  row_id bigint NOT NULL,
  hash bytea NOT NULL CHECK (length(hash) = 32),
  sealed_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (source, row_id)
);
CREATE INDEX chain_links_sealed_idx ON chain_links USING brin (sealed_at);
REVOKE INSERT, UPDATE, DELETE ON chain_links FROM regie_app;

-- Rows up to the mark are chained; above, open transactions may fill gaps.
CREATE TABLE chain_marks (
  source text COLLATE "C" PRIMARY KEY CHECK (source IN ('journal', 'ledger', 'redaction')),
  sealed_below bigint NOT NULL
);
REVOKE INSERT, UPDATE, DELETE ON chain_marks FROM regie_app;
INSERT INTO chain_marks VALUES ('journal', 1), ('ledger', 1), ('redaction', 1);
