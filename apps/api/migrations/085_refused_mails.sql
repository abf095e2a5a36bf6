-- A code for a first second factor that does not leave is counted like the other letters.
CREATE OR REPLACE FUNCTION count_undelivered_mails() RETURNS bigint
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN (SELECT count(*) FROM graphile_worker.jobs
           WHERE task_identifier IN ('send_mail', 'send_invitation', 'send_password_reset', 'send_factor_code')
             AND last_error IS NOT NULL);
END $$;
