-- Where a change came from, beside who made it.
ALTER TABLE audit_log
  ADD COLUMN address text CHECK (length(address) <= 64),
  ADD COLUMN agent text CHECK (length(agent) <= 300);
COMMENT ON COLUMN audit_log.address IS 'the caller''s address, behind a named proxy the one it forwards; null for jobs';
COMMENT ON COLUMN audit_log.agent IS 'User-Agent as the caller sent it, cut; null for jobs';
