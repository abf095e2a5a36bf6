CREATE OR REPLACE FUNCTION instant_text(at timestamptz) RETURNS text
  LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$ SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') $$;

-- A row's exact content; null for no row.
CREATE OR REPLACE FUNCTION chain_text(source text, row_id bigint) RETURNS text
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  IF source = 'journal' THEN
    RETURN (SELECT CASE WHEN l.salt IS NULL
                     THEN jsonb_build_array(l.id, instant_text(l.at), l.admin_id, l.action, l.entity, l.entity_id, l.before, l.after,
                                            l.request_id, l.address, l.agent)
                     ELSE jsonb_build_array(l.id, instant_text(l.at), l.admin_id, l.action, l.entity, l.entity_id, l.request_id,
                                            encode(coalesce(l.digest, state_digest(l.salt, l.before, l.after, l.address, l.agent)), 'hex'))
                   END::text
              FROM audit_log l WHERE l.id = row_id);
  END IF;
  IF source = 'redaction' THEN
    RETURN (SELECT jsonb_build_array(r.id, r.entry_id, instant_text(r.at), encode(r.content_hash, 'hex'))::text
              FROM journal_redactions r WHERE r.id = row_id);
  END IF;
  RETURN (SELECT jsonb_build_array(t.id, t.kind, instant_text(t.occurred_at), t.import_id, t.import_batch, t.account_id, t.payout_id,
                                   t.reverses, t.admin_id, t.memo,
                                   (SELECT jsonb_agg(jsonb_build_array(p.account, p.currency, p.amount::text) ORDER BY p.account, p.currency)
                                      FROM ledger_postings p WHERE p.transaction_id = t.id))::text
            FROM ledger_transactions t WHERE t.id = row_id);
END $$;

CREATE OR REPLACE FUNCTION chain_hash(former bytea, source text, row_id bigint) RETURNS bytea
  LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT sha256(former || convert_to(source || ' ' || chain_text(source, row_id), 'UTF8'))
$$;

-- At most `most` rows of each source; returns their number.
CREATE OR REPLACE FUNCTION seal_chain(most integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  former bytea := '\x';
  number bigint := 0;
  added integer := 0;
  item record;
BEGIN
  PERFORM pg_advisory_xact_lock(7243, 9);
  SELECT seq, hash INTO number, former FROM chain_links ORDER BY seq DESC LIMIT 1;
  number := coalesce(number, 0);
  former := coalesce(former, '\x');
  FOR item IN
    (SELECT 'journal' AS source, l.id FROM audit_log l JOIN chain_marks m ON m.source = 'journal' AND l.id >= m.sealed_below
      WHERE NOT EXISTS (SELECT FROM chain_links c WHERE c.source = 'journal' AND c.row_id = l.id) ORDER BY l.id LIMIT most)
    UNION ALL
    (SELECT 'ledger', t.id FROM ledger_transactions t JOIN chain_marks m ON m.source = 'ledger' AND t.id >= m.sealed_below
      WHERE NOT EXISTS (SELECT FROM chain_links c WHERE c.source = 'ledger' AND c.row_id = t.id) ORDER BY t.id LIMIT most)
    UNION ALL
    (SELECT 'redaction', r.id FROM journal_redactions r JOIN chain_marks m ON m.source = 'redaction' AND r.id >= m.sealed_below
      WHERE NOT EXISTS (SELECT FROM chain_links c WHERE c.source = 'redaction' AND c.row_id = r.id) ORDER BY r.id LIMIT most)
  LOOP
    number := number + 1;
    added := added + 1;
    former := chain_hash(former, item.source, item.id);
    INSERT INTO chain_links (seq, source, row_id, hash) VALUES (number, item.source, item.id, former);
  END LOOP;
  -- Transactions of a day ago have ended.
  UPDATE chain_marks m
     SET sealed_below = coalesce(
       (SELECT min(c.row_id) FROM chain_links c WHERE c.source = m.source AND c.sealed_at > now() - interval '1 day'),
       (SELECT max(c.row_id) + 1 FROM chain_links c WHERE c.source = m.source),
       m.sealed_below);
  RETURN added;
END $$;
REVOKE EXECUTE ON FUNCTION seal_chain FROM PUBLIC;

-- No row when the chain is intact.
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
      -- Without a salt it can only be compared with its redaction.
      IF entry.is_unsalted AND entry.is_as_redacted THEN
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

-- What a redaction removes, as one digest.
CREATE OR REPLACE FUNCTION state_digest(salt uuid, before jsonb, after jsonb, address text, agent text) RETURNS bytea
  LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT sha256(convert_to(jsonb_build_array(salt, before, after, address, agent)::text, 'UTF8'))
$$;

-- Null for an entry never redacted.
CREATE OR REPLACE FUNCTION is_as_redacted(entry_id bigint) RETURNS boolean
  LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT r.content_hash = state_digest(l.salt, l.before, l.after, l.address, l.agent)
    FROM journal_redactions r JOIN audit_log l ON l.id = r.entry_id
   WHERE r.entry_id = is_as_redacted.entry_id ORDER BY r.id DESC LIMIT 1
$$;

-- `is_origin` also removes address and browser. The application may not update the journal: this only takes away, and
-- leaves a link in the chain.
CREATE OR REPLACE FUNCTION redact_journal(entries bigint[], names text[], is_origin boolean) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  changed bigint[];
BEGIN
  WITH redacted AS (
    UPDATE audit_log l
       SET before = redacted_state(l.before, names), after = redacted_state(l.after, names),
           digest = CASE WHEN l.salt IS NULL THEN NULL ELSE coalesce(l.digest, state_digest(l.salt, l.before, l.after, l.address, l.agent)) END,
           salt = CASE WHEN l.salt IS NULL THEN NULL ELSE gen_random_uuid() END,
           address = CASE WHEN is_origin THEN NULL ELSE l.address END,
           agent = CASE WHEN is_origin THEN NULL ELSE l.agent END
     WHERE l.id = ANY (entries)
       AND (redacted_state(l.before, names) IS DISTINCT FROM l.before OR redacted_state(l.after, names) IS DISTINCT FROM l.after
            OR is_origin AND num_nonnulls(l.address, l.agent) > 0)
    RETURNING l.id)
  SELECT array_agg(id ORDER BY id) INTO changed FROM redacted;
  INSERT INTO journal_redactions (entry_id, content_hash)
    SELECT l.id, state_digest(l.salt, l.before, l.after, l.address, l.agent) FROM audit_log l WHERE l.id = ANY (changed) ORDER BY l.id;
  RETURN coalesce(cardinality(changed), 0);
END $$;

-- Empty values stay empty.
CREATE OR REPLACE FUNCTION redacted_state(state jsonb, names text[]) RETURNS jsonb
  LANGUAGE sql IMMUTABLE SET search_path = public, pg_temp AS $$
  SELECT CASE WHEN state ?| names THEN
    (SELECT jsonb_object_agg(key, CASE WHEN key = ANY (names) AND value NOT IN ('null', '""', '[]') THEN '"effacé"' ELSE value END)
       FROM jsonb_each(state))
  ELSE state END
$$;
