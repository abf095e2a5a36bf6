-- Statements ("relevés"): the stores' files, their lines, and which of these are posted (product §33.18).

-- verified_at: when the preset first read a whole file.
CREATE TABLE statement_presets (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  definition jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint REFERENCES admins (id),
  removed_at timestamptz,
  verified_at timestamptz
);
REVOKE UPDATE, DELETE ON statement_presets FROM regie_app;
GRANT UPDATE (removed_at) ON statement_presets TO regie_app;
COMMENT ON TABLE statement_presets IS 'those that staff made from an unknown file; the house''s own are in the program';

CREATE TABLE statements (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  status text NOT NULL DEFAULT 'received' CHECK (status IN (
    'received', 'reading', 'unrecognised', 'ambiguous', 'refused', 'unpacked', 'summary', 'loaded', 'checked', 'replaced', 'removed')),
  file_name text NOT NULL CHECK (length(file_name) BETWEEN 1 AND 255),
  size_bytes bigint NOT NULL CHECK (size_bytes > 0),
  sha256 bytea NOT NULL CHECK (length(sha256) = 32),
  -- Null 30 days after the statement was deleted.
  file_id bigint UNIQUE REFERENCES files (id) ON DELETE SET NULL,
  preset text COLLATE "C",
  source text CHECK (length(source) BETWEEN 1 AND 100),
  -- Of the last reading: tried presets with mismatches, first rows, or the error with its line.
  findings jsonb NOT NULL DEFAULT '{}',
  rows bigint NOT NULL DEFAULT 0 CHECK (rows >= 0),
  counted_rows bigint NOT NULL DEFAULT 0 CHECK (counted_rows >= 0),
  lines bigint NOT NULL DEFAULT 0,
  accounting_month date CHECK (is_first_of_month(accounting_month) AND accounting_month >= '2020-01-01'),
  declared_amount numeric,
  declared_currency text COLLATE "C" CHECK (declared_currency ~ '^[A-Z]{3}$'),
  replaces bigint REFERENCES statements (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint REFERENCES admins (id),
  loaded_at timestamptz,
  checked_at timestamptz,
  checked_by bigint REFERENCES admins (id),
  ended_at timestamptz,
  ended_by bigint REFERENCES admins (id),
  check_note text CHECK (length(check_note) BETWEEN 1 AND 1000),
  choices jsonb NOT NULL DEFAULT '{}',
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  unpacked_from bigint REFERENCES statements (id),
  confirmed_rates jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(confirmed_rates) = 'array'),
  CHECK ((declared_amount IS NULL) = (declared_currency IS NULL)),
  CHECK (status NOT IN ('loaded', 'checked') OR (preset IS NOT NULL AND source IS NOT NULL AND loaded_at IS NOT NULL)),
  CHECK ((status IN ('replaced', 'removed')) = (ended_at IS NOT NULL))
);
-- The same bytes are one statement, until removed or replaced.
CREATE UNIQUE INDEX statements_sha256_key ON statements (sha256) WHERE ended_at IS NULL;
CREATE INDEX statements_created_idx ON statements (created_at, id);
CREATE INDEX statements_unpacked_idx ON statements (unpacked_from) WHERE unpacked_from IS NOT NULL;
-- Presets of validated statements.
CREATE INDEX statements_proven_idx ON statements (preset) WHERE checked_at IS NOT NULL;
CREATE INDEX statements_currency_idx ON statements (preset, id) WHERE choices ? 'currency';
REVOKE UPDATE, DELETE ON statements FROM regie_app;
GRANT UPDATE (status, preset, source, findings, accounting_month, declared_amount, declared_currency, checked_at,
              checked_by, ended_at, ended_by, check_note, choices, attempts, rows, counted_rows, lines, loaded_at,
              confirmed_rates, replaces) ON statements TO regie_app;
COMMENT ON COLUMN statements.accounting_month IS 'the month its lines are posted to; without one each line has its own';
COMMENT ON COLUMN statements.source IS 'who sent it: a store or a distributor, as the month board calls it';
COMMENT ON COLUMN statements.check_note IS 'why it was checked although its lines do not add up to the declared amount';
COMMENT ON COLUMN statements.choices IS 'currency, sheets and charset of a file that does not say them, as staff told';
COMMENT ON COLUMN statements.attempts IS 'readings that began and had no end: whoever read the file was killed';
COMMENT ON COLUMN statements.confirmed_rates IS
  'old rates and months in the future that staff has confirmed: [{month, currency, rateMonth, rate}], dates and decimals as text';

-- Where lines begin, about one per megabyte, so that a jump need not read what is before. Only for plain text files.
CREATE TABLE statement_line_offsets (
  statement_id bigint NOT NULL REFERENCES statements (id),
  line bigint NOT NULL CHECK (line > 1),
  byte_offset bigint NOT NULL CHECK (byte_offset > 0),
  PRIMARY KEY (statement_id, line)
);
REVOKE INSERT, UPDATE, DELETE ON statement_line_offsets FROM regie_app;

-- The lines are Parquet files in the storage (docs/decisions/400), one per month, written by the load. Neighbouring
-- rows that differ only in numbers are added up. Immutable; amounts as in the file.
CREATE TABLE statement_line_files (
  statement_id bigint NOT NULL REFERENCES statements (id),
  month date NOT NULL CHECK (is_first_of_month(month)),
  file_id bigint NOT NULL UNIQUE REFERENCES files (id),
  lines bigint NOT NULL CHECK (lines > 0),
  PRIMARY KEY (statement_id, month)
);
REVOKE INSERT, UPDATE, DELETE ON statement_line_files FROM regie_app;
COMMENT ON COLUMN statement_line_files.month IS 'the month that the lines name, not the one they are posted to';

-- Lines added up to what is posted at once; import_id is the posting that is not reversed. Written by the load and
-- functions, so foreign keys would only cost look-ups. Posting writes import_id in place (HOT) as long as no B-tree
-- holds it and the page has room: hence the fill factor.
CREATE TABLE statement_sums (
  statement_id bigint NOT NULL,
  month date NOT NULL,
  item text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('stream', 'download', 'video')),
  currency text COLLATE "C" NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  quantity numeric NOT NULL,
  amount numeric NOT NULL,
  rows bigint NOT NULL,
  track_id bigint,
  import_id bigint,
  CHECK (import_id IS NULL OR track_id IS NOT NULL)
) WITH (fillfactor = 45);
CREATE INDEX statement_sums_statement_idx ON statement_sums (statement_id, month);
CREATE INDEX statement_sums_item_idx ON statement_sums (item);
CREATE INDEX statement_sums_unmatched_idx ON statement_sums (item) WHERE track_id IS NULL;
-- A statement's sums are stored and posted together: BRIN suffices.
CREATE INDEX statement_sums_import_idx ON statement_sums
  USING brin (import_id) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX statement_sums_track_idx ON statement_sums (track_id) WHERE track_id IS NOT NULL;
REVOKE INSERT, UPDATE, DELETE ON statement_sums FROM regie_app;
GRANT UPDATE (import_id) ON statement_sums TO regie_app;
COMMENT ON COLUMN statement_sums.track_id IS 'whose income it is; of what is posted, whose it was then';
CREATE TRIGGER statement_sums_inserted AFTER INSERT ON statement_sums
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION statement_sums_inserted();
CREATE TRIGGER statement_sums_updated AFTER UPDATE ON statement_sums
  REFERENCING OLD TABLE AS before_it NEW TABLE AS after_it FOR EACH STATEMENT EXECUTE FUNCTION statement_sums_updated();

-- By triggers on statement_sums; read by the month board.
CREATE TABLE statement_months (
  statement_id bigint NOT NULL REFERENCES statements (id),
  month date NOT NULL,
  currency text COLLATE "C" NOT NULL,
  amount numeric NOT NULL,
  unmatched_amount numeric NOT NULL,
  posted_amount numeric NOT NULL,
  sums bigint NOT NULL,
  unmatched_sums bigint NOT NULL,
  posted_sums bigint NOT NULL,
  PRIMARY KEY (statement_id, month, currency)
);
REVOKE INSERT, UPDATE, DELETE ON statement_months FROM regie_app;

-- By store and country, from the load, for insight.
CREATE TABLE statement_rollups (
  statement_id bigint NOT NULL REFERENCES statements (id),
  dimension text COLLATE "C" NOT NULL CHECK (dimension IN ('store', 'country')),
  value text COLLATE "C" NOT NULL,
  month date NOT NULL,
  kind text COLLATE "C" NOT NULL,
  currency text COLLATE "C" NOT NULL,
  quantity numeric NOT NULL,
  amount numeric NOT NULL,
  rows bigint NOT NULL,
  PRIMARY KEY (statement_id, dimension, value, month, kind, currency)
);
REVOKE INSERT, UPDATE, DELETE ON statement_rollups FROM regie_app;

-- For the euros of the month board.
CREATE TABLE statement_postings (
  statement_id bigint NOT NULL REFERENCES statements (id),
  month date NOT NULL,
  currency text COLLATE "C" NOT NULL,
  import_id bigint NOT NULL,
  amount numeric NOT NULL,
  sums bigint NOT NULL,
  PRIMARY KEY (statement_id, month, currency, import_id)
);
CREATE INDEX statement_postings_import_idx ON statement_postings (import_id);
CREATE INDEX statement_postings_empty_idx ON statement_postings (import_id) WHERE sums = 0;
REVOKE INSERT, UPDATE, DELETE ON statement_postings FROM regie_app;

-- What a summary owes by currency, and what the bank receives (docs/decisions/200): rows of one currency, month, bank
-- currency and rate, added up by the load.
CREATE TABLE declared_amounts (
  statement_id bigint NOT NULL REFERENCES statements (id),
  source text NOT NULL CHECK (length(source) BETWEEN 1 AND 100),
  month date NOT NULL CHECK (is_first_of_month(month)),
  currency text COLLATE "C" NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  earned numeric NOT NULL,
  rounding numeric NOT NULL CHECK (rounding >= 0),
  owed numeric NOT NULL,
  bank_rate numeric CHECK (bank_rate > 0),
  bank_currency text COLLATE "C" CHECK (bank_currency ~ '^[A-Z]{3}$'),
  proceeds numeric,
  UNIQUE NULLS NOT DISTINCT (statement_id, month, currency, bank_currency, bank_rate),
  CHECK ((proceeds IS NULL) = (bank_currency IS NULL)),
  CHECK (proceeds IS NOT NULL OR bank_rate IS NULL)
);
CREATE INDEX declared_amounts_source_idx ON declared_amounts (source, month, currency);
REVOKE INSERT, UPDATE, DELETE ON declared_amounts FROM regie_app;
COMMENT ON COLUMN declared_amounts.earned IS 'before taxes and adjustments: what the lines of the statements add up to';
COMMENT ON COLUMN declared_amounts.rounding IS 'how far earned may be from the sum of lines because each of its rows is rounded';
COMMENT ON COLUMN declared_amounts.bank_rate IS 'units of bank_currency per unit of currency; null where nothing was converted';
COMMENT ON COLUMN declared_amounts.proceeds IS 'in bank_currency; null where the amount is carried forward to a later payment';

-- Lines that two statements have, one row for each direction (docs/decisions/260). Files never change: compared once,
-- when the later one is loaded.
CREATE TABLE statement_duplicates (
  statement_id bigint NOT NULL,
  other_id bigint NOT NULL,
  month date NOT NULL,
  currency text COLLATE "C" NOT NULL,
  rows bigint NOT NULL,
  amount numeric NOT NULL,
  first_line bigint,
  is_confirmed boolean NOT NULL DEFAULT false,
  PRIMARY KEY (statement_id, other_id, month, currency)
);
CREATE INDEX statement_duplicates_other_idx ON statement_duplicates (other_id);
REVOKE INSERT, UPDATE, DELETE ON statement_duplicates FROM regie_app;
GRANT UPDATE (is_confirmed) ON statement_duplicates TO regie_app;
COMMENT ON COLUMN statement_duplicates.month IS 'the month that the lines name, not the one they are posted to';
COMMENT ON COLUMN statement_duplicates.rows IS 'rows of the file of statement_id that the file of other_id has too';
COMMENT ON COLUMN statement_duplicates.first_line IS 'the first of them that was found line by line; null where only whole sums are equal';
COMMENT ON COLUMN statement_duplicates.is_confirmed IS 'whoever validated statement_id was told and confirmed';

-- Both statements are live, and neither is the other's pending correction, which has the same lines.
CREATE VIEW live_duplicates AS
SELECT d.statement_id, d.other_id, d.month, d.currency, d.rows, d.amount, d.first_line,
       d.is_confirmed OR back.is_confirmed AS is_confirmed,
       EXISTS (SELECT FROM statement_postings p
                WHERE p.statement_id = d.other_id AND p.month = d.month AND p.currency = d.currency) AS is_posted
  FROM statement_duplicates d
  JOIN statement_duplicates back
    ON back.statement_id = d.other_id AND back.other_id = d.statement_id AND back.month = d.month AND back.currency = d.currency
  JOIN statements s ON s.id = d.statement_id AND s.status IN ('loaded', 'checked')
  JOIN statements o ON o.id = d.other_id AND o.status IN ('loaded', 'checked')
 WHERE s.replaces IS DISTINCT FROM o.id AND o.replaces IS DISTINCT FROM s.id;
REVOKE INSERT, UPDATE, DELETE ON live_duplicates FROM regie_app;
COMMENT ON COLUMN live_duplicates.is_confirmed IS 'by whoever validated either of the two';
COMMENT ON COLUMN live_duplicates.is_posted IS 'whether the other one has posted lines of this month and currency';
