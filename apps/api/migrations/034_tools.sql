-- Tools: what has no code is listed by an index of its own, so a page costs the same in any catalogue.

CREATE FUNCTION is_barcode(value text) RETURNS boolean
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN value ~ '^([0-9]{8}|[0-9]{12}|[0-9]{13}|[0-9]{14})$'
     AND (SELECT sum(digit::integer * CASE WHEN (length(value) - place) % 2 = 0 THEN 1 ELSE 3 END) % 10 = 0
            FROM string_to_table(value, NULL) WITH ORDINALITY AS digits (digit, place));
COMMENT ON FUNCTION is_barcode IS 'a GTIN of 8, 12, 13 or 14 digits whose check digit is right';

CREATE INDEX tracks_without_isrc_idx ON tracks (title, id) WHERE isrc IS NULL AND deleted_at IS NULL;
CREATE INDEX tracks_without_isrc_order_idx ON tracks (id) WHERE isrc IS NULL AND deleted_at IS NULL;
CREATE INDEX releases_without_barcode_idx ON releases (title, id) WHERE barcode IS NULL AND deleted_at IS NULL;
CREATE INDEX releases_without_barcode_order_idx ON releases (id) WHERE barcode IS NULL AND deleted_at IS NULL;
CREATE INDEX releases_wrong_barcode_idx ON releases (title, id) WHERE NOT is_barcode(barcode) AND deleted_at IS NULL;
CREATE INDEX releases_wrong_barcode_order_idx ON releases (id) WHERE NOT is_barcode(barcode) AND deleted_at IS NULL;

-- Codes given to many records at once: what each had before, so that all of it can be taken back as one.
CREATE TABLE code_edits (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('isrc', 'barcode')),
  source text NOT NULL CHECK (source IN ('file', 'assigned')),
  -- What the browser calls it: the chunks of one file are one edit.
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
REVOKE UPDATE, DELETE ON code_edits, code_edit_changes FROM regie_app;
GRANT UPDATE (saved, unsaved, reversed_at, reversed_by, reversed) ON code_edits TO regie_app;

-- The last number given under a prefix and a year: one that was given and taken back is never given again.
CREATE TABLE isrc_counters (
  prefix text COLLATE "C" NOT NULL CHECK (prefix ~ '^[A-Z]{2}[A-Z0-9]{3}$'),
  year smallint NOT NULL CHECK (year BETWEEN 0 AND 99),
  last_number integer NOT NULL CHECK (last_number BETWEEN 1 AND 99999),
  PRIMARY KEY (prefix, year)
);
REVOKE DELETE ON isrc_counters FROM regie_app;
