-- Reports of a year and the sums they were made of in files of the storage, oldest years first (docs/decisions/450).
CREATE TABLE report_archives (
  year integer PRIMARY KEY,
  reports_file_id bigint NOT NULL UNIQUE REFERENCES files (id),
  sums_file_id bigint NOT NULL UNIQUE REFERENCES files (id),
  reports bigint NOT NULL CHECK (reports > 0),
  sums bigint NOT NULL,
  last_id bigint NOT NULL,
  archived_at timestamptz NOT NULL DEFAULT now()
);
REVOKE INSERT, UPDATE, DELETE ON report_archives FROM regie_app;
COMMENT ON COLUMN report_archives.year IS 'of the month that the reports were posted to';
COMMENT ON COLUMN report_archives.last_id IS 'the highest number of its reports';

CREATE TABLE tracks_carried (
  year integer NOT NULL REFERENCES report_archives (year),
  track_id bigint NOT NULL REFERENCES tracks (id),
  account_eur numeric NOT NULL,
  csv_eur numeric NOT NULL,
  csv_last_at timestamptz,
  PRIMARY KEY (track_id, year)
);
REVOKE INSERT, UPDATE, DELETE ON tracks_carried FROM regie_app;
COMMENT ON TABLE tracks_carried IS 'sums of archived reports that were not deleted';
COMMENT ON COLUMN tracks_carried.csv_eur IS 'gross income of CSV imports, without negative reports';

CREATE TABLE referrals_carried (
  year integer NOT NULL REFERENCES report_archives (year),
  referral_id bigint NOT NULL REFERENCES referrals (id),
  amount_eur numeric NOT NULL,
  PRIMARY KEY (referral_id, year)
);
REVOKE INSERT, UPDATE, DELETE ON referrals_carried FROM regie_app;
COMMENT ON TABLE referrals_carried IS 'shares of archived reports that were not deleted';

CREATE TABLE items_carried (
  year integer NOT NULL REFERENCES report_archives (year),
  item text COLLATE "C" NOT NULL,
  track_id bigint NOT NULL,
  income_eur numeric NOT NULL,
  PRIMARY KEY (item, track_id, year)
);
REVOKE INSERT, UPDATE, DELETE ON items_carried FROM regie_app;
COMMENT ON COLUMN items_carried.income_eur IS 'archived sums at the rates of their imports, without negative ones';

-- Months before this one are archived.
CREATE FUNCTION reports_archived_before() RETURNS date
  LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT coalesce((SELECT make_date(max(year) + 1, 1, 1) FROM report_archives), '-infinity')
$$;

-- Fails for a month whose reports are archived; the API answers how they come back.
CREATE FUNCTION require_month(of_month date) RETURNS void
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  IF of_month < reports_archived_before() THEN
    RAISE EXCEPTION 'reports of % are archived', to_char(of_month, 'YYYY-MM')
      USING ERRCODE = 'check_violation', CONSTRAINT = 'month_is_archived',
            DETAIL = extract(year FROM reports_archived_before())::integer - 1;
  END IF;
END $$;

-- The same for a report that may be archived: there is none of this number, and archives have higher ones.
CREATE FUNCTION require_report(of_id bigint) RETURNS void
  LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT require_month('-infinity') FROM report_archives
   WHERE last_id >= of_id AND NOT EXISTS (SELECT FROM reports WHERE id = of_id) LIMIT 1
$$;

CREATE FUNCTION requires_month() RETURNS trigger
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_month((to_jsonb(coalesce(NEW, OLD)) ->> TG_ARGV[0])::date);
  RETURN coalesce(NEW, OLD);
END $$;
-- All that posts or reverses reports writes their import.
CREATE TRIGGER imports_require_month BEFORE INSERT OR UPDATE OF reports, deleted_usd, reversed_at ON imports
  FOR EACH ROW EXECUTE FUNCTION requires_month('month');
CREATE TRIGGER statements_require_month BEFORE INSERT OR UPDATE OF accounting_month ON statements
  FOR EACH ROW EXECUTE FUNCTION requires_month('accounting_month');
-- Income by month, which is added up at these rates, stays as it is.
CREATE TRIGGER exchange_rates_require_month BEFORE INSERT OR UPDATE OR DELETE ON exchange_rates
  FOR EACH ROW EXECUTE FUNCTION requires_month('month');

-- What the reports of `pg_temp.archived_reports` and sums of `pg_temp.archived_sums` carry forward.
CREATE FUNCTION tracks_to_carry(of_year integer) RETURNS SETOF tracks_carried
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
    SELECT of_year, r.track_id, sum(r.account_eur), coalesce(sum(r.gross_eur) FILTER (WHERE i.kind = 'csv' AND r.gross_eur > 0), 0),
           max(r.created_at) FILTER (WHERE i.kind = 'csv' AND r.gross_eur > 0)
      FROM pg_temp.archived_reports r JOIN imports i ON i.id = r.import_id
     WHERE r.reversed_at IS NULL AND r.track_id IS NOT NULL AND extract(year FROM r.month) = of_year
     GROUP BY r.track_id;
END $$;
CREATE FUNCTION referrals_to_carry(of_year integer) RETURNS SETOF referrals_carried
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
    SELECT of_year, s.referral_id, sum(s.amount_eur)
      FROM pg_temp.archived_reports r JOIN report_referral_shares s ON s.report_id = r.id
     WHERE r.reversed_at IS NULL AND extract(year FROM r.month) = of_year GROUP BY s.referral_id;
END $$;
CREATE FUNCTION items_to_carry(of_year integer) RETURNS SETOF items_carried
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
    SELECT of_year, s.item, s.track_id, sum(s.amount / coalesce(r.rate, 1))
      FROM pg_temp.archived_sums s JOIN imports i ON i.id = s.import_id
      LEFT JOIN import_rates r ON r.import_id = s.import_id AND r.currency = s.currency
     WHERE s.amount > 0 AND extract(year FROM i.month) = of_year GROUP BY s.item, s.track_id;
END $$;

-- Takes the reports and sums of a year, which archives have, out of their tables.
CREATE FUNCTION take_out_reports(of_year integer, reports_file bigint, sums_file bigint) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  months daterange := daterange(make_date(of_year, 1, 1), make_date(of_year + 1, 1, 1));
  reports_wanted bigint := (SELECT count(*) FROM pg_temp.archived_reports);
  sums_wanted bigint := (SELECT count(*) FROM pg_temp.archived_sums);
  gone bigint;
  others bigint;
  sum_keys text[] := '{statement_id,month,item,kind,currency,quantity,amount,rows,track_id,import_id}';
BEGIN
  -- Who posts or reverses has ended, or waits and then reads that the month is archived.
  LOCK TABLE imports IN SHARE ROW EXCLUSIVE MODE;
  INSERT INTO report_archives (year, reports_file_id, sums_file_id, reports, sums, last_id)
  SELECT of_year, reports_file, sums_file, reports_wanted, sums_wanted, max(id) FROM pg_temp.archived_reports;
  INSERT INTO tracks_carried SELECT * FROM tracks_to_carry(of_year);
  INSERT INTO referrals_carried SELECT * FROM referrals_to_carry(of_year);
  INSERT INTO items_carried SELECT * FROM items_to_carry(of_year);

  ALTER TABLE pg_temp.archived_sums RENAME TO returned;
  gone := take_out_rows('statement_sums', of_year, sum_keys);
  -- Of other years: those that an accounting month brought into this one.
  DELETE FROM statement_sums s USING pg_temp.returned r
   WHERE (s.statement_id, s.month, s.item, s.kind, s.currency, s.quantity, s.amount, s.rows, s.track_id, s.import_id)
       = (r.statement_id, r.month, r.item, r.kind, r.currency, r.quantity, r.amount, r.rows, r.track_id, r.import_id);
  GET DIAGNOSTICS others = ROW_COUNT;
  IF gone + others <> sums_wanted
     OR EXISTS (SELECT FROM statement_sums WHERE import_id IN (SELECT id FROM imports WHERE month <@ months)) THEN
    RAISE EXCEPTION 'the sums of % changed meanwhile', of_year USING ERRCODE = 'serialization_failure';
  END IF;
  DROP TABLE pg_temp.returned;

  ALTER TABLE pg_temp.archived_reports RENAME TO returned;
  gone := take_out_rows('reports', of_year, '{id,month,num_streams,num_downloads,num_youtube,gross_usd,account_eur,referrals_eur,platform_eur}');
  IF gone <> reports_wanted OR EXISTS (SELECT FROM reports WHERE month <@ months) THEN
    RAISE EXCEPTION 'the reports of % changed meanwhile', of_year USING ERRCODE = 'serialization_failure';
  END IF;
  DROP TABLE pg_temp.returned;
END $$;
REVOKE EXECUTE ON FUNCTION take_out_reports FROM PUBLIC;

-- Puts the rows of a temporary table into the partitions of their months: the triggers of the whole table would add them up again.
CREATE FUNCTION put_back_months(parent text, loaded text) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  columns text := (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
                    WHERE attrelid = parent::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '');
  first regclass := (SELECT i.inhrelid FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                      WHERE i.inhparent = parent::regclass AND c.relname LIKE '%\_before\_%');
  of_year integer;
BEGIN
  FOR of_year IN EXECUTE format('SELECT DISTINCT extract(year FROM month)::integer FROM pg_temp.%I', loaded) LOOP
    EXECUTE format('INSERT INTO %1$s (%2$s) OVERRIDING SYSTEM VALUE SELECT %2$s FROM pg_temp.%3$I WHERE extract(year FROM month) = %4$s',
                   coalesce(to_regclass(format('%s_%s', parent, of_year)), first), columns, loaded, of_year);
  END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION put_back_months FROM PUBLIC;

CREATE FUNCTION put_back_reports(of_year integer) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM tracks_carried WHERE year = of_year;
  DELETE FROM referrals_carried WHERE year = of_year;
  DELETE FROM items_carried WHERE year = of_year;
  DELETE FROM report_archives WHERE year = of_year;
  PERFORM put_back_months('reports', 'archived_reports');
  PERFORM put_back_months('statement_sums', 'archived_sums');
END $$;
REVOKE EXECUTE ON FUNCTION put_back_reports FROM PUBLIC;

-- Deletes all that was added up of a statement, and its duplicates; fails if some of it is posted, archived or not.
CREATE OR REPLACE FUNCTION delete_statement_sums(of_statement bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM statement_sums WHERE statement_id = of_statement AND import_id IS NULL;
  IF EXISTS (SELECT FROM statement_postings WHERE statement_id = of_statement) THEN
    RAISE EXCEPTION 'lines of statement % are posted', of_statement USING ERRCODE = 'serialization_failure';
  END IF;
  WITH gone AS (DELETE FROM statement_months WHERE statement_id = of_statement RETURNING month)
  INSERT INTO insight_marks (month)
  SELECT DISTINCT coalesce(st.accounting_month, g.month) FROM gone g JOIN statements st ON st.id = of_statement;
  DELETE FROM statement_rollups WHERE statement_id = of_statement;
  DELETE FROM statement_duplicates WHERE statement_id = of_statement OR other_id = of_statement;
END $$;
