-- The four large tables in partitions of a year (docs/decisions/450). What was there becomes the first partition as it is: with
-- the constraint that `preparePartitions` has validated beside the former version, nothing is copied, read through or indexed
-- anew. All locks are taken first, in the order in which postings take them, for a moment: whoever cannot have them in less than
-- the time after which PostgreSQL looks for deadlocks gives way and begins again (`migrate`).
SET LOCAL lock_timeout = '800ms';
LOCK TABLE statement_sums, imports, reports, report_referral_shares, ledger_postings, audit_log, journal_redactions IN ACCESS EXCLUSIVE MODE;

CREATE FUNCTION year_start(year integer) RETURNS timestamptz
  LANGUAGE sql IMMUTABLE SET search_path = public, pg_temp AS $$ SELECT make_date(year, 1, 1)::timestamp AT TIME ZONE 'Europe/Paris' $$;
COMMENT ON FUNCTION year_start IS 'midnight of 1 January in Paris';

-- Makes the partition of a year, and moves there what `_rest` has of it. @returns false if it exists.
CREATE FUNCTION make_partition(parent text, of_year integer) RETURNS boolean
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  partition text := format('%s_%s', parent, of_year);
  rest text := parent || '_rest';
  key text;
  starts text;
  ends text;
  columns text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('make_partition'));
  -- A row that was on its way to `_rest` would be refused once it belongs elsewhere: whoever writes waits before that.
  EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', parent);
  IF to_regclass(partition) IS NOT NULL THEN RETURN false; END IF;
  SELECT a.attname, b.starts, b.ends INTO key, starts, ends
    FROM pg_partitioned_table p JOIN pg_attribute a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
   CROSS JOIN LATERAL (
     SELECT make_date(of_year, 1, 1)::text, make_date(of_year + 1, 1, 1)::text WHERE a.atttypid = 'date'::regtype
      UNION ALL
     SELECT year_start(of_year)::text, year_start(of_year + 1)::text WHERE a.atttypid = 'timestamptz'::regtype) b (starts, ends)
   WHERE p.partrelid = parent::regclass;
  SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO columns
    FROM pg_attribute WHERE attrelid = rest::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '';
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL EXCLUDING IDENTITY) %s', partition, rest,
                 (SELECT 'WITH (' || array_to_string(reloptions, ', ') || ')' FROM pg_class WHERE oid = rest::regclass));
  EXECUTE format('REVOKE ALL ON %I FROM regie_app', partition);
  EXECUTE format('WITH moved AS (DELETE FROM %1$I WHERE %2$I >= %3$L AND %2$I < %4$L RETURNING %5$s) INSERT INTO %6$I (%5$s) SELECT * FROM moved',
                 rest, key, starts, ends, columns, partition);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, partition, starts, ends);
  RETURN true;
END $$;
REVOKE EXECUTE ON FUNCTION make_partition FROM PUBLIC;

-- Years that have no partition and should: up to two ahead, and those that `_rest` has rows of.
CREATE FUNCTION missing_partitions() RETURNS TABLE (parent text, of_year integer)
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  key text;
  first integer;
BEGIN
  FOR parent, key, first IN
    SELECT c.relname, a.attname, substring(f.relname FROM '_before_(\d+)$')::integer
      FROM pg_partitioned_table p JOIN pg_class c ON c.oid = p.partrelid
      JOIN pg_attribute a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
      JOIN pg_inherits i ON i.inhparent = p.partrelid JOIN pg_class f ON f.oid = i.inhrelid AND f.relname LIKE '%\_before\_%'
     WHERE c.relnamespace = 'public'::regnamespace ORDER BY 1
  LOOP
    RETURN QUERY EXECUTE format(
      'SELECT %1$L, y.year FROM (
         SELECT generate_series(%2$s, extract(year FROM now() AT TIME ZONE ''Europe/Paris'')::integer + 2) AS year
          UNION SELECT extract(year FROM %3$I::timestamptz AT TIME ZONE ''Europe/Paris'')::integer FROM %4$I) y
        WHERE to_regclass(%1$L || ''_'' || y.year) IS NULL ORDER BY y.year', parent, first, key, parent || '_rest');
  END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION missing_partitions FROM PUBLIC;

-- Puts a partitioned table in the place of a table, which becomes its first partition, `…_before_<year>`.
CREATE FUNCTION partition_table(name text, key text) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  -- From the constraint that `preparePartitions` has added; a new database has none, and no rows.
  bound text := (SELECT conname FROM pg_constraint WHERE conrelid = name::regclass AND conname LIKE name || '\_before\_%');
  first text := coalesce(bound, format('%s_before_%s', name, extract(year FROM now() AT TIME ZONE 'Europe/Paris') + 3));
  first_year integer := substring(first FROM '\d+$');
  rest text := name || '_rest';
  is_date boolean := (SELECT atttypid = 'date'::regtype FROM pg_attribute WHERE attrelid = name::regclass AND attname = key);
  sequence text := pg_get_serial_sequence(name, (SELECT attname FROM pg_attribute WHERE attrelid = name::regclass AND attidentity = 'a'));
  next_id bigint;
  indexes text[];
  triggers text[];
  item text;
BEGIN
  indexes := ARRAY(SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = name::regclass AND NOT indisunique);
  triggers := ARRAY(SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = name::regclass AND NOT tgisinternal);
  FOR item IN SELECT tgname FROM pg_trigger WHERE tgrelid = name::regclass AND NOT tgisinternal LOOP
    EXECUTE format('DROP TRIGGER %I ON %I', item, name);
  END LOOP;
  FOR item IN SELECT indexrelid::regclass FROM pg_index WHERE indrelid = name::regclass LOOP
    EXECUTE format('ALTER INDEX %I RENAME TO %I', item, first || substr(item, length(name) + 1));
  END LOOP;
  IF sequence IS NOT NULL THEN
    EXECUTE format('SELECT CASE WHEN is_called THEN last_value + 1 ELSE last_value END FROM %s', sequence) INTO next_id;
    EXECUTE format('ALTER TABLE %I ALTER COLUMN id DROP IDENTITY', name);
  END IF;
  EXECUTE format('ALTER TABLE %I RENAME TO %I', name, first);

  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL EXCLUDING INDEXES) PARTITION BY RANGE (%I)', name, first, key);
  IF bound IS NOT NULL THEN EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', name, bound); END IF;
  FOR item IN SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s', name, conname, pg_get_constraintdef(oid))
                FROM pg_constraint WHERE conrelid = first::regclass AND contype = 'f' LOOP
    EXECUTE item;
  END LOOP;
  FOREACH item IN ARRAY indexes || triggers LOOP EXECUTE item; END LOOP;
  IF sequence IS NOT NULL THEN
    EXECUTE format('ALTER TABLE %I ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME %s START WITH 1)', name, sequence);
    EXECUTE format('SELECT setval(%L, %s, false)', sequence, next_id);
  END IF;

  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)', name, first,
                 CASE WHEN is_date THEN make_date(first_year, 1, 1)::text ELSE year_start(first_year)::text END);
  IF bound IS NOT NULL THEN EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', first, bound); END IF;
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL EXCLUDING IDENTITY) %s', rest, first,
                 (SELECT 'WITH (' || array_to_string(reloptions, ', ') || ')' FROM pg_class WHERE oid = first::regclass));
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I DEFAULT', name, rest);
  EXECUTE format('REVOKE ALL ON %I, %I FROM regie_app', first, rest);
END $$;

-- Sums by the month that their lines name. No unique rule.
SELECT partition_table('statement_sums', 'month');
REVOKE INSERT, UPDATE, DELETE ON statement_sums FROM regie_app;
GRANT UPDATE (import_id) ON statement_sums TO regie_app;

-- Reports by their month, which is their import's: an import's report of a track can only be in one partition, whose index
-- allows one.
CREATE UNIQUE INDEX IF NOT EXISTS imports_id_month_key ON imports (id, month);
ALTER TABLE reports DROP CONSTRAINT reports_import_id_fkey;
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_constraint WHERE conname = 'reports_import_month_fkey') THEN
    ALTER TABLE reports ADD CONSTRAINT reports_import_month_fkey FOREIGN KEY (import_id, month) REFERENCES imports (id, month);
  END IF;
END $$;
-- A foreign key would need an index of ids and months. The application cannot delete reports, so looking at what is added is
-- enough.
ALTER TABLE report_referral_shares DROP CONSTRAINT report_referral_shares_report_id_fkey;
CREATE FUNCTION report_referral_shares_inserted() RETURNS trigger
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  stray bigint;
BEGIN
  SELECT i.report_id INTO stray FROM inserted i
   WHERE NOT EXISTS (SELECT FROM reports r WHERE r.id = i.report_id) LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'there is no report %', stray
      USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'report_referral_shares_report', TABLE = 'report_referral_shares';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER report_referral_shares_inserted AFTER INSERT ON report_referral_shares
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION report_referral_shares_inserted();
SELECT partition_table('reports', 'month');
REVOKE INSERT, UPDATE, DELETE ON reports FROM regie_app;
-- Not the id: only the sequence gives one, so that no two partitions have the same.
GRANT INSERT (type, month, import_id, track_id, account_id, num_streams, income_streams_usd, num_downloads, income_downloads_usd,
              num_youtube, income_youtube_usd, percentile, gross_eur, account_eur, referrals_eur, platform_eur, reversed_at)
  ON reports TO regie_app;
GRANT UPDATE (num_streams, income_streams_usd, num_downloads, income_downloads_usd, num_youtube, income_youtube_usd,
              gross_eur, account_eur, referrals_eur, platform_eur, reversed_at) ON reports TO regie_app;

-- Postings by the time of their transaction: all of a transaction are in one partition.
SELECT partition_table('ledger_postings', 'occurred_at');
REVOKE UPDATE, DELETE ON ledger_postings FROM regie_app;
CREATE FUNCTION refuse_posting(transaction_id bigint) RETURNS text
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'a posting of transaction % has another time', transaction_id
    USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_postings_time', TABLE = 'ledger_postings';
END $$;

-- As before, and a posting has its transaction's time. One statement inserts whole transactions: each must balance by itself, and the balances follow at once. Balances are
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
    SELECT CASE WHEN p.occurred_at = t.occurred_at THEN p.account ELSE refuse_posting(t.id) END AS account,
           p.currency, p.amount, p.occurred_at, i.type, i.month,
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

-- The journal by the time of the entry.
DROP FUNCTION state_digest(audit_log);
ALTER TABLE journal_redactions DROP CONSTRAINT journal_redactions_entry_id_fkey;
SELECT partition_table('audit_log', 'at');
REVOKE INSERT, UPDATE, DELETE ON audit_log FROM regie_app;
GRANT INSERT (admin_id, action, entity, entity_id, before, after, request_id, address, agent) ON audit_log TO regie_app;
CREATE FUNCTION state_digest(l audit_log) RETURNS bytea LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT sha256(convert_to(jsonb_build_array(l.salt, l.before, l.after, l.address, l.agent)::text, 'UTF8'))
$$;

DROP FUNCTION partition_table;
SELECT make_partition(parent, of_year) FROM missing_partitions();

SET LOCAL lock_timeout = 0;
