-- Turns a database of version 0.2 into the baseline, after functions/ and from-0.2-signatures.sql: without partitions,
-- archives and slices of statements.
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
  entry_text(audit_log), state_digest(audit_log), transaction_text(ledger_transactions, jsonb), is_credited(orders), year_start(integer);
DROP TABLE archived_entries, journal_archives, ledger_carried, ledger_archives, items_carried, referrals_carried, tracks_carried,
  report_archives, statement_slices;

-- The first partition, which was the table, takes the others' rows.
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
DELETE FROM files WHERE kind = 'archive';
ALTER TABLE files DROP CONSTRAINT files_kind_check,
  ADD CONSTRAINT files_kind_check CHECK (kind IN ('cover', 'audio', 'statement', 'document', 'lines'));

GRANT SELECT ON statement_sums, reports, ledger_postings, audit_log TO regie_app;
GRANT UPDATE (import_id) ON statement_sums TO regie_app;
GRANT INSERT ON reports, ledger_postings TO regie_app;
GRANT UPDATE (num_streams, income_streams_usd, num_downloads, income_downloads_usd, num_youtube, income_youtube_usd,
              gross_eur, account_eur, referrals_eur, platform_eur, reversed_at) ON reports TO regie_app;
GRANT INSERT (admin_id, action, entity, entity_id, before, after, request_id, address, agent) ON audit_log TO regie_app;

ALTER TABLE payout_batches RENAME CONSTRAINT payout_batches_check1 TO payout_batches_check;
ALTER TABLE payout_batches RENAME CONSTRAINT payout_batches_check2 TO payout_batches_check1;
ALTER TABLE payout_batches RENAME CONSTRAINT payout_batches_check3 TO payout_batches_check2;
ALTER TABLE payout_batches RENAME CONSTRAINT payout_batches_check4 TO payout_batches_check3;
ALTER TABLE payouts RENAME CONSTRAINT payouts_check6 TO payouts_check5;
ALTER TABLE import_batches ADD COLUMN IF NOT EXISTS row_hashes bigint[] STORAGE EXTERNAL;
COMMENT ON COLUMN import_batches.row_hashes IS 'of ISRC and figures of its readable rows; null in batches of before';
CREATE INDEX IF NOT EXISTS audit_log_search_idx ON audit_log USING gin (search gin_trgm_ops);
CREATE INDEX IF NOT EXISTS audit_log_fields_idx ON audit_log USING gin (fields);
CREATE INDEX IF NOT EXISTS audit_log_action_idx ON audit_log (action);
CREATE INDEX IF NOT EXISTS audit_log_entity_id_idx ON audit_log (entity_id);

DO $$ BEGIN
  IF to_regclass('graphile_worker.jobs') IS NOT NULL THEN
    PERFORM graphile_worker.complete_jobs(ARRAY(SELECT id FROM graphile_worker.jobs WHERE task_identifier = 'make_partitions'));
  END IF;
END $$;
