-- The job runner's tables have row-level security: the application reaches them by these functions.

-- In the transaction of the change that needs it.
CREATE OR REPLACE FUNCTION enqueue_job(task text, payload json, run_at timestamptz DEFAULT now(), job_key text DEFAULT NULL)
  RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  -- Thousands of statements' letters do not delay a code or a password's letter.
  PERFORM graphile_worker.add_job(task, payload, run_at => enqueue_job.run_at, job_key => enqueue_job.job_key,
                                  priority => CASE task WHEN 'send_royalty_letter' THEN 10 ELSE 0 END);
END $$;

CREATE OR REPLACE FUNCTION count_undelivered_mails() RETURNS bigint
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN (SELECT count(*) FROM graphile_worker.jobs
           WHERE task_identifier IN ('send_mail', 'send_invitation', 'send_password_reset', 'send_factor_code')
             AND last_error IS NOT NULL);
END $$;
COMMENT ON FUNCTION count_undelivered_mails IS 'letters that were refused at least once and have not left since';

-- For `/metrics`. A job that was given up counts for a week, as in journal and doctor: nobody can end it otherwise.
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
COMMENT ON FUNCTION job_queue IS 'jobs that run, were given up, or are due, and the age of the oldest';

CREATE OR REPLACE FUNCTION jobs_in_trouble() RETURNS TABLE (task text, trouble text, jobs bigint)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
    SELECT j.task_identifier::text, t.trouble, count(*)
      FROM graphile_worker.jobs j
     CROSS JOIN LATERAL (SELECT CASE
       WHEN j.locked_at < now() - interval '4 hours' THEN 'running'
       WHEN j.locked_at IS NULL AND j.attempts >= j.max_attempts AND j.updated_at > now() - interval '7 days' THEN 'failed'
       WHEN j.locked_at IS NULL AND j.attempts < j.max_attempts AND j.run_at < now() - interval '1 hour' THEN 'waiting'
       END AS trouble) t
     WHERE t.trouble IS NOT NULL
     GROUP BY 1, 2 ORDER BY 1, 2;
END $$;
COMMENT ON FUNCTION jobs_in_trouble IS
  'running for more than 4 hours, given up in the last 7 days, or due for more than an hour';
