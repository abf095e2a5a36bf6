-- Backups that were made, and attempts that failed.
CREATE TABLE backups (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 300),
  ended_at timestamptz NOT NULL DEFAULT now(),
  size_bytes bigint CHECK (size_bytes > 0),
  is_encrypted boolean NOT NULL,
  error text CHECK (length(error) <= 1000),
  CHECK ((size_bytes IS NULL) <> (error IS NULL))
);
CREATE INDEX backups_ended_at_idx ON backups (ended_at) WHERE error IS NULL;
REVOKE INSERT, UPDATE, DELETE ON backups FROM regie_app;

CREATE FUNCTION jobs_in_trouble() RETURNS TABLE (task text, trouble text, jobs bigint)
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
