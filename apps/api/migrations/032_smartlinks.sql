-- The clicks of a smartlink in all, kept by the statement that counts them by day: its list is sorted by them.
ALTER TABLE smartlinks
  ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN clicks bigint NOT NULL DEFAULT 0 CHECK (clicks >= 0);
CREATE INDEX smartlinks_clicks_idx ON smartlinks (status, clicks, id);
UPDATE smartlinks s
   SET updated_at = s.created_at,
       clicks = coalesce((SELECT sum(c.clicks) FROM smartlink_clicks c WHERE c.smartlink_id = s.id), 0);
