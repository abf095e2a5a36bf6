-- The four large tables are plain ones again: the first partition, which was the table, takes the rows of the others.
DO $$ BEGIN
  IF EXISTS (SELECT FROM ledger_archives) OR EXISTS (SELECT FROM report_archives) OR EXISTS (SELECT FROM journal_archives) THEN
    RAISE EXCEPTION 'Cette base a des années archivées : restaurez-les d''abord avec la version 0.2 (npm run archive -- --list), puis revenez à celle-ci.'
      USING ERRCODE = 'RG001';
  END IF;
END $$;

DROP TRIGGER report_referral_shares_inserted ON report_referral_shares;
DROP TRIGGER imports_require_month ON imports;
DROP TRIGGER statements_require_month ON statements;
DROP TRIGGER exchange_rates_require_month ON exchange_rates;
DROP TRIGGER ledger_postings_not_archived ON ledger_postings;
DROP FUNCTION report_referral_shares_inserted(), requires_month(), ledger_postings_not_archived(), refuse_posting(bigint),
  make_partition(text, integer), missing_partitions(), require_month(date), require_report(bigint), reports_archived_before(),
  archived_before(), archived_transaction_faults(integer), carried_forward(integer), items_to_carry(integer),
  referrals_to_carry(integer), tracks_to_carry(integer), put_back_entries(integer), put_back_months(text, text),
  put_back_postings(integer), put_back_reports(integer), take_out_entries(integer, bigint), take_out_postings(integer, bigint),
  take_out_reports(integer, bigint, bigint), take_out_rows(text, integer, text[]), fits_link(audit_log, bytea, bytea),
  entry_text(audit_log), state_digest(audit_log), transaction_text(ledger_transactions, jsonb), year_start(integer);
DROP TABLE archived_entries, journal_archives, ledger_carried, ledger_archives, items_carried, referrals_carried, tracks_carried,
  report_archives;

CREATE FUNCTION merge_partitions(name text) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  first text := (SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                  WHERE i.inhparent = name::regclass AND c.relname LIKE '%\_before\_%');
  columns text := (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
                    WHERE attrelid = name::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '');
  sequence text := pg_get_serial_sequence(name, (SELECT attname FROM pg_attribute WHERE attrelid = name::regclass AND attidentity = 'a'));
  triggers text[] := ARRAY(SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = name::regclass AND NOT tgisinternal);
  next_id bigint;
  item text;
BEGIN
  EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', name, first);
  EXECUTE format('INSERT INTO %I (%s) SELECT %s FROM %I', first, columns, columns, name);
  IF sequence IS NOT NULL THEN
    EXECUTE format('SELECT CASE WHEN is_called THEN last_value + 1 ELSE last_value END FROM %s', sequence) INTO next_id;
  END IF;
  EXECUTE format('DROP TABLE %I', name);
  EXECUTE format('ALTER TABLE %I RENAME TO %I', first, name);
  FOR item IN SELECT indexrelid::regclass FROM pg_index WHERE indrelid = name::regclass LOOP
    EXECUTE format('ALTER INDEX %I RENAME TO %I', item, name || substr(item, length(first) + 1));
  END LOOP;
  IF sequence IS NOT NULL THEN
    EXECUTE format('ALTER TABLE %I ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME %s)', name, sequence);
    PERFORM setval(sequence, next_id, false);
  END IF;
  FOREACH item IN ARRAY triggers LOOP EXECUTE item; END LOOP;
END $$;
SELECT merge_partitions('statement_sums'), merge_partitions('reports'), merge_partitions('ledger_postings'), merge_partitions('audit_log');
DROP FUNCTION merge_partitions;

ALTER TABLE reports DROP CONSTRAINT reports_import_month_fkey,
  ADD CONSTRAINT reports_import_id_fkey FOREIGN KEY (import_id) REFERENCES imports (id);
DROP INDEX imports_id_month_key;
ALTER TABLE report_referral_shares ADD CONSTRAINT report_referral_shares_report_id_fkey FOREIGN KEY (report_id) REFERENCES reports (id);
ALTER TABLE journal_redactions ADD CONSTRAINT journal_redactions_entry_id_fkey FOREIGN KEY (entry_id) REFERENCES audit_log (id);
ALTER TABLE files DROP CONSTRAINT files_kind_check,
  ADD CONSTRAINT files_kind_check CHECK (kind IN ('cover', 'audio', 'statement', 'document', 'lines'));

GRANT SELECT ON statement_sums, reports, ledger_postings, audit_log TO regie_app;
GRANT UPDATE (import_id) ON statement_sums TO regie_app;
GRANT INSERT ON reports, ledger_postings TO regie_app;
GRANT UPDATE (num_streams, income_streams_usd, num_downloads, income_downloads_usd, num_youtube, income_youtube_usd,
              gross_eur, account_eur, referrals_eur, platform_eur, reversed_at) ON reports TO regie_app;
-- Neither the number nor the time of an entry.
GRANT INSERT (admin_id, action, entity, entity_id, before, after, request_id, address, agent) ON audit_log TO regie_app;

-- One statement inserts whole transactions: each must balance by itself, and the balances follow at once. Balances are
-- locked in the order of their names, so that two imports cannot deadlock; then the months. Whoever changes a month's sum
-- already holds `store`, `platform`, `paid` or `adjustment`, and a payout that is only requested changes none.
CREATE OR REPLACE FUNCTION ledger_postings_inserted() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  -- A few thousand transactions out of millions are looked up by their key, never read through.
  SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  bad record;
BEGIN
  SELECT transaction_id, currency, sum(amount) AS total INTO bad
    FROM inserted GROUP BY transaction_id, currency HAVING sum(amount) <> 0 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'postings of transaction % sum to % %', bad.transaction_id, bad.total, bad.currency
      USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_postings_sum_to_zero', TABLE = 'ledger_postings';
  END IF;
  WITH posted AS MATERIALIZED (
    SELECT p.account, p.currency, p.amount, p.occurred_at, i.type, i.month,
           p.account LIKE 'account:%' AND p.currency = 'EUR' AS is_owed,
           p.account LIKE 'payout:%' AND p.currency = 'EUR' AS is_reserved
      FROM inserted p
      JOIN ledger_transactions t ON t.id = p.transaction_id
      LEFT JOIN imports i ON i.id = t.import_id
  ),
  incomes AS (
    INSERT INTO income_months AS known (type, month, credited_eur)
    SELECT type, month, sum(amount) FROM posted WHERE is_owed AND type IS NOT NULL GROUP BY type, month ORDER BY type, month
    ON CONFLICT (type, month) DO UPDATE SET credited_eur = known.credited_eur + excluded.credited_eur
  ),
  flows AS (
    INSERT INTO ledger_months AS known (month, owed_eur, paid_eur)
    SELECT month_in_paris(occurred_at), coalesce(sum(amount) FILTER (WHERE is_owed OR is_reserved), 0),
           coalesce(sum(amount) FILTER (WHERE account = 'paid' AND currency = 'EUR'), 0)
      FROM posted GROUP BY 1
    HAVING coalesce(sum(amount) FILTER (WHERE is_owed OR is_reserved), 0) <> 0
        OR coalesce(sum(amount) FILTER (WHERE account = 'paid' AND currency = 'EUR'), 0) <> 0
     ORDER BY 1
    ON CONFLICT (month) DO UPDATE
      SET owed_eur = known.owed_eur + excluded.owed_eur, paid_eur = known.paid_eur + excluded.paid_eur
  )
  INSERT INTO ledger_balances AS balance (account, currency, amount, platform_income, youtube_income)
    SELECT account, currency, sum(amount),
           coalesce(sum(amount) FILTER (WHERE is_owed AND type = 'platform'), 0),
           coalesce(sum(amount) FILTER (WHERE is_owed AND type = 'youtube'), 0)
      FROM posted GROUP BY account, currency ORDER BY account, currency
    ON CONFLICT (account, currency) DO UPDATE
      SET amount = balance.amount + excluded.amount,
          platform_income = balance.platform_income + excluded.platform_income,
          youtube_income = balance.youtube_income + excluded.youtube_income;
  RETURN NULL;
END $$;

CREATE FUNCTION state_digest(salt uuid, before jsonb, after jsonb, address text, agent text) RETURNS bytea
  LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT sha256(convert_to(jsonb_build_array(salt, before, after, address, agent)::text, 'UTF8'))
$$;

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

-- Whether the entry is as its last redaction left it; null for an entry that was never redacted.
CREATE OR REPLACE FUNCTION is_as_redacted(entry_id bigint) RETURNS boolean
  LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT r.content_hash = state_digest(l.salt, l.before, l.after, l.address, l.agent)
    FROM journal_redactions r JOIN audit_log l ON l.id = r.entry_id
   WHERE r.entry_id = is_as_redacted.entry_id ORDER BY r.id DESC LIMIT 1
$$;

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
      -- A redacted entry without a salt can only be compared with its redaction.
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

-- Replaces the values of these fields in both states of the entries; `is_origin` also removes address and browser. The
-- application may not update the journal: this only ever takes away, and leaves a link in the chain.
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

-- Deletes all that was added up of a statement, and its duplicates; fails if some of it is posted.
CREATE OR REPLACE FUNCTION delete_statement_sums(of_statement bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM statement_sums WHERE statement_id = of_statement AND import_id IS NULL;
  IF EXISTS (SELECT FROM statement_sums WHERE statement_id = of_statement) THEN
    RAISE EXCEPTION 'lines of statement % are posted', of_statement USING ERRCODE = 'serialization_failure';
  END IF;
  WITH gone AS (DELETE FROM statement_months WHERE statement_id = of_statement RETURNING month)
  INSERT INTO insight_marks (month)
  SELECT DISTINCT coalesce(st.accounting_month, g.month) FROM gone g JOIN statements st ON st.id = of_statement;
  DELETE FROM statement_rollups WHERE statement_id = of_statement;
  DELETE FROM statement_duplicates WHERE statement_id = of_statement OR other_id = of_statement;
END $$;

-- EUR of accounts that are signed and have not left them: what signatures cover, less payments and other debits. Negative where
-- they exceeded it. A payment that came back still counts: its return is an unsigned credit.
CREATE OR REPLACE FUNCTION signed_money(ids bigint[]) RETURNS TABLE (account_id bigint, eur numeric)
  LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT a.id,
         coalesce((SELECT sum(s.amount_eur) FROM signed_parts s WHERE s.account_id = a.id AND s.voided_at IS NULL), 0)
         - coalesce((SELECT sum(m.amount_eur) FROM payout_moves m WHERE m.account_id = a.id), 0)
         + coalesce((
           SELECT sum(p.amount) FROM ledger_postings p JOIN ledger_transactions t ON t.id = p.transaction_id
            WHERE p.account = 'account:' || a.id AND p.currency = 'EUR' AND p.amount < 0 AND t.payout_id IS NULL), 0)
    FROM unnest(ids) AS a (id)
$$;
