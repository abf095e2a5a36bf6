CREATE OR REPLACE FUNCTION due_statements(ending date)
RETURNS TABLE (account_id bigint, number integer, from_month date, former_id bigint, after_id bigint)
LANGUAGE sql STABLE AS $$
  SELECT a.id, coalesce(l.number, 0) + 1,
         coalesce(l.month + interval '1 month', ending - make_interval(months => p.months - 1))::date, l.id, l.through_id
    FROM accounts a
   CROSS JOIN LATERAL (
     SELECT CASE coalesce(a.statement_period, (SELECT value #>> '{}' FROM settings WHERE key = 'statementPeriod'))
              WHEN 'quarter' THEN 3 WHEN 'half_year' THEN 6 WHEN 'year' THEN 12 ELSE 1 END AS months) p
    LEFT JOIN LATERAL (
     SELECT s.id, s.number, r.through_id, r.month FROM royalty_statements s JOIN royalty_runs r ON r.id = s.run_id
      WHERE s.account_id = a.id ORDER BY s.number DESC LIMIT 1) l ON true
   WHERE a.erased_at IS NULL AND extract(month FROM ending)::integer % p.months = 0
$$;
COMMENT ON FUNCTION due_statements IS
  'Accounts whose period ends with the month, the first month of their statement, and their former one with its last ledger transaction';
