-- Relevés: the stores' own files, what they say line by line, and which of it has been posted (decisions §3).

CREATE TABLE statement_presets (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  definition jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint REFERENCES admins (id),
  removed_at timestamptz
);
COMMENT ON TABLE statement_presets IS 'those that staff made from an unknown file; the house''s own are in the program';
REVOKE UPDATE, DELETE ON statement_presets FROM regie_app;
GRANT UPDATE (removed_at) ON statement_presets TO regie_app;

-- One row per (admin, name, size): that is what an upload is. It ends as a statement.
CREATE TABLE statement_uploads (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  admin_id bigint NOT NULL REFERENCES admins (id),
  file_name text NOT NULL CHECK (length(file_name) BETWEEN 1 AND 255),
  size_bytes bigint NOT NULL CHECK (size_bytes > 0),
  received bigint NOT NULL DEFAULT 0 CHECK (received BETWEEN 0 AND size_bytes),
  spool_name text COLLATE "C" NOT NULL UNIQUE,
  replaces bigint,
  started_at timestamptz NOT NULL DEFAULT now(),
  touched_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (admin_id, file_name, size_bytes)
);
CREATE INDEX statement_uploads_touched_idx ON statement_uploads (touched_at);

CREATE TABLE statements (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  status text NOT NULL DEFAULT 'received'
    CHECK (status IN ('received', 'reading', 'unrecognised', 'ambiguous', 'refused', 'loaded', 'checked', 'replaced', 'removed')),
  file_name text NOT NULL CHECK (length(file_name) BETWEEN 1 AND 255),
  size_bytes bigint NOT NULL CHECK (size_bytes > 0),
  sha256 bytea NOT NULL CHECK (length(sha256) = 32),
  -- Gone 30 days after the statement was taken away.
  file_id bigint UNIQUE REFERENCES files (id) ON DELETE SET NULL,
  preset text COLLATE "C",
  source text CHECK (length(source) BETWEEN 1 AND 100),
  -- What reading it found: which presets were tried and why they do not fit, the first rows, or the refusal with its line.
  findings jsonb NOT NULL DEFAULT '{}',
  rows bigint NOT NULL DEFAULT 0 CHECK (rows >= 0),
  counted_rows bigint NOT NULL DEFAULT 0 CHECK (counted_rows >= 0),
  lines bigint NOT NULL DEFAULT 0,
  accounting_month date CHECK (is_first_of_month(accounting_month) AND accounting_month >= '2020-01-01'),
  declared_amount numeric(28, 10),
  declared_currency text COLLATE "C" CHECK (declared_currency ~ '^[A-Z]{3}$'),
  replaces bigint REFERENCES statements (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint REFERENCES admins (id),
  loaded_at timestamptz,
  checked_at timestamptz,
  checked_by bigint REFERENCES admins (id),
  ended_at timestamptz,
  ended_by bigint REFERENCES admins (id),
  CHECK ((declared_amount IS NULL) = (declared_currency IS NULL)),
  CHECK (status NOT IN ('loaded', 'checked') OR (preset IS NOT NULL AND source IS NOT NULL AND loaded_at IS NOT NULL)),
  CHECK ((status IN ('replaced', 'removed')) = (ended_at IS NOT NULL))
);
-- The same bytes twice are one statement, for as long as it is not taken away.
CREATE UNIQUE INDEX statements_sha256_key ON statements (sha256) WHERE ended_at IS NULL;
CREATE INDEX statements_created_idx ON statements (created_at, id);
REVOKE DELETE ON statements FROM regie_app;
REVOKE UPDATE ON statements FROM regie_app;
GRANT UPDATE (status, preset, source, findings, accounting_month, declared_amount, declared_currency,
              checked_at, checked_by, ended_at, ended_by) ON statements TO regie_app;
COMMENT ON COLUMN statements.accounting_month IS 'the month its lines are posted to; without one each line has its own';
COMMENT ON COLUMN statements.source IS 'who sent it: a store or a distributor, as the month board calls it';

-- What a file's rows say, added up where rows next to each other say the same: never changed once loaded. Amounts are as
-- the file has them, unscaled. A statement's lines lie together, which is all that reading them needs (BRIN).
CREATE TABLE statement_lines (
  statement_id bigint NOT NULL,
  month date NOT NULL,
  store text COLLATE "C" NOT NULL,
  country text COLLATE "C" NOT NULL,
  item text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  currency text COLLATE "C" NOT NULL,
  quantity numeric NOT NULL,
  amount numeric NOT NULL,
  rows integer NOT NULL,
  first_line bigint NOT NULL
);
CREATE INDEX statement_lines_statement_idx ON statement_lines USING brin (statement_id) WITH (pages_per_range = 16, autosummarize = on);
REVOKE INSERT, UPDATE, DELETE ON statement_lines FROM regie_app;
COMMENT ON COLUMN statement_lines.first_line IS 'of the file, counted from 1 with whatever stands before the header';
COMMENT ON COLUMN statement_lines.item IS 'the ISRC, or what stands for it where the file has none';

-- What income is told of: an ISRC, which is then its key, or a barcode and title where a file names none.
CREATE TABLE income_items (
  key text COLLATE "C" PRIMARY KEY CHECK (length(key) BETWEEN 1 AND 64),
  isrc text COLLATE "C" CHECK (isrc = key),
  upc text COLLATE "C",
  title text NOT NULL,
  artist text NOT NULL,
  alias_track_id bigint REFERENCES tracks (id),
  alias_by bigint REFERENCES admins (id),
  alias_at timestamptz,
  track_id bigint,
  -- Why no track is known; null where one is.
  unmatched text CHECK (unmatched IN ('unknown', 'doubled', 'no_isrc')),
  CHECK ((track_id IS NULL) = (unmatched IS NOT NULL))
);
CREATE INDEX income_items_alias_idx ON income_items (alias_track_id) WHERE alias_track_id IS NOT NULL;
REVOKE INSERT, UPDATE, DELETE ON income_items FROM regie_app;
GRANT UPDATE (alias_track_id, alias_by, alias_at) ON income_items TO regie_app;

-- Lines added up to what is posted: at most one posting that is not reversed, which is `import_id`. Written only by the load
-- and the functions below, from rows that are there: keys would be looked up once more for each of millions of them.
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
);
CREATE INDEX statement_sums_statement_idx ON statement_sums (statement_id, month);
CREATE INDEX statement_sums_item_idx ON statement_sums (item);
CREATE INDEX statement_sums_unmatched_idx ON statement_sums (item) WHERE track_id IS NULL;
CREATE INDEX statement_sums_import_idx ON statement_sums (import_id, track_id) WHERE import_id IS NOT NULL;
REVOKE INSERT, UPDATE, DELETE ON statement_sums FROM regie_app;
GRANT UPDATE (import_id) ON statement_sums TO regie_app;
COMMENT ON COLUMN statement_sums.track_id IS 'whose income it is; of what is posted, whose it was then';

-- A statement's months, kept by the triggers below: the month board adds these up, never the lines.
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

-- By store and by country, made when a statement is loaded: insight adds these up.
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

CREATE FUNCTION statement_sums_inserted() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO statement_months AS known
    SELECT statement_id, month, currency, sum(amount),
           coalesce(sum(amount) FILTER (WHERE track_id IS NULL), 0), coalesce(sum(amount) FILTER (WHERE import_id IS NOT NULL), 0),
           count(*), count(*) FILTER (WHERE track_id IS NULL), count(import_id)
      FROM inserted GROUP BY statement_id, month, currency ORDER BY 1, 2, 3
    ON CONFLICT (statement_id, month, currency) DO UPDATE
      SET amount = known.amount + excluded.amount, unmatched_amount = known.unmatched_amount + excluded.unmatched_amount,
          posted_amount = known.posted_amount + excluded.posted_amount, sums = known.sums + excluded.sums,
          unmatched_sums = known.unmatched_sums + excluded.unmatched_sums, posted_sums = known.posted_sums + excluded.posted_sums;
  RETURN NULL;
END $$;
CREATE TRIGGER statement_sums_inserted AFTER INSERT ON statement_sums
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION statement_sums_inserted();

CREATE FUNCTION statement_sums_updated() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE statement_months m
     SET unmatched_amount = m.unmatched_amount + d.unmatched_amount, unmatched_sums = m.unmatched_sums + d.unmatched_sums,
         posted_amount = m.posted_amount + d.posted_amount, posted_sums = m.posted_sums + d.posted_sums
    FROM (
      SELECT statement_id, month, currency,
             sum(CASE WHEN track_id IS NULL THEN sign * amount ELSE 0 END) AS unmatched_amount,
             sum(CASE WHEN track_id IS NULL THEN sign ELSE 0 END) AS unmatched_sums,
             sum(CASE WHEN import_id IS NOT NULL THEN sign * amount ELSE 0 END) AS posted_amount,
             sum(CASE WHEN import_id IS NOT NULL THEN sign ELSE 0 END) AS posted_sums
        FROM (SELECT 1 AS sign, * FROM after_it UNION ALL SELECT -1, * FROM before_it) AS both_times
       GROUP BY statement_id, month, currency ORDER BY 1, 2, 3
    ) d
   WHERE m.statement_id = d.statement_id AND m.month = d.month AND m.currency = d.currency;
  RETURN NULL;
END $$;
CREATE TRIGGER statement_sums_updated AFTER UPDATE ON statement_sums
  REFERENCING OLD TABLE AS before_it NEW TABLE AS after_it FOR EACH STATEMENT EXECUTE FUNCTION statement_sums_updated();

-- Which track an ISRC means now, or why none (decisions §3, Matching): held by two accounts, none; by several tracks of one
-- account, the oldest delivered one.
CREATE FUNCTION matched_track(wanted text) RETURNS TABLE (track_id bigint, unmatched text)
  LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN h.first_account <> h.last_account THEN NULL
              WHEN h.holders > 1 THEN (
                SELECT t.id FROM tracks t JOIN releases r ON r.id = t.release_id
                 WHERE t.isrc = wanted ORDER BY r.status IN ('delivered', 'closed') DESC, t.created_at, t.id LIMIT 1)
              ELSE h.track_id END,
         CASE WHEN wanted IS NULL THEN 'no_isrc' WHEN h.holders = 0 THEN 'unknown' WHEN h.first_account <> h.last_account THEN 'doubled' END
    FROM (SELECT count(*) AS holders, min(t.account_id) AS first_account, max(t.account_id) AS last_account, min(t.id) AS track_id
            FROM tracks t WHERE t.isrc = wanted) h
$$;

-- Finds the tracks of these items anew; what staff decided goes before the ISRC. Whoever changes what an item means shares a
-- lock that a load takes for itself before it ends: neither overlooks what the other has not committed yet.
CREATE FUNCTION match_items(keys text[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtext('match_items'));
  PERFORM FROM income_items i WHERE i.key = ANY (keys) ORDER BY i.key FOR UPDATE;
  UPDATE income_items i
     SET track_id = m.track_id, unmatched = m.unmatched
    FROM (
      SELECT k.key, coalesce(k.alias_track_id, t.track_id) AS track_id,
             CASE WHEN k.alias_track_id IS NULL THEN t.unmatched END AS unmatched
        FROM income_items k CROSS JOIN LATERAL matched_track(k.isrc) t WHERE k.key = ANY (keys)
    ) m
   WHERE i.key = m.key AND (i.track_id, i.unmatched) IS DISTINCT FROM (m.track_id, m.unmatched);
  -- What is posted stays with the track it was posted to.
  UPDATE statement_sums s SET track_id = i.track_id
    FROM income_items i
   WHERE i.key = ANY (keys) AND s.item = i.key AND s.import_id IS NULL AND s.track_id IS DISTINCT FROM i.track_id;
END $$;

CREATE FUNCTION tracks_match_items() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  keys text[];
BEGIN
  -- Also where no item is known yet: a load may be about to commit it.
  PERFORM pg_advisory_xact_lock_shared(hashtext('match_items'));
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(DISTINCT i.key) INTO keys FROM after_it t JOIN income_items i ON i.key = t.isrc;
  ELSE
    SELECT array_agg(DISTINCT i.key) INTO keys
      FROM after_it t JOIN before_it b ON b.id = t.id
      JOIN income_items i ON i.key = ANY (ARRAY[t.isrc, b.isrc])
     WHERE t.isrc IS DISTINCT FROM b.isrc OR t.account_id <> b.account_id OR t.release_id <> b.release_id;
  END IF;
  IF keys IS NOT NULL THEN PERFORM match_items(keys); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER tracks_match_items_inserted AFTER INSERT ON tracks
  REFERENCING NEW TABLE AS after_it FOR EACH STATEMENT EXECUTE FUNCTION tracks_match_items();
CREATE TRIGGER tracks_match_items_updated AFTER UPDATE ON tracks
  REFERENCING OLD TABLE AS before_it NEW TABLE AS after_it FOR EACH STATEMENT EXECUTE FUNCTION tracks_match_items();

CREATE FUNCTION income_items_alias_changed() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM match_items(ARRAY[NEW.key]);
  RETURN NULL;
END $$;
CREATE TRIGGER income_items_alias_changed AFTER UPDATE OF alias_track_id ON income_items
  FOR EACH ROW WHEN (OLD.alias_track_id IS DISTINCT FROM NEW.alias_track_id) EXECUTE FUNCTION income_items_alias_changed();

-- Reversed, income waits again, for the track it is known to be of by now. Of a single report that is deleted, the
-- income of its track; of an import, all.
CREATE FUNCTION release_sums(of_import bigint, of_track bigint) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE statement_sums s SET import_id = NULL, track_id = i.track_id
    FROM income_items i
   WHERE s.import_id = of_import AND (of_track IS NULL OR s.track_id = of_track) AND i.key = s.item
$$;
CREATE FUNCTION imports_release_sums() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM release_sums(NEW.id, NULL);
  RETURN NULL;
END $$;
CREATE TRIGGER imports_release_sums AFTER UPDATE OF reversed_at ON imports
  FOR EACH ROW WHEN (OLD.reversed_at IS NULL AND NEW.reversed_at IS NOT NULL AND NEW.kind = 'automatic')
  EXECUTE FUNCTION imports_release_sums();
REVOKE EXECUTE ON FUNCTION match_items, release_sums FROM PUBLIC;
GRANT EXECUTE ON FUNCTION release_sums TO regie_app;
