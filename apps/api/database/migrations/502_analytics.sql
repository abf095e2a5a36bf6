ALTER TABLE insight_sums RENAME TO analytics_sums;
ALTER TABLE insight_marks RENAME TO analytics_marks;
ALTER INDEX insight_sums_amount_idx RENAME TO analytics_sums_amount_idx;
ALTER INDEX insight_sums_quantity_idx RENAME TO analytics_sums_quantity_idx;
-- The next minute queues the job under its new name. A new database has no queue yet.
DO $$
BEGIN
  IF to_regclass('graphile_worker._private_jobs') IS NOT NULL THEN
    DELETE FROM graphile_worker._private_jobs j USING graphile_worker._private_tasks t
     WHERE t.id = j.task_id AND t.identifier = 'refresh_insight';
  END IF;
END
$$;
UPDATE saved_views SET list = replace(list, '/reporting/insight', '/reporting/analytics') WHERE list LIKE '/reporting/insight%';
UPDATE sidebars SET favourites = array_replace(
  array_replace(favourites, '/reporting/insight', '/reporting/analytics'), '/reporting/insight/pivot', '/reporting/analytics/pivot');
