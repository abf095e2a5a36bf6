-- The job runner's tables belong to the owner (row-level security); this is how the application adds a job in
-- the transaction of the change that calls for it.
CREATE FUNCTION enqueue_job(task text, payload json, run_at timestamptz DEFAULT now(), job_key text DEFAULT NULL)
  RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  PERFORM graphile_worker.add_job(task, payload, run_at => enqueue_job.run_at, job_key => enqueue_job.job_key);
END $$;
