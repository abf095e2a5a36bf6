CREATE OR REPLACE FUNCTION instant_text(at timestamptz) RETURNS text
  LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$ SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') $$;

-- The exact content of a row, as text; null for a row that does not exist.
CREATE OR REPLACE FUNCTION chain_text(source text, row_id bigint) RETURNS text
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  IF source = 'journal' THEN
    RETURN (SELECT jsonb_build_array(l.id, instant_text(l.at), l.admin_id, l.action, l.entity, l.entity_id, l.before, l.after, l.request_id,
                                     l.address, l.agent)::text
              FROM audit_log l WHERE l.id = row_id);
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

-- Adds unchained rows to the chain, at most `most` of each source, and returns their number.
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
  LOOP
    number := number + 1;
    added := added + 1;
    former := chain_hash(former, item.source, item.id);
    INSERT INTO chain_links (seq, source, row_id, hash) VALUES (number, item.source, item.id, former);
  END LOOP;
  -- A transaction that began a day ago has ended.
  UPDATE chain_marks m
     SET sealed_below = coalesce(
       (SELECT min(c.row_id) FROM chain_links c WHERE c.source = m.source AND c.sealed_at > now() - interval '1 day'),
       (SELECT max(c.row_id) + 1 FROM chain_links c WHERE c.source = m.source),
       m.sealed_below);
  RETURN added;
END $$;
REVOKE EXECUTE ON FUNCTION seal_chain FROM PUBLIC;

-- The first row at which the chain breaks; no row when it is intact.
CREATE OR REPLACE FUNCTION find_broken_link() RETURNS TABLE (seq bigint, source text, row_id bigint, is_missing boolean)
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  former bytea := '\x';
  number bigint := 0;
  link record;
BEGIN
  FOR link IN SELECT c.* FROM chain_links c ORDER BY c.seq LOOP
    number := number + 1;
    former := chain_hash(former, link.source, link.row_id);
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
       WHERE NOT EXISTS (SELECT FROM chain_links c WHERE c.source = 'ledger' AND c.row_id = t.id)) found
     ORDER BY found.id LIMIT 1;
END $$;
