-- Letters that the mail server did not take: an invitation says so itself, the others are counted.
ALTER TABLE invitations ADD COLUMN delivery_failed_at timestamptz;
COMMENT ON COLUMN invitations.delivery_failed_at IS 'when its letter was last refused; null once it was taken';

-- The job runner's tables are the owner's.
CREATE FUNCTION count_undelivered_mails() RETURNS bigint
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN (SELECT count(*) FROM graphile_worker.jobs
           WHERE task_identifier IN ('send_mail', 'send_invitation', 'send_password_reset') AND last_error IS NOT NULL);
END $$;
COMMENT ON FUNCTION count_undelivered_mails IS 'letters that were refused at least once and have not left since';
