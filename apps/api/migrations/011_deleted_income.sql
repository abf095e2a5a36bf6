-- What an import posted stays as it was said; what single deletions took back since stands beside it, so that a
-- month's present income is the difference.
ALTER TABLE imports ADD COLUMN deleted_usd numeric(28, 10) NOT NULL DEFAULT 0;
COMMENT ON COLUMN imports.deleted_usd IS 'gross income of its reports that were deleted one by one';
GRANT UPDATE (deleted_usd) ON imports TO regie_app;
UPDATE imports i SET deleted_usd = r.gross
  FROM (SELECT import_id, sum(gross_usd) AS gross FROM reports WHERE reversed_at IS NOT NULL GROUP BY import_id) r
 WHERE r.import_id = i.id AND i.reversed_at IS NULL;
