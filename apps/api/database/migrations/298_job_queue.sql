-- A job that was given up is told for a week, as the journal and the doctor tell it: nobody can end it otherwise.
CREATE OR REPLACE FUNCTION job_queue() RETURNS TABLE (task text, state text, jobs bigint, oldest_seconds double precision)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
    SELECT j.task_identifier::text, s.state, count(*),
           extract(epoch FROM now() - min(CASE s.state WHEN 'running' THEN j.locked_at ELSE j.run_at END))::double precision
      FROM graphile_worker.jobs j
     CROSS JOIN LATERAL (SELECT CASE
       WHEN j.locked_at IS NOT NULL THEN 'running'
       WHEN j.attempts >= j.max_attempts AND j.updated_at > now() - interval '7 days' THEN 'failed'
       WHEN j.attempts < j.max_attempts AND j.run_at <= now() THEN 'waiting'
       END AS state) s
     WHERE s.state IS NOT NULL
     GROUP BY 1, 2;
END $$;
