-- Analytics include reports of imports, and what is posted at its import's rate: add all months up again.
GRANT INSERT ON analytics_marks TO regie_app;
INSERT INTO analytics_marks (month)
SELECT coalesce(st.accounting_month, m.month) FROM statement_months m JOIN statements st ON st.id = m.statement_id
UNION SELECT month FROM imports;

-- What waits and equals posted reports of another import is a suspected duplicate too.
ALTER TABLE statements ADD COLUMN confirmed_imports bigint[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN statements.confirmed_imports IS 'imports with equal figures that whoever validated it was told of and confirmed';
GRANT UPDATE (confirmed_imports) ON statements TO regie_app;

-- Statements that wait with what an import has posted are found once per change of a month, not at each reading.
CREATE TABLE import_duplicates (
  statement_id bigint NOT NULL,
  import_id bigint NOT NULL,
  month date NOT NULL,
  currency text COLLATE "C" NOT NULL,
  income_month date NOT NULL,
  rows bigint NOT NULL,
  amount numeric NOT NULL,
  PRIMARY KEY (statement_id, import_id, month, currency)
);
REVOKE INSERT, UPDATE, DELETE ON import_duplicates FROM regie_app;
COMMENT ON TABLE import_duplicates IS 'as analytics_sums: valid while its income_month is not marked';

DROP VIEW live_duplicates;
-- What waits in marked months with the quantities and amounts that an import without a statement has posted for a track and month.
CREATE VIEW marked_import_duplicates AS
SELECT statement_id, import_id, month, currency, income_month, sum(rows)::bigint AS rows, sum(amount) AS amount
  FROM (
    SELECT s.statement_id, r.import_id, s.month, s.currency, i.month AS income_month, sum(s.rows) AS rows, sum(s.amount) AS amount
      FROM imports i
      JOIN reports r ON r.import_id = i.id AND r.reversed_at IS NULL
      JOIN statement_months m ON m.currency = 'USD' AND m.sums > m.posted_sums + m.unmatched_sums
      JOIN statements st ON st.id = m.statement_id AND st.status IN ('loaded', 'checked') AND coalesce(st.accounting_month, m.month) = i.month
      JOIN statement_sums s ON s.statement_id = m.statement_id AND s.month = m.month AND s.currency = m.currency
       AND s.track_id = r.track_id AND s.import_id IS NULL
     WHERE i.month = ANY ((SELECT array_agg(month) FROM analytics_marks)::date[]) AND i.kind <> 'automatic' AND i.reversed_at IS NULL
     GROUP BY s.statement_id, r.id, s.month, s.currency, i.month
    HAVING coalesce(sum(s.quantity) FILTER (WHERE s.kind = 'stream'), 0) = r.num_streams
       AND coalesce(sum(s.quantity) FILTER (WHERE s.kind = 'download'), 0) = r.num_downloads
       AND coalesce(sum(s.quantity) FILTER (WHERE s.kind = 'video'), 0) = r.num_youtube
       AND coalesce(round(sum(s.amount) FILTER (WHERE s.kind = 'stream'), 10), 0) = r.income_streams_usd
       AND coalesce(round(sum(s.amount) FILTER (WHERE s.kind = 'download'), 10), 0) = r.income_downloads_usd
       AND coalesce(round(sum(s.amount) FILTER (WHERE s.kind = 'video'), 10), 0) = r.income_youtube_usd
  ) track
 GROUP BY statement_id, import_id, month, currency, income_month
-- One play is worth the same twice.
HAVING abs(sum(amount)) > 0.01 OR count(*) >= 5;
REVOKE INSERT, UPDATE, DELETE ON marked_import_duplicates FROM regie_app;

-- Both statements are live, and neither is the other's pending correction, which has the same lines.
CREATE VIEW live_duplicates AS
SELECT d.statement_id, d.other_id, NULL::bigint AS import_id, o.file_name AS other_name, o.source AS other_source,
       o.status AS other_status, d.month, d.currency, d.rows, d.amount, d.first_line, d.is_confirmed OR back.is_confirmed AS is_confirmed,
       EXISTS (SELECT FROM statement_postings p
                WHERE p.statement_id = d.other_id AND p.month = d.month AND p.currency = d.currency) AS is_posted
  FROM statement_duplicates d
  JOIN statement_duplicates back
    ON back.statement_id = d.other_id AND back.other_id = d.statement_id AND back.month = d.month AND back.currency = d.currency
  JOIN statements s ON s.id = d.statement_id AND s.status IN ('loaded', 'checked')
  JOIN statements o ON o.id = d.other_id AND o.status IN ('loaded', 'checked')
 WHERE s.replaces IS DISTINCT FROM o.id AND o.replaces IS DISTINCT FROM s.id
UNION ALL
SELECT e.statement_id, NULL, e.import_id, coalesce(i.file_name, 'import n° ' || i.id),
       CASE WHEN i.type = 'youtube' THEN 'Vidéo' WHEN i.kind = 'single' THEN 'Saisie' ELSE 'Import CSV' END,
       'checked', e.month, e.currency, e.rows, e.amount, NULL, e.import_id = ANY (st.confirmed_imports), true
  FROM (
    SELECT * FROM import_duplicates WHERE income_month NOT IN (SELECT month FROM analytics_marks)
    UNION ALL
    SELECT * FROM marked_import_duplicates
  ) e
  JOIN statements st ON st.id = e.statement_id
  JOIN imports i ON i.id = e.import_id;
REVOKE INSERT, UPDATE, DELETE ON live_duplicates FROM regie_app;
COMMENT ON COLUMN live_duplicates.other_id IS 'the other statement; null for an import';
COMMENT ON COLUMN live_duplicates.is_confirmed IS 'by whoever validated either of the two';
COMMENT ON COLUMN live_duplicates.is_posted IS 'whether the other one has posted lines of this month and currency';
