-- The time of the act itself, not of its transaction's beginning: who waits for a lock acts after whoever holds it.
ALTER TABLE audit_log ALTER COLUMN at SET DEFAULT clock_timestamp();
ALTER TABLE admin_vouches ALTER COLUMN at SET DEFAULT clock_timestamp();
