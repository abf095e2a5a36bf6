-- The tracks that differ most between two months of a source, found when insight adds the months up (048): as long as neither of
-- them is marked, nothing that they come from has changed.
CREATE TABLE track_differences (
  source text COLLATE "C" NOT NULL,
  month date NOT NULL,
  -- The statement that is left out, because the one looked at corrects it; 0 for none.
  without bigint NOT NULL,
  found jsonb NOT NULL,
  PRIMARY KEY (source, month, without)
);
REVOKE INSERT, UPDATE, DELETE ON track_differences FROM regie_app;
COMMENT ON COLUMN track_differences.month IS 'compared with the one before it';
COMMENT ON COLUMN track_differences.found IS 'the largest difference first: value, amountEur, formerEur';

INSERT INTO insight_marks (month)
SELECT DISTINCT coalesce(st.accounting_month, m.month) FROM statement_months m JOIN statements st ON st.id = m.statement_id;
