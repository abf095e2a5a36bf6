-- Postings of a year in a file of the storage, oldest years first, with what they carry forward (docs/decisions/450).
CREATE TABLE ledger_archives (
  year integer PRIMARY KEY,
  file_id bigint NOT NULL UNIQUE REFERENCES files (id),
  postings bigint NOT NULL CHECK (postings > 0),
  archived_at timestamptz NOT NULL DEFAULT now()
);
REVOKE INSERT, UPDATE, DELETE ON ledger_archives FROM regie_app;

CREATE TABLE ledger_carried (
  year integer NOT NULL REFERENCES ledger_archives (year),
  account text COLLATE "C" NOT NULL,
  currency text COLLATE "C" NOT NULL,
  month date NOT NULL,
  kind text,
  of_kind text,
  import_id bigint REFERENCES imports (id),
  account_id bigint REFERENCES accounts (id),
  admin_id bigint REFERENCES admins (id),
  amount numeric(24, 6) NOT NULL,
  credited numeric(24, 6) NOT NULL,
  last_at timestamptz NOT NULL
);
CREATE INDEX ledger_carried_account_idx ON ledger_carried (account, currency);
CREATE INDEX ledger_carried_year_idx ON ledger_carried (year);
REVOKE INSERT, UPDATE, DELETE ON ledger_carried FROM regie_app;
COMMENT ON TABLE ledger_carried IS 'sums of archived postings; for accounts of customers by all that a figure or a rule asks of them';
COMMENT ON COLUMN ledger_carried.month IS 'of Paris, in which it was posted';
COMMENT ON COLUMN ledger_carried.of_kind IS 'the kind of the transaction that a reversal names, otherwise its own';
COMMENT ON COLUMN ledger_carried.account_id IS 'the transactions'' own';
COMMENT ON COLUMN ledger_carried.credited IS 'the sum of the positive amounts';

-- Postings before this instant are in archives.
CREATE FUNCTION archived_before() RETURNS timestamptz
  LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT coalesce((SELECT year_start(max(year) + 1) FROM ledger_archives), '-infinity')
$$;

-- Nothing is posted at a time whose postings are in an archive: its sums would no longer be those of the file.
CREATE FUNCTION ledger_postings_not_archived() RETURNS trigger
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM ledger_archives) AND EXISTS (SELECT FROM inserted WHERE occurred_at < archived_before()) THEN
    RAISE EXCEPTION 'postings before % are archived', archived_before()
      USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_postings_not_archived', TABLE = 'ledger_postings';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER ledger_postings_not_archived AFTER INSERT ON ledger_postings
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION ledger_postings_not_archived();

-- Takes the rows of `pg_temp.returned` out of a partitioned table, where `keys` are equal. A partition of its own is replaced by
-- one with what stays. @returns the number of rows that left
CREATE FUNCTION take_out_rows(parent text, of_year integer, keys text[]) RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  partition text := format('%s_%s', parent, of_year);
  bounds text := (SELECT pg_get_expr(relpartbound, oid) FROM pg_class WHERE oid = to_regclass(partition));
  columns text := (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
                    WHERE attrelid = parent::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '');
  same text := (SELECT string_agg(format('l.%1$I = r.%1$I', key), ' AND ') FROM unnest(keys) AS k (key));
  former bigint;
  kept bigint;
BEGIN
  IF bounds IS NULL THEN
    EXECUTE format('DELETE FROM %I l USING pg_temp.returned r WHERE %s', parent, same);
    GET DIAGNOSTICS former = ROW_COUNT;
    RETURN former;
  END IF;
  EXECUTE format('CREATE TABLE %1$s_kept (LIKE %1$s INCLUDING ALL EXCLUDING IDENTITY)', partition);
  EXECUTE format('REVOKE ALL ON %s_kept FROM regie_app', partition);
  EXECUTE format('LOCK TABLE %s IN SHARE MODE', partition);
  EXECUTE format('SELECT count(*) FROM %s', partition) INTO former;
  EXECUTE format('INSERT INTO %1$s_kept (%2$s) SELECT %2$s FROM %1$s l WHERE NOT EXISTS (SELECT FROM pg_temp.returned r WHERE %3$s)',
                 partition, columns, same);
  GET DIAGNOSTICS kept = ROW_COUNT;
  EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', parent, partition);
  EXECUTE format('DROP TABLE %I', partition);
  EXECUTE format('ALTER TABLE %1$s_kept RENAME TO %1$s', partition);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I %s', parent, partition, bounds);
  RETURN former - kept;
END $$;
REVOKE EXECUTE ON FUNCTION take_out_rows FROM PUBLIC;

CREATE OR REPLACE FUNCTION take_out_entries(of_year integer, of_file bigint) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO journal_archives (year, file_id, entries) SELECT of_year, of_file, count(*) FROM pg_temp.returned;
  INSERT INTO archived_entries (entry_id, year) SELECT id, of_year FROM pg_temp.returned;
  PERFORM take_out_rows('audit_log', of_year, '{id}');
END $$;

-- What the postings of `pg_temp.returned` carry forward.
CREATE FUNCTION carried_forward(of_year integer) RETURNS SETOF ledger_carried
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
    SELECT of_year, p.account, p.currency, month_in_paris(p.occurred_at), d.kind, d.of_kind, d.import_id, d.account_id, d.admin_id,
           sum(p.amount)::numeric(24, 6), coalesce(sum(p.amount) FILTER (WHERE p.amount > 0), 0)::numeric(24, 6), max(p.occurred_at)
      FROM pg_temp.returned p
      LEFT JOIN LATERAL (
        SELECT t.kind, coalesce(o.kind, t.kind) AS of_kind, t.import_id, t.account_id, t.admin_id
          FROM ledger_transactions t LEFT JOIN ledger_transactions o ON o.id = t.reverses
         WHERE t.id = p.transaction_id AND p.account LIKE 'account:%') d ON true
     GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9;
END $$;

-- Takes the postings of `pg_temp.returned`, which an archive has, out of the ledger. Balances and months stay as they are.
CREATE FUNCTION take_out_postings(of_year integer, of_file bigint) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  wanted bigint := (SELECT count(*) FROM pg_temp.returned);
  gone bigint;
BEGIN
  INSERT INTO ledger_archives (year, file_id, postings) VALUES (of_year, of_file, wanted);
  INSERT INTO ledger_carried SELECT * FROM carried_forward(of_year);
  gone := take_out_rows('ledger_postings', of_year, '{transaction_id,account,currency,amount,occurred_at}');
  IF gone <> wanted OR EXISTS (SELECT FROM ledger_postings WHERE occurred_at < year_start(of_year + 1)) THEN
    RAISE EXCEPTION 'the postings of % changed meanwhile', of_year USING ERRCODE = 'serialization_failure';
  END IF;
END $$;
REVOKE EXECUTE ON FUNCTION take_out_postings FROM PUBLIC;

-- Puts the postings of `pg_temp.returned` back: into the partition itself, whose rows the triggers of the whole table do not add to
-- the balances once more.
CREATE FUNCTION put_back_postings(of_year integer) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  EXECUTE format('INSERT INTO %s (transaction_id, account, currency, amount, occurred_at)
                  SELECT transaction_id, account, currency, amount, occurred_at FROM pg_temp.returned', coalesce(
    to_regclass(format('ledger_postings_%s', of_year)),
    (SELECT i.inhrelid::regclass FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'ledger_postings'::regclass AND c.relname LIKE '%\_before\_%')));
  DELETE FROM ledger_carried WHERE year = of_year;
  DELETE FROM ledger_archives WHERE year = of_year;
END $$;
REVOKE EXECUTE ON FUNCTION put_back_postings FROM PUBLIC;

-- What is sealed of a transaction, as text.
CREATE FUNCTION transaction_text(t ledger_transactions, postings jsonb) RETURNS text
  LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT jsonb_build_array(t.id, t.kind, instant_text(t.occurred_at), t.import_id, t.import_batch, t.account_id, t.payout_id,
                           t.reverses, t.admin_id, t.memo, postings)::text
$$;

-- As before, and takes transactions whose postings are archived for what their links say.
CREATE OR REPLACE FUNCTION find_broken_link() RETURNS TABLE (seq bigint, source text, row_id bigint, is_missing boolean)
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  former bytea := '\x';
  number bigint := 0;
  archived timestamptz := archived_before();
  link record;
  entry record;
BEGIN
  FOR link IN SELECT c.* FROM chain_links c ORDER BY c.seq LOOP
    number := number + 1;
    -- `findLedgerFaults` compares them with their file.
    IF link.source = 'ledger' AND archived > '-infinity'
       AND EXISTS (SELECT FROM ledger_transactions t WHERE t.id = link.row_id AND t.occurred_at < archived) THEN
      former := link.hash;
    ELSE
      former := chain_hash(former, link.source, link.row_id);
    END IF;
    IF link.source = 'journal' THEN
      SELECT l.salt IS NULL AS is_unsalted, l.digest IS NOT NULL AS is_redacted, is_as_redacted(l.id) AS is_as_redacted
        INTO entry FROM audit_log l WHERE l.id = link.row_id;
      -- `findArchiveFaults` compares an archived entry with its file.
      IF NOT FOUND AND EXISTS (SELECT FROM archived_entries a WHERE a.entry_id = link.row_id) THEN
        former := link.hash;
      -- A redacted entry without a salt can only be compared with its redaction.
      ELSIF entry.is_unsalted AND entry.is_as_redacted THEN
        former := link.hash;
      ELSIF entry.is_redacted AND entry.is_as_redacted IS NOT TRUE THEN
        RETURN QUERY SELECT link.seq, link.source, link.row_id, false;
        RETURN;
      END IF;
    END IF;
    IF link.seq <> number OR former IS DISTINCT FROM link.hash THEN
      RETURN QUERY SELECT link.seq, link.source, link.row_id, former IS NULL;
      RETURN;
    END IF;
  END LOOP;
  RETURN QUERY
    SELECT NULL::bigint, found.source, found.id, false FROM (
      SELECT 'journal'::text AS source, l.id FROM audit_log l JOIN chain_marks m ON m.source = 'journal' AND l.id < m.sealed_below
       WHERE NOT EXISTS (SELECT FROM chain_links c WHERE c.source = 'journal' AND c.row_id = l.id)
      UNION ALL
      SELECT 'ledger', t.id FROM ledger_transactions t JOIN chain_marks m ON m.source = 'ledger' AND t.id < m.sealed_below
       WHERE NOT EXISTS (SELECT FROM chain_links c WHERE c.source = 'ledger' AND c.row_id = t.id)
      UNION ALL
      SELECT 'redaction', r.id FROM journal_redactions r JOIN chain_marks m ON m.source = 'redaction' AND r.id < m.sealed_below
       WHERE NOT EXISTS (SELECT FROM chain_links c WHERE c.source = 'redaction' AND c.row_id = r.id)) found
     ORDER BY found.id LIMIT 1;
END $$;

-- Transactions of a year whose links are not those of their postings in `pg_temp.returned`.
CREATE FUNCTION archived_transaction_faults(of_year integer) RETURNS SETOF bigint
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
    SELECT t.id FROM ledger_transactions t
      LEFT JOIN (SELECT r.transaction_id, jsonb_agg(jsonb_build_array(r.account, r.currency, r.amount::text) ORDER BY r.account, r.currency) AS postings
                   FROM pg_temp.returned r GROUP BY 1) g ON g.transaction_id = t.id
      LEFT JOIN chain_links c ON c.source = 'ledger' AND c.row_id = t.id
      LEFT JOIN chain_links f ON f.seq = c.seq - 1
     WHERE t.occurred_at >= year_start(of_year) AND t.occurred_at < year_start(of_year + 1)
       AND c.hash IS DISTINCT FROM sha256(coalesce(f.hash, '\x') || convert_to('ledger ' || transaction_text(t, g.postings), 'UTF8'))
     ORDER BY t.id LIMIT 1;
END $$;

CREATE OR REPLACE FUNCTION chain_text(source text, row_id bigint) RETURNS text
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  IF source = 'journal' THEN
    RETURN (SELECT entry_text(l) FROM audit_log l WHERE l.id = row_id);
  END IF;
  IF source = 'redaction' THEN
    RETURN (SELECT jsonb_build_array(r.id, r.entry_id, instant_text(r.at), encode(r.content_hash, 'hex'))::text
              FROM journal_redactions r WHERE r.id = row_id);
  END IF;
  RETURN (SELECT transaction_text(t, (SELECT jsonb_agg(jsonb_build_array(p.account, p.currency, p.amount::text) ORDER BY p.account, p.currency)
                                        FROM ledger_postings p WHERE p.transaction_id = t.id))
            FROM ledger_transactions t WHERE t.id = row_id);
END $$;
