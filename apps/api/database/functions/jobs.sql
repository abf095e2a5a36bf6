-- The job runner's tables belong to the owner and have row-level security: the application reaches them by these functions.

-- Adds a job in the transaction of the change that needs it.
CREATE OR REPLACE FUNCTION enqueue_job(task text, payload json, run_at timestamptz DEFAULT now(), job_key text DEFAULT NULL)
  RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM graphile_worker.add_job(task, payload, run_at => enqueue_job.run_at, job_key => enqueue_job.job_key);
END $$;

CREATE OR REPLACE FUNCTION count_undelivered_mails() RETURNS bigint
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN (SELECT count(*) FROM graphile_worker.jobs
           WHERE task_identifier IN ('send_mail', 'send_invitation', 'send_password_reset', 'send_factor_code')
             AND last_error IS NOT NULL);
END $$;
COMMENT ON FUNCTION count_undelivered_mails IS 'letters that were refused at least once and have not left since';
