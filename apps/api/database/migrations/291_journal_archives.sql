-- Entries of a year of the journal that no rule reads and no erasure changes, in a file of the storage (docs/decisions/450).
ALTER TABLE files DROP CONSTRAINT files_kind_check,
  ADD CONSTRAINT files_kind_check CHECK (kind IN ('cover', 'audio', 'statement', 'document', 'lines', 'archive'));
CREATE TABLE journal_archives (
  year integer PRIMARY KEY,
  file_id bigint NOT NULL UNIQUE REFERENCES files (id),
  entries bigint NOT NULL CHECK (entries > 0),
  archived_at timestamptz NOT NULL DEFAULT now()
);
REVOKE INSERT, UPDATE, DELETE ON journal_archives FROM regie_app;
CREATE TABLE archived_entries (
  entry_id bigint PRIMARY KEY,
  year integer NOT NULL REFERENCES journal_archives (year)
);
REVOKE INSERT, UPDATE, DELETE ON archived_entries FROM regie_app;
COMMENT ON TABLE archived_entries IS 'entries whose links of the chain are compared with the file of their year';

-- What is sealed of an entry, as text.
CREATE FUNCTION entry_text(l audit_log) RETURNS text LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT CASE WHEN l.salt IS NULL
           THEN jsonb_build_array(l.id, instant_text(l.at), l.admin_id, l.action, l.entity, l.entity_id, l.before, l.after,
                                  l.request_id, l.address, l.agent)
           ELSE jsonb_build_array(l.id, instant_text(l.at), l.admin_id, l.action, l.entity, l.entity_id, l.request_id,
                                  encode(coalesce(l.digest, state_digest(l)), 'hex'))
         END::text
$$;

-- Whether an entry is the one that a link was made of, by the rules of find_broken_link().
CREATE FUNCTION fits_link(l audit_log, former bytea, hash bytea) RETURNS boolean
  LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT CASE WHEN l.salt IS NULL AND r.content_hash = state_digest(l) THEN true
              WHEN l.digest IS NOT NULL AND r.content_hash IS DISTINCT FROM state_digest(l) THEN false
              ELSE hash = sha256(former || convert_to('journal ' || entry_text(l), 'UTF8')) END
    FROM (SELECT (SELECT content_hash FROM journal_redactions WHERE entry_id = l.id ORDER BY id DESC LIMIT 1)) r (content_hash)
$$;

-- Takes the entries of `pg_temp.returned`, which an archive has, out of the journal. A partition of its own is replaced by one
-- with what stays.
CREATE FUNCTION take_out_entries(of_year integer, of_file bigint) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  partition text := format('audit_log_%s', of_year);
  bounds text := (SELECT pg_get_expr(relpartbound, oid) FROM pg_class WHERE oid = to_regclass(partition));
  columns text := (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
                    WHERE attrelid = 'audit_log'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '');
BEGIN
  INSERT INTO journal_archives (year, file_id, entries) SELECT of_year, of_file, count(*) FROM pg_temp.returned;
  INSERT INTO archived_entries (entry_id, year) SELECT id, of_year FROM pg_temp.returned;
  IF bounds IS NULL THEN
    DELETE FROM audit_log l USING pg_temp.returned r WHERE l.id = r.id;
    RETURN;
  END IF;
  EXECUTE format('CREATE TABLE %1$s_kept (LIKE %1$s INCLUDING ALL EXCLUDING IDENTITY)', partition);
  EXECUTE format('REVOKE ALL ON %s_kept FROM regie_app', partition);
  EXECUTE format('LOCK TABLE %s IN SHARE MODE', partition);
  EXECUTE format('INSERT INTO %1$s_kept (%2$s) SELECT %2$s FROM %1$s WHERE id NOT IN (SELECT id FROM pg_temp.returned)', partition, columns);
  EXECUTE format('ALTER TABLE audit_log DETACH PARTITION %s', partition);
  EXECUTE format('DROP TABLE %s', partition);
  EXECUTE format('ALTER TABLE %1$s_kept RENAME TO %1$s', partition);
  EXECUTE format('ALTER TABLE audit_log ATTACH PARTITION %s %s', partition, bounds);
END $$;
REVOKE EXECUTE ON FUNCTION take_out_entries FROM PUBLIC;

-- Puts the entries of `pg_temp.returned` back into the journal.
CREATE FUNCTION put_back_entries(of_year integer) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO audit_log (id, at, admin_id, action, entity, entity_id, before, after, request_id, address, agent, salt, digest)
    OVERRIDING SYSTEM VALUE
    SELECT id, at, admin_id, action, entity, entity_id, before, after, request_id, address, agent, salt, digest FROM pg_temp.returned;
  DELETE FROM archived_entries WHERE year = of_year;
  DELETE FROM journal_archives WHERE year = of_year;
END $$;
REVOKE EXECUTE ON FUNCTION put_back_entries FROM PUBLIC;

-- As before, and takes archived entries for what their links say.
CREATE OR REPLACE FUNCTION find_broken_link() RETURNS TABLE (seq bigint, source text, row_id bigint, is_missing boolean)
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  former bytea := '\x';
  number bigint := 0;
  link record;
  entry record;
BEGIN
  FOR link IN SELECT c.* FROM chain_links c ORDER BY c.seq LOOP
    number := number + 1;
    former := chain_hash(former, link.source, link.row_id);
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
