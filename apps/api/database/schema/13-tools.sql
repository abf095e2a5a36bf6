-- The tools pages (bulk edits of codes, duplicates), and the backups.

-- With the former codes, so that it can be reversed.
CREATE TABLE code_edits (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('isrc', 'barcode')),
  source text NOT NULL CHECK (source IN ('file', 'assigned')),
  -- Chosen by the browser for all chunks of a file.
  key text COLLATE "C" UNIQUE CHECK (length(key) BETWEEN 8 AND 100),
  file_name text CHECK (length(file_name) <= 255),
  saved integer NOT NULL DEFAULT 0 CHECK (saved >= 0),
  unsaved integer NOT NULL DEFAULT 0 CHECK (unsaved >= 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint NOT NULL REFERENCES admins (id),
  reversed_at timestamptz,
  reversed_by bigint REFERENCES admins (id),
  reversed integer CHECK (reversed >= 0),
  CHECK ((reversed_at IS NULL) = (reversed_by IS NULL)),
  CHECK ((reversed_at IS NULL) = (reversed IS NULL))
);
CREATE INDEX code_edits_order_idx ON code_edits (created_at, id);
REVOKE UPDATE, DELETE ON code_edits FROM regie_app;
GRANT UPDATE (saved, unsaved, reversed_at, reversed_by, reversed) ON code_edits TO regie_app;
COMMENT ON COLUMN code_edits.reversed IS 'records that got their former code back; one changed since keeps what it has';

CREATE TABLE code_edit_changes (
  edit_id bigint NOT NULL REFERENCES code_edits (id),
  position integer NOT NULL CHECK (position > 0),
  track_id bigint REFERENCES tracks (id),
  release_id bigint REFERENCES releases (id),
  before text COLLATE "C",
  after text COLLATE "C" NOT NULL,
  PRIMARY KEY (edit_id, position),
  CHECK (num_nonnulls(track_id, release_id) = 1)
);
REVOKE UPDATE, DELETE ON code_edit_changes FROM regie_app;

-- Numbers are never assigned again, even after removal.
CREATE TABLE isrc_counters (
  prefix text COLLATE "C" NOT NULL CHECK (prefix ~ '^[A-Z]{2}[A-Z0-9]{3}$'),
  year smallint NOT NULL CHECK (year BETWEEN 0 AND 99),
  last_number integer NOT NULL CHECK (last_number BETWEEN 1 AND 99999),
  PRIMARY KEY (prefix, year)
);
REVOKE DELETE ON isrc_counters FROM regie_app;

-- Keys of live titles: the folded title; `~` begins the key of similar titles of one artist. Narrower groups have their
-- own: `nuitblanche =12` of artist 12, `nuitblanche @5` of account 5, `nuitblanche @5=12` of both.
CREATE TABLE title_keys (
  scope text COLLATE "C" NOT NULL CHECK (scope IN ('tracks', 'libraries')),
  key text COLLATE "C" NOT NULL,
  record_id bigint NOT NULL,
  exact text COLLATE "C" NOT NULL,
  PRIMARY KEY (scope, key, record_id) INCLUDE (exact)
) WITH (parallel_workers = 0);
CREATE INDEX title_keys_record_idx ON title_keys (scope, record_id);
REVOKE INSERT, UPDATE, DELETE ON title_keys FROM regie_app;
COMMENT ON COLUMN title_keys.exact IS 'the key of the title itself: alike titles are a group only where they are not all the same';

-- Records with the same ISRC, barcode, title or similar title, by triggers. A nightly job recounts: concurrent
-- transactions that give the same code do not see each other.
CREATE TABLE duplicate_groups (
  scope text COLLATE "C" NOT NULL CHECK (scope IN ('isrc', 'barcode', 'tracks', 'libraries')),
  key text COLLATE "C" NOT NULL,
  is_similar boolean NOT NULL DEFAULT false,
  size integer NOT NULL CHECK (size > 1),
  -- Largest groups first, in one column that a page can begin after.
  rank text COLLATE "C" NOT NULL GENERATED ALWAYS AS (lpad(size::text, 9, '0') || ' ' || key) STORED,
  of_account boolean NOT NULL GENERATED ALWAYS AS (starts_with(split_part(key, ' ', 2), '@')) STORED,
  of_artist boolean GENERATED ALWAYS AS (
    CASE WHEN starts_with(key, '~') THEN NULL ELSE position('=' IN split_part(key, ' ', 2)) > 0 END) STORED,
  PRIMARY KEY (scope, key)
) WITH (parallel_workers = 0);
CREATE INDEX duplicate_groups_rank_idx ON duplicate_groups (scope, rank);
CREATE INDEX duplicate_groups_similar_idx ON duplicate_groups (scope, is_similar, key);
CREATE INDEX duplicate_groups_similar_rank_idx ON duplicate_groups (scope, is_similar, rank);
CREATE INDEX duplicate_groups_account_idx ON duplicate_groups (scope, of_account, key);
CREATE INDEX duplicate_groups_account_rank_idx ON duplicate_groups (scope, of_account, rank);
REVOKE INSERT, UPDATE, DELETE ON duplicate_groups FROM regie_app;
COMMENT ON COLUMN duplicate_groups.of_artist IS 'null of similar titles: they are always one artist''s';

-- Backups that were made, and attempts that failed.
CREATE TABLE backups (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 300),
  ended_at timestamptz NOT NULL DEFAULT now(),
  size_bytes bigint CHECK (size_bytes > 0),
  is_encrypted boolean NOT NULL,
  error text CHECK (length(error) <= 1000),
  CHECK ((size_bytes IS NULL) <> (error IS NULL))
);
CREATE INDEX backups_ended_at_idx ON backups (ended_at) WHERE error IS NULL;
REVOKE INSERT, UPDATE, DELETE ON backups FROM regie_app;
